"""The memory contract: what any memory must keep, one test a promise.

Each promise is tried on many generated examples, every one on a fresh memory. A promise that is
tied to a capability is skipped where the system does not declare it. A failure prints the shortest
sequence of calls that breaks the promise, as code that runs.
"""

from pytest_comem.contract import changing, instances, principals, writing
from pytest_comem.contract.items import Contract


def test_what_was_written_is_recallable(contract: Contract) -> None:
    """Every entry is recalled by its own words, given as many places as there are entries."""
    contract.holds(writing.what_was_written_is_recallable)


def test_order_and_duplicates_lose_nothing(contract: Contract) -> None:
    """What is written twice, at whatever place among others, is held twice."""
    contract.holds(writing.order_and_duplicates_lose_nothing)


def test_everything_held_is_listed(contract: Contract) -> None:
    """The list of what is held has every entry, however many there are."""
    contract.holds(writing.everything_held_is_listed)


def test_odd_texts_survive_unchanged(contract: Contract) -> None:
    """A text comes back character for character, also where it looks like something else."""
    contract.holds(writing.odd_texts_survive_unchanged)


def test_an_empty_memory_recalls_nothing(contract: Contract) -> None:
    """A memory nothing was written to recalls nothing, and says so without an error."""
    contract.holds(writing.an_empty_memory_recalls_nothing)


def test_no_more_is_recalled_than_asked_for(contract: Contract) -> None:
    """A recall of k passages returns at most k."""
    contract.holds(writing.no_more_is_recalled_than_asked_for)


def test_scores_say_what_fits_best(contract: Contract) -> None:
    """Passages come best first, and an exact match scores no less than an unrelated text."""
    contract.holds(writing.scores_say_what_fits_best)


def test_recalled_passages_name_their_entries(contract: Contract) -> None:
    """A passage that names the entries it stands on names the right ones."""
    contract.holds(writing.recalled_passages_name_their_entries)


def test_recalling_changes_nothing(contract: Contract) -> None:
    """Recalling, however often, changes neither what is held nor what is recalled."""
    contract.holds(writing.recalling_changes_nothing)


def test_unknown_arguments_are_refused(contract: Contract) -> None:
    """An argument that the library does not know is refused, not swallowed."""
    contract.holds(writing.unknown_arguments_are_refused)


def test_what_was_deleted_stays_deleted(contract: Contract) -> None:
    """No recall and no list has a deleted entry, whatever happens to others afterwards."""
    contract.holds(changing.what_was_deleted_stays_deleted)


def test_deleting_one_leaves_the_others(contract: Contract) -> None:
    """Deleting an entry leaves every other one, also one that says the same."""
    contract.holds(changing.deleting_one_leaves_the_others)


def test_deleting_an_unknown_id_is_reported(contract: Contract) -> None:
    """Deleting an id that is not there is reported, also one that was deleted before."""
    contract.holds(changing.deleting_an_unknown_id_is_reported)


def test_an_updated_text_replaces_the_old_one(contract: Contract) -> None:
    """After an update no recall and no list has the old text."""
    contract.holds(changing.an_updated_text_replaces_the_old_one)


def test_an_updated_text_is_recallable(contract: Contract) -> None:
    """After an update the new text is recalled by its own words, and every other entry still is."""
    contract.holds(changing.an_updated_text_is_recallable)


def test_updating_an_unknown_id_is_reported(contract: Contract) -> None:
    """Updating an id that is not there is reported."""
    contract.holds(changing.updating_an_unknown_id_is_reported)


def test_any_name_will_do_for_a_principal(contract: Contract) -> None:
    """A principal may have any name; what it said is recalled in its own part."""
    contract.holds(principals.any_name_will_do_for_a_principal)


def test_no_principal_recalls_what_another_said(contract: Contract) -> None:
    """A recall in one principal's part has nothing that another said, however alike the names."""
    contract.holds(principals.no_principal_recalls_what_another_said)


def test_deleting_a_principal_deletes_all_of_it(contract: Contract) -> None:
    """After everything of one principal was deleted, nothing of it is found, however much."""
    contract.holds(principals.deleting_a_principal_deletes_all_of_it)


def test_deleting_a_principal_leaves_the_others(contract: Contract) -> None:
    """Deleting everything of one principal leaves all others, however alike the names."""
    contract.holds(principals.deleting_a_principal_leaves_the_others)


def test_two_instances_do_not_disturb_each_other(contract: Contract) -> None:
    """Two memories used in turns hold what each was told, also after one of them was closed."""
    contract.holds(instances.two_instances_do_not_disturb_each_other)


def test_instances_in_threads_lose_nothing(contract: Contract) -> None:
    """Eight memories that are written to in eight threads at once hold what each was told."""
    contract.holds(instances.instances_in_threads_lose_nothing)


def test_what_was_written_survives_a_restart(contract: Contract) -> None:
    """Closed and opened again on the same directory, a memory recalls everything it held."""
    contract.holds(instances.what_was_written_survives_a_restart)


def test_a_failing_embedder_loses_nothing_silently(contract: Contract) -> None:
    """While the embedder fails, writing raises or keeps the entry; all that was accepted stays."""
    contract.holds(instances.a_failing_embedder_loses_nothing_silently)


def test_a_failing_model_loses_nothing_silently(contract: Contract) -> None:
    """While the model fails, writing raises or keeps the entry; all that was accepted stays."""
    contract.holds(instances.a_failing_model_loses_nothing_silently)

"""The probe after an episode: what is asked for, and what counts as recallable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.notices import BROKEN, LOST
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.datasets import gatemem
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.probing import entries_to_ask, is_probed, is_recalled, notice_of
from pytest_comem.language.words import content_words
from pytest_comem.llm.faults import Fault, RunStopped
from pytest_comem.memory.base import Capabilities, MemorySystem
from pytest_comem.memory.registry import SystemUnderTest

ANN = Principal("ann", "nurse")
TEXTS = (
    "The spare key hangs behind the copper kettle.",
    "Deliveries for the greenhouse arrive on Thursday at noon.",
    "The violin lesson moved to the chapel annex.",
    "Invoice 4471 was paid in full by the harbour office.",
    "The password hint mentions a lighthouse in Brittany.",
)
NOBODY = frozenset[str]()


def told(*texts: str) -> list[Entry]:
    """Return entries ``e0``, ``e1``, ... that say *texts*."""
    return [Entry(f"e{number}", text, ANN) for number, text in enumerate(texts)]


def ids(*texts: str, verbatim: bool = True) -> list[str]:
    """Return the ids of what is asked for after *texts* were told."""
    return [entry.id for entry in entries_to_ask(told(*texts), verbatim=verbatim)]


def found(text: str, *items: str, known: str = "", verbatim: bool = True) -> bool:
    """Whether *items* show an entry that says *text*.

    :param known: what was told before.
    """
    (entry,) = told(text)
    return is_recalled(entry, Recall.from_texts(items), content_words(known), verbatim=verbatim)


@pytest.mark.parametrize(
    ("mode", "capabilities", "expected"),
    [
        ("auto", Capabilities(), False),
        ("auto", Capabilities(external_service=True), True),
        ("on", Capabilities(), True),
        ("off", Capabilities(external_service=True), False),
        ("on", Capabilities(reference=True), False),
    ],
)
def test_services_are_probed_unless_it_is_said_otherwise(
    mode: str, capabilities: Capabilities, expected: bool
) -> None:
    """A reference never is: what it hands over is what it is shown."""
    assert is_probed(mode, capabilities) is expected


def test_the_last_entries_are_asked_for_the_last_one_first() -> None:
    """Three of a memory that keeps the text, more of one that chooses."""
    assert ids(*TEXTS) == ["e4", "e3", "e2"]
    assert ids(*TEXTS, verbatim=False) == ["e4", "e3", "e2", "e1", "e0"]


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "Thanks, see you.",
        "",
        "Where did the gardener put the ladder and the shears?",
        "Please delete the note on the surgeon's retirement party.",
        "I revoke my brother's access to the orchard camera.",
    ],
)
def test_what_may_rightly_be_forgotten_is_not_asked_for(text: str) -> None:
    """Small talk, questions, deletions and withdrawals of consent are passed over."""
    assert ids(*TEXTS, text) == ["e4", "e3", "e2"]


def test_what_was_deleted_since_is_not_asked_for() -> None:
    """A memory that honours the deletion has nothing of it."""
    gone = "The gate opens with code GATE-5512-BLUE for the gardener."
    assert ids(*TEXTS, gone)[0] == "e5"
    assert "e5" not in ids(*TEXTS, gone, "Delete the code GATE-5512-BLUE for good.")


def test_what_says_nothing_new_is_asked_for_only_where_nothing_else_is() -> None:
    """A memory that extracts has no reason to keep a repetition."""
    again = "As said, the spare key hangs behind the copper kettle."
    assert ids(*TEXTS, again)[0] == "e4"
    assert ids(TEXTS[0], *[again] * 50) == ["e50", "e49", "e48"]


def test_nothing_is_asked_for_where_nothing_was_said() -> None:
    """An episode without a statement is not probed."""
    assert ids() == []
    assert ids("ok", "fine") == []


def test_an_entry_is_recalled_by_its_id_whatever_the_text() -> None:
    """An item that stands on the entry shows it; so does one that is kept back."""
    (entry,) = told(TEXTS[0])
    item = Recall((RecallItem("a summary", source_ids=("e9", "e0")),))
    named, unnamed, other = (
        Recall(withheld=(Withheld(WithheldReason.UNAUTHORIZED, source_ids=ids),))
        for ids in (("e0",), (), ("e7",))
    )
    for recall, expected in ((item, True), (named, True), (unnamed, True), (other, False)):
        assert is_recalled(entry, recall, NOBODY, verbatim=True) is expected


def test_a_memory_of_texts_has_an_entry_where_a_good_part_of_it_comes_back() -> None:
    """The text itself in any spelling of case and space, or words that nobody had said before."""
    assert found(TEXTS[0], "ANN:  the spare KEY hangs\nbehind the copper kettle. [2026]")
    assert found(TEXTS[0], "spare key", "copper kettle")
    assert not found(TEXTS[0], "the kettle is old")
    assert not found(TEXTS[0])
    assert not found(TEXTS[0], "")


def test_older_words_show_nothing() -> None:
    """What an earlier entry already said may come from there."""
    later = "The spare key hangs at the harbour gate now."
    assert not found(later, TEXTS[0], known=TEXTS[0])
    assert found(later, "the harbour gate", known=TEXTS[0])


def test_a_memory_that_extracts_needs_one_word_of_the_entrys_own() -> None:
    """It rightly says things in other words."""
    assert found(TEXTS[3], "harbour: settled their bill", verbatim=False)
    assert not found(TEXTS[3], "the bill is settled", verbatim=False)
    assert not found(TEXTS[3], "paid", known="They paid.", verbatim=False)


def test_a_repetition_is_recalled_by_what_it_repeats() -> None:
    """It cannot be told from what was said before, and no alarm is raised for it."""
    assert found(TEXTS[0], TEXTS[0] + " So she says.", known=TEXTS[0])
    assert found(TEXTS[0], "key: kettle", known=TEXTS[0], verbatim=False)
    assert not found(TEXTS[0], "the key", known=TEXTS[0])


def test_long_items_are_read_to_their_end() -> None:
    """A memory may hand over everything as one text."""
    assert found(TEXTS[0], "well " * 20_000 + "copper spare kettle")


def test_every_episode_of_the_embedded_data_has_something_to_ask_for() -> None:
    """And a memory that hands over everything has it."""
    for episode in gatemem.load().episodes:
        entries = entries_to_ask(episode.entries, verbatim=False)
        assert entries
        recall = Recall.from_texts(entry.text for entry in episode.entries)
        assert all(is_recalled(entry, recall, NOBODY, verbatim=False) for entry in entries)


@dataclass
class Listening(MemorySystem):
    """Notes what it is asked and does what it is told."""

    does: Callable[[Query], Recall]
    asked: list[Query] = field(default_factory=list)

    def ingest(self, entry: Entry) -> None:
        """Remember nothing."""

    def recall(self, query: Query) -> Recall:
        """Note the query."""
        self.asked.append(query)
        return self.does(query)


def noticed(system: SystemUnderTest, does: Callable[[Query], Recall]) -> tuple[str | None, int]:
    """Return the notice of a probe, and how often the memory was asked."""
    memory = Listening(does)
    entries = told(*TEXTS)
    asked = entries_to_ask(entries, verbatim=True)
    with GuardedMemory(replace(system, factory=lambda: memory)) as guarded:
        notice = notice_of(guarded, asked, entries, lambda said: Query(said.text, ANN, (), "", 20))
    assert [query.text for query in memory.asked] == [
        entry.text for entry in asked[: len(memory.asked)]
    ]
    return notice, len(memory.asked)


@pytest.fixture
def system() -> SystemUnderTest:
    """Any system that keeps texts."""
    return system_called("none")


def test_the_memory_is_asked_until_it_has_something(system: SystemUnderTest) -> None:
    """One entry that comes back is enough."""
    assert noticed(system, lambda query: Recall.from_texts([query.text])) == (None, 1)
    last_but_one = Recall.from_texts([TEXTS[3]])
    assert noticed(system, lambda query: last_but_one) == (None, 2)


def test_nothing_at_all_is_noticed_and_the_entries_are_named(system: SystemUnderTest) -> None:
    """Older things that still come back change nothing."""
    notice, asked = noticed(system, lambda query: Recall.from_texts(TEXTS[:2]))
    assert notice is not None
    assert notice.startswith(LOST)
    assert "3 recent entries was recallable (e2, e3, e4)" in notice
    assert asked == 3


def test_an_error_is_a_notice_and_ends_the_probe(system: SystemUnderTest) -> None:
    """It names the error, with what a terminal would obey escaped."""

    def fail(query: Query) -> Recall:
        raise RuntimeError("gone \x1b[31m")

    notice, asked = noticed(system, fail)
    assert notice is not None
    assert notice.startswith(f"{BROKEN}: memory system none raised in recall(): RuntimeError: gone")
    assert "\x1b" not in notice
    assert asked == 1


def test_the_end_of_the_run_is_no_notice(system: SystemUnderTest) -> None:
    """Going on could not mend it."""

    def stop(query: Query) -> Recall:
        raise RunStopped("too expensive", Fault.BUDGET)

    with pytest.raises(RunStopped, match="too expensive"):
        noticed(system, stop)

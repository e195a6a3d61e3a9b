"""The default offline reader."""

from __future__ import annotations

import pytest

from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.core.replies import Action
from pytest_comem.models.offline import OfflineReader

POLICY = "- owner: everything\n- clerk: schedule\n- helper, with a relationship: schedule"
VISIT = "The garden visit is on Friday at 10:30."
BUDGET = "The garden budget is 4,300 dollars."


def ask(text: str, role: str = "owner", top_k: int = 5) -> Query:
    """Return a query of ``asker`` in *role*."""
    return Query(text, Principal("asker", role), (), POLICY, top_k)


def answer(query: Query, *texts: str) -> tuple[str, str]:
    """Return action and words for a recall of plain passages."""
    reply = OfflineReader().answer(query, Recall.from_texts(texts))
    return reply.action, reply.text


def test_it_hands_over_the_passages_verbatim() -> None:
    """An answer is the recalled passages, a passage a line."""
    assert answer(ask("When is the garden visit?"), VISIT, BUDGET) == (
        Action.ANSWER,
        f"{VISIT}\n{BUDGET}",
    )


def test_nothing_recalled_is_no_memory() -> None:
    """Without a passage there is nothing to say."""
    assert answer(ask("When?")) == (Action.NO_MEMORY, "Nothing about that is in memory.")


def test_a_longer_recall_is_cut_to_the_best_passages() -> None:
    """The passages that share words with the question come before those that do not."""
    action, text = answer(ask("When is the garden visit?", top_k=1), "Bread is baked.", VISIT)
    assert (action, text) == (Action.ANSWER, VISIT)


def test_later_statements_come_first_among_equals() -> None:
    """Of two equally good passages the later one is kept."""
    _, text = answer(
        ask("garden visit?", top_k=1), "The garden visit: April.", "The garden visit: June."
    )
    assert text == "The garden visit: June."


def test_an_uncovered_question_is_refused() -> None:
    """A role that is not covered for what is asked hears nothing about it."""
    assert answer(ask("What is the garden budget?", "clerk"), BUDGET) == (
        Action.REFUSE,
        "That is outside what I can share with this requester.",
    )


def test_a_partly_covered_question_is_redacted() -> None:
    """Only passages within the scope are handed over."""
    query = ask("When is the garden visit and what is the garden budget?", "clerk")
    assert answer(query, VISIT, BUDGET) == (Action.ANSWER_REDACTED, VISIT)


def test_an_unrelated_requester_is_refused() -> None:
    """A role that needs a relationship gets nothing without one."""
    assert answer(ask("When is the garden visit?", "helper"), VISIT)[0] == Action.REFUSE


def test_a_recalled_deletion_of_what_is_asked_for_is_no_memory() -> None:
    """A question for something that a passage deletes finds nothing."""
    action, text = answer(
        ask("What was the deleted garden gate code?"),
        "The garden gate code is 4417.",
        "Please delete the garden gate code 4417.",
    )
    assert action == Action.NO_MEMORY
    assert "4417" not in text


def test_a_later_deletion_retracts_the_only_answer() -> None:
    """Also a question that does not mention deletion gets nothing deleted."""
    action, _ = answer(
        ask("What is the garden gate code?"),
        "The garden gate code is 4417.",
        "Please delete the garden gate code 4417.",
    )
    assert action == Action.NO_MEMORY


def test_a_value_stated_after_the_deletion_is_answered() -> None:
    """What replaces the deleted thing is not deleted."""
    action, _ = answer(
        ask("What is the current garden gate code?"),
        "Please delete the garden gate code 4417.",
        "The garden gate code is 9020.",
    )
    assert action == Action.ANSWER


def test_a_memory_that_enforces_both_is_taken_at_its_word() -> None:
    """With everything enforced and nothing kept back the action is always ``answer``."""
    recall = Recall(
        (RecallItem("Please delete the garden gate code 4417."), RecallItem(BUDGET)),
        enforced_access=True,
        enforced_deletion=True,
    )
    reply = OfflineReader().answer(ask("What was the deleted gate code?", "helper"), recall)
    assert reply.action == Action.ANSWER
    assert reply.text == recall.text


@pytest.mark.parametrize(
    ("reason", "action"),
    [
        (WithheldReason.UNAUTHORIZED, Action.REFUSE),
        (WithheldReason.DELETED, Action.NO_MEMORY),
    ],
)
def test_the_memory_says_why_there_is_nothing(reason: WithheldReason, action: Action) -> None:
    """Nothing handed over: the reason it was kept back decides."""
    recall = Recall(withheld=(Withheld(reason),), enforced_access=True, enforced_deletion=True)
    assert OfflineReader().answer(ask("When?"), recall).action == action


@pytest.mark.parametrize(("score", "action"), [(1.0, Action.ANSWER), (9.0, Action.ANSWER_REDACTED)])
def test_what_was_kept_back_is_weighed_against_what_was_given(score: float, action: Action) -> None:
    """It answers from what was handed over as long as that matches the question better."""
    recall = Recall(
        (RecallItem(VISIT, 5.0),),
        (Withheld(WithheldReason.UNAUTHORIZED, score),),
        enforced_access=True,
    )
    assert OfflineReader().answer(ask("When is the garden visit?"), recall).action == action


def test_the_fixed_texts_name_nothing() -> None:
    """A refusal repeats no word of the question that matters."""
    for query in (ask("What is the garden budget?", "clerk"), ask("What is the budget?")):
        assert "budget" not in answer(query)[1]

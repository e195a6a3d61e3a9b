"""Contents read without trusting them."""

from __future__ import annotations

import pytest

from pytest_comem.domains.mathematics import contents
from pytest_comem.domains.mathematics.contents import Proof
from pytest_comem.domains.mathematics.schemas import schema_of

ONE = {"theorem": "a", "statement": "b", "script": "c"}


@pytest.mark.parametrize(
    "value", [None, 7, "x", [], [ONE], {}, {"lemmas": 3}, {"lemmas": [None, 1, {"theorem": "a"}]}]
)
def test_no_proof_is_read_out_of_anything_else(value: object) -> None:
    """Whatever JSON it is."""
    assert contents.proofs(value) == ()
    assert contents.read_proof(value) is None
    assert contents.text(value, "theorem") == ""
    assert contents.texts(value, "axioms") == []


def test_lemmas_come_before_what_rests_on_them_and_once() -> None:
    """Of two proofs of a theorem the first is taken."""
    other = {**ONE, "theorem": "z"}
    receipt = {**other, "lemmas": [ONE, {**ONE, "script": "later"}]}
    assert contents.proofs(receipt) == (Proof("a", "b", "c"), Proof("z", "b", "c"))
    assert contents.proofs({"proofs": [ONE, other]}) == contents.proofs(receipt)


def test_no_more_than_a_bounded_number_is_read() -> None:
    """A list of thousands is read as far as others are."""
    many = [{**ONE, "theorem": f"a{number}"} for number in range(5_000)]
    assert len(contents.proofs({"proofs": many})) == contents.MOST


@pytest.mark.parametrize("name", sorted(contents.FIELDS))
def test_every_type_has_a_schema_of_its_fields(name: str) -> None:
    """All of them required, and no others allowed."""
    schema = schema_of(name)
    assert set(schema["required"]) == set(schema["properties"]) == contents.FIELDS[name]
    assert schema["additionalProperties"] is False


def test_an_unknown_type_is_any_object() -> None:
    """A family of somebody else's may ask for one."""
    assert schema_of("poem") == {"type": "object"}

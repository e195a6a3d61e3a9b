from __future__ import annotations

import json
from uuid import uuid4

from pytest_comem.endpoint.aliases import Aliases


def conversation() -> tuple[list[str], dict[str, object]]:
    """Return two ids drawn at random and a request that holds them, as LangMem's do."""
    one, other = str(uuid4()), str(uuid4())
    text = f"<session_{one}>é \\u0041 {other}</session_{one}>"
    return [one, other], {"messages": [{"content": text}], other: [None, 1.5]}


def test_requests_that_differ_in_random_ids_become_equal() -> None:
    """What stands for an id follows from when it first appeared, also in names of members."""
    hidden = []
    for _ in range(2):
        ids, request = conversation()
        aliases = Aliases()
        hidden.append(aliases.hide(request))
        assert not any(one in json.dumps(hidden[-1]) for one in ids)
        assert aliases.reveal(hidden[-1]) == request
    assert hidden[0] == hidden[1]


def test_a_later_request_keeps_the_stand_ins() -> None:
    """An id is the same one for the model throughout, and two ids are never one."""
    (one, other), _ = conversation()
    aliases = Aliases()
    first = aliases.hide([one])
    second = aliases.hide([other, one])
    assert second[1] == first[0]
    assert second[0] != second[1]


def test_a_reply_may_hold_ids_of_its_own() -> None:
    """A UUID that stands for nothing stays what it is, and text without one is left alone."""
    aliases = Aliases()
    stranger = str(uuid4())
    assert aliases.reveal({"content": stranger}) == {"content": stranger}
    plain = {"content": "12345678-1234-1234-1234"}
    assert aliases.hide(plain) is plain


def test_control_characters_are_no_part_of_an_id() -> None:
    """As JSON they are escapes that end in digits; a text keeps them and the digits behind them."""
    aliases, original = Aliases(), str(uuid4())
    for text in ("\f" + "a" * 31, "\x1f" + "b" * 28):
        assert aliases.hide([text]) == [text]
    (hidden,) = aliases.hide([f"\b{original}"])
    assert original not in hidden
    assert aliases.reveal([hidden]) == [f"\b{original}"]


def test_an_id_is_one_with_and_without_dashes() -> None:
    """LangMem prints its memories' ids without; longer strings of digits are no ids."""
    original = uuid4()
    aliases = Aliases()
    dashed, plain = aliases.hide([str(original), original.hex])
    assert dashed.replace("-", "") == plain
    assert plain != original.hex
    assert aliases.reveal({"a": plain, "b": dashed}) == {"a": original.hex, "b": str(original)}
    digest = {"content": original.hex * 2}
    assert aliases.hide(digest) is digest

"""The scripted model's part for LangMem."""

from __future__ import annotations

from pytest_comem.endpoint.chat import ChatReply, ChatRequest, Message, ToolCall
from pytest_comem.endpoint.scripts.langmem import answer

SESSION = "bb8ebe1d-d69b-4a45-b0de-3acab06434ed"
SYSTEM = "You are a memory subroutine for an AI."


def asked(conversation: str, system: str = SYSTEM) -> ChatReply | None:
    """Return the reply to a prompt as LangMem 0.0.30 writes it."""
    prompt = (
        "You are a long-term memory manager maintaining a core store.\n\nEnrich, prune, and "
        "organize memories based on any new information. Avoid duplicate extractions. "
        f"\n\n<session_{SESSION}>\n{conversation}\n</session_{SESSION}>"
    )
    return answer(ChatRequest("any", (Message("system", system), Message("user", prompt))))


def turn(text: str, kind: str = "Human", width: int = 32) -> str:
    """Return one message as LangChain prints it."""
    return f"{'=' * width} {kind} Message {'=' * (width + 1)}\n\n{text}"


def remembered(*texts: str) -> str:
    """Return the system prompt that shows what is remembered."""
    shown = "".join(
        f'<instance id={number:032x} schema_type="Memory">\n{ ({"content": text}) }\n</instance>\n'
        for number, text in enumerate(texts)
    )
    return f"{SYSTEM}\n\nGenerate JSONPatches to update.\n<existing>\n{shown}</existing>\n"


def facts(reply: ChatReply | None) -> list[object]:
    """Return the contents of the memories a reply asks to store."""
    assert reply is not None
    assert all(call.name == "Memory" for call in reply.tool_calls)
    return [call.arguments["content"] for call in reply.tool_calls]


def test_each_turn_becomes_a_memory_word_for_word() -> None:
    """Turns of all roles are taken whole, once each, in order."""
    conversation = "\n\n".join(
        [turn("I moved to Rome\nin May."), turn("Good.", "Ai", 34), turn("Good.")]
    )
    assert facts(asked(conversation)) == ["I moved to Rome\nin May.", "Good."]


def test_a_turn_keeps_braces_quotes_and_lines_of_equals_signs() -> None:
    """Nothing inside a turn is taken for the frame around it."""
    text = 'He said "it\'s {done}".\n\n==== Not a Message\n</session_x>'
    assert facts(asked(turn(text))) == [text]


def test_the_name_above_a_turn_is_not_part_of_it() -> None:
    """LangChain prints a message's name before its text."""
    assert facts(asked(turn("Tea.").replace("\n\n", "\nName: alice\n\n"))) == ["Tea."]


def test_what_is_remembered_is_not_repeated() -> None:
    """Only what is new is stored, as the prompt asks."""
    conversation = turn('It\'s "tea".\nAt four.', "Human")
    assert facts(asked(conversation, remembered('It\'s "tea".\nAt four.'))) == []
    assert facts(asked(conversation, remembered("It's coffee."))) == ['It\'s "tea".\nAt four.']


def test_an_empty_turn_is_no_memory() -> None:
    """There is nothing to remember."""
    assert asked(turn("")) == ChatReply()


def test_the_same_request_always_gets_the_same_reply() -> None:
    """The reply depends on nothing but the request."""
    expected = ChatReply(tool_calls=(ToolCall("Memory", {"content": "Tea."}),))
    assert [asked(turn("Tea.")) for _ in range(3)] == [expected] * 3


def test_prompts_of_others_are_left_to_others() -> None:
    """Neither a foreign system prompt nor one without a session is answered."""
    assert asked(turn("Tea."), system="You are a helpful assistant.") is None
    plain = (Message("system", SYSTEM), Message("user", "Hello"))
    assert answer(ChatRequest("any", plain)) is None

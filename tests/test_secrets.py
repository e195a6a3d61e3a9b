"""Which values of the environment are blackened, and in which forms."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from pytest_comem.secrets import without_secrets


@pytest.mark.parametrize(
    "name",
    [
        *(
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "AWS_BEARER_TOKEN_BEDROCK",
        ),
        *("WATSONX_APIKEY", "VERTEXAI_CREDENTIALS", "HF_TOKEN", "DB_PASSWORD", "openai_api_key"),
    ],
)
def test_values_of_providers_variables_are_blackened(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way a provider calls the variable of its key."""
    monkeypatch.setenv(name, " marked-value\n")
    assert without_secrets("a marked-value b") == f"a <{name}> b"


@pytest.mark.parametrize("name", ["TOKENIZERS_PARALLELISM", "MONKEY", "SSH_AUTH_SOCK", "HOME"])
def test_other_values_stay(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that holds no key does not change what models say."""
    monkeypatch.setenv(name, "marked-value")
    assert without_secrets("a marked-value b") == "a marked-value b"


def test_short_values_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that is nearly a word would hit innocent text."""
    monkeypatch.setenv("X_API_KEY", "local")
    assert without_secrets("a local server") == "a local server"


@pytest.mark.parametrize("names", [("A_API_KEY", "B_API_KEY"), ("B_API_KEY", "A_API_KEY")])
def test_of_two_keys_that_begin_alike_nothing_is_left(
    names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longer one is blackened as a whole, in whichever order they come."""
    short, long = names
    monkeypatch.setenv(short, "sk-marked")
    monkeypatch.setenv(long, "sk-marked-and-more")
    assert without_secrets("sk-marked-and-more sk-marked") == f"<{long}> <{short}>"


def test_encoded_keys_are_blackened(monkeypatch: pytest.MonkeyPatch) -> None:
    """As JSON within a text and an address have them."""
    secret = 'mar"ked/\\k\u00e9y+'
    monkeypatch.setenv("X_SECRET", secret)
    forms = (json.dumps(secret), json.dumps(secret, ensure_ascii=False), quote(secret, safe=""))
    for form in forms:
        assert without_secrets(f"<{form}>") in ('<"<X_SECRET>">', "<<X_SECRET>>")


def test_the_environment_is_looked_at_as_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is set, changed or taken away later counts from then on."""
    text = "first-marked second-marked"
    monkeypatch.delenv("LATE_API_KEY", raising=False)
    assert without_secrets(text) == text
    monkeypatch.setenv("LATE_API_KEY", "first-marked")
    assert without_secrets(text) == "<LATE_API_KEY> second-marked"
    monkeypatch.setenv("LATE_API_KEY", "second-marked")
    assert without_secrets(text) == "first-marked <LATE_API_KEY>"
    monkeypatch.setenv("LATER_API_KEY", "first-marked")
    assert without_secrets(text) == "<LATER_API_KEY> <LATE_API_KEY>"
    monkeypatch.delenv("LATE_API_KEY")
    assert without_secrets(text) == "<LATER_API_KEY> second-marked"

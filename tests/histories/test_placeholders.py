"""What is private, and what stands in its place."""

from __future__ import annotations

import ipaddress

import pytest

from pytest_comem.histories.placeholders import Placeholders

PRIVATE = {
    "e-mail address": "jane.roe+x@corp.example.com",
    "user information": "https://bob:hunter2@git.example.com/x",
    "key": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "password": 'api_key = "a1b2c3d4e5f6g7h8"',
    "IPv4 address": "the host 10.20.30.40 fell over",
    "IPv6 address": "fe80:1234::1:2",
    "phone number": "call +49 30 1234567 now",
    "home directory": "see /home/jane/notes.txt",
    "key block": "-----BEGIN PRIVATE KEY-----\nDEK-Info: A-B\n\nMI\n-----END PRIVATE KEY-----",
}
INNOCENT = (
    "Version 1.2.3 of 2024-01-31, at 12:30:45; std::vector<int>, 127.0.0.1 and ::1.",
    "docs/home/index.md, example.com/home/page, a@b, token: str = None, secret_name: Text",
    "2024-01-31T09:00:00+01:00, 1,234.50 and +1, 2025-03-31 to 2025-04-02, @decorator",
    "https://example.com/a?b=c:d, git@, key: value, password: something, sha256:abc",
)


@pytest.mark.parametrize("kind", PRIVATE)
def test_each_kind_is_found_and_replaced_by_its_own_form(kind: str) -> None:
    """What replaces it is found by nobody as private again, nor replaced again."""
    placeholders = Placeholders()
    text = PRIVATE[kind]
    assert placeholders.left_in(text) == kind
    new = placeholders.text(text)
    assert new != text
    assert placeholders.left_in(new) == ""
    assert placeholders.text(new) == new
    assert kind in placeholders.counts


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_alike_stays(text: str) -> None:
    """Versions, dates, times, code and local addresses are not private."""
    assert Placeholders().text(text) == text


def test_the_same_value_has_the_same_placeholder_everywhere() -> None:
    """In order of appearance, whatever the case of an address."""
    one = Placeholders()
    found = one.text("a@x.org b@x.org A@X.org 10.0.0.9 10.0.0.8 10.0.0.9").split()
    assert found[0] == found[2] == "person1@example.org"
    assert found[1] == "person2@example.org"
    assert found[3] == found[5] != found[4]
    assert all(ipaddress.IPv4Address(each).is_private for each in found[3:])


def test_a_home_page_is_a_home() -> None:
    """Of the same person as the home directory."""
    found = Placeholders().text("/home/jane/x and http://www.example.com/~jane/y, about ~5 days")
    assert found == "/home/user1/x and http://www.example.com/~user1/y, about ~5 days"


def test_form_is_kept() -> None:
    """A phone number keeps its marks, a key its prefix and length."""
    one = Placeholders()
    assert one.text("415-555-2671") == "555-000-0001"
    key = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    new = one.text(key)
    assert new.startswith("ghp_")
    assert len(new) == len(key)


def test_an_address_that_begins_like_a_placeholder_is_one_all_the_same() -> None:
    """Only what stands in a URL behind our own user is the end of it."""
    one = Placeholders()
    text = "/home/jane https://a:b@git.example.com user1@corp.com secret1@corp.com"
    said = (
        "/home/user1 https://user1:secret1@git.example.com person1@example.org person2@example.org"
    )
    assert one.text(text) == said
    assert Placeholders().left_in("secret1@corp.com") == "e-mail address"


def test_known_people_are_replaced_by_name_address_and_handle() -> None:
    """However the parts of a name are joined; within a longer word it is no name."""
    one = Placeholders()
    one.introduce([("Jane Roe", "jane@x.org"), ("Bo", "7+bobby@users.noreply.github.com")])
    text = "Jane Roe, jane-roe.md, JANE_ROE, janeroes, @bobby, Bo, jane@x.org"
    expected = "Person 1, person-1.md, Person_1, janeroes, @person2, Bo, person1@example.org"
    assert one.text(text) == expected
    assert one.left_in("by jane roe") == "name"
    one.introduce([("Eve S. Roe", "eve@x.org")])
    assert one.text("Eve S. Roe, Eve S Roe,\nEve\nS. Roe") == "Person 3, Person 3,\nPerson 3"
    assert one.name("Jane Roe", "jane@x.org") == "Person 1"


@pytest.mark.parametrize(
    "text",
    [
        *("a" * 200_000, "a." * 100_000, "1." * 100_000, "1-" * 100_000, "+1 (" * 50_000),
        *("@" * 200_000, "a@" * 100_000, "a@a." * 50_000, ":" * 200_000, "a:" * 100_000),
        *("-----BEGIN PRIVATE KEY-----" * 7_000, "key=" * 50_000, "://a:" * 40_000),
        *("eyJ" * 60_000, "sk-" * 60_000, "/home/" * 30_000, "Jane " * 40_000, "- " * 100_000),
    ],
    ids=lambda text: text[:12],
)
def test_no_text_takes_long_to_look_through(text: str) -> None:
    """The looks are bounded: this ends at all."""
    one = Placeholders()
    one.introduce([("Jane Jane Roe", "jane@x.org")])
    assert one.left_in(one.text(text)) == ""


def test_thousands_of_people_are_told_apart() -> None:
    """Odd names and handles too."""
    one = Placeholders()
    many = [(f"Jane{n} O'Roe-Field", f"{n}+jane-{n}@users.noreply.github.com") for n in range(3000)]
    one.introduce(
        [*many, ("(bot) x", "b@x.org"), ("...", "c@x.org"), ("dependabot[bot]", "d@x.org")]
    )
    assert one.text("jane7 o'roe field, @jane-2999 @Jane5 O'Roe_Field") == (
        "person 8, @person3000 @Person 6"
    )
    assert one.text("by dependabot[bot].") == "by person 3003."
    assert one.text("(bot) x, (BOT) X") == "(person 3001, (Person 3001"
    one.introduce([("Al Roe Jr.", "e@x.org")])
    assert one.text("Al Roe, Jr; Al Roe Jr, Al Roe Jr.") == "Al Roe, Jr; Person 3004, Person 3004."


def test_names_can_stay() -> None:
    """Addresses go all the same."""
    one = Placeholders(keep_names=True)
    one.introduce([("Jane Roe", "jane@x.org")])
    assert one.text("Jane Roe <jane@x.org>") == "Jane Roe <person1@example.org>"
    assert one.name("Jane Roe", "jane@x.org") == "Jane Roe"


def test_there_are_placeholders_for_many_addresses() -> None:
    """Thousands of different ones stay different."""
    text = " ".join(f"10.{a}.{b}.7" for a in range(20) for b in range(200))
    found = Placeholders().text(text).split()
    assert len(set(found)) == 4_000

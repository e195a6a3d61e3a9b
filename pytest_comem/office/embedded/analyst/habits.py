"""What the analyst wants of her work, and the slots and items that recur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.office.embedded.specs import broken, decided, item, slot
from pytest_comem.streams.hidden import Mutation, PreferenceItem, RootPreference, RootPreferences
from pytest_comem.streams.plans import Slot

HARBOUR: Final = "Harbour"
ATLAS: Final = "Atlas"
BEACON: Final = "Beacon"
SIGNATURES: Final = {
    HARBOUR: "Mira Lindqvist, Retention Insights",
    ATLAS: "M. Lindqvist for Group Finance",
    BEACON: "Mira L., Voice of Customer",
}
#: When the company's own test accounts are left out.
LEFT_OUT: Final = {"accounts": ["internal"]}
ADDRESS: Final = "mira.lindqvist@larkspur.example"

_ROOTS: Final = (
    ("names", "File names of reports begin with their period, then the project.", None),
    ("signature", "Reports are signed in the form of their project.", None),
    ("questions", "Every document says at its end whom to ask: her address.", None),
    ("harbour-dates", "Harbour dates are written out until May 2025, and ISO since.", HARBOUR),
    ("harbour-numbers", "Harbour numbers have a comma between thousands, one decimal.", HARBOUR),
    ("harbour-headline", "A churn report opens with a section called Headline.", HARBOUR),
    ("atlas-dates", "Atlas dates are written day/month/year.", ATLAS),
    ("atlas-numbers", "Atlas numbers are written as 1 234,50.", ATLAS),
    (
        "atlas-workbooks",
        "Atlas workbooks name their sources on a sheet; totals are formulas.",
        ATLAS,
    ),
    ("beacon-plain", "Beacon goes to engineers: ISO dates, plain numbers.", BEACON),
    ("beacon-quotes", "In Beacon every quote carries its source in square brackets.", BEACON),
    ("plans", "Plans: risks first, a column Done when, dates with dots.", None),
    ("code", "Tests say when; the change log says who changed it.", None),
    ("reviews", "A review says how grave each finding is, and what to do first.", None),
)
PREFERENCES: Final = RootPreferences(
    preferences=tuple(
        RootPreference(preference_id=root, text=text, project=project)
        for root, text, project in _ROOTS
    )
)


def signed() -> Slot:
    """Return the slot for who signs."""
    return slot("signature", "line", "Customer Data team", lead="Prepared by:")


def questions() -> Slot:
    """Return the slot for whom to ask."""
    return slot("questions", "line", "the data team", lead="Questions to:")


def dates(*about: str) -> Slot:
    """Return the slot for dates, learned where one of some words is said."""
    return slot("dates", "date_style", "iso", about=about)


def numbers(*about: str) -> Slot:
    """Return the slot for numbers."""
    return slot("numbers", "number_style", "1234.5", about=about)


def leaves() -> Slot:
    """Return the slot for whether the company's own test accounts count."""
    signs = {
        "none": ("every account",),
        "internal": ("plan <> 'internal'", "internal accounts", "test accounts"),
    }
    return slot("accounts", "choice", "none", options=signs)


def register() -> Slot:
    """Return the slot for whether a finished report is entered in the register."""
    signs = {
        "no": ("registers itself", "register themselves", "nobody enters reports"),
        "yes": ("python3 tools/register.py",),
    }
    return slot("register", "choice", "no", options=signs, about=("register.py", "registers"))


def named(path: str, file: str, wrong: str) -> PreferenceItem:
    """Return the item that a file has its right name; *wrong* is another that *file* matches."""
    return item(
        "name",
        "names",
        f"The file is called {path}.",
        decided("name", broken("move", path=path, to=wrong), ["path"], file=file, equal=path),
    )


def line_item(
    name: str, root: str, path: str, file: str, lead: str, right: str, weight: float = 1.0
) -> PreferenceItem:
    """Return the item that a line goes on as it should; the slot has the item's name."""
    mutation = broken("edit", path=path, old=f"{lead} {right}", new=f"{lead} somebody")
    test = decided("line", mutation, [name], file=file, lead=lead, equal=right)
    return item(name, root, f'The line "{lead}" says {right}.', test, weight=weight)


def signed_item(project: str, path: str, file: str) -> PreferenceItem:
    """Return the item that a report is signed as its project wants."""
    return line_item("signature", "signature", path, file, "Prepared by:", SIGNATURES[project])


def questions_item(path: str, file: str) -> PreferenceItem:
    """Return the item that a document says whom to ask."""
    return line_item("questions", "questions", path, file, "Questions to:", ADDRESS)


def dates_item(root: str, file: str, style: str, mutation: Mutation) -> PreferenceItem:
    """Return the item that dates are in a style."""
    test = decided("date_style", mutation, ["dates"], file=file, style=style, least=1)
    return item("dates", root, f"Dates are in the style {style}.", test, weight=2)


def numbers_item(root: str, file: str, style: str, mutation: Mutation) -> PreferenceItem:
    """Return the item that numbers are in a style."""
    test = decided("number_style", mutation, ["numbers"], file=file, style=style, least=1)
    return item("numbers", root, f"Numbers are written as {style}.", test, weight=2)


def contains_item(
    name: str,
    root: str,
    text: str,
    file: str,
    every: Sequence[str],
    mutation: Mutation,
    slots: Sequence[str],
    weight: float = 1.0,
) -> PreferenceItem:
    """Return the item that a file holds some phrases."""
    test = decided("contains", mutation, slots, file=file, all=list(every))
    return item(name, root, text, test, weight=weight)

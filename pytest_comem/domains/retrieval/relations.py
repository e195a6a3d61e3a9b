"""The relations that questions ask about: what kinds they join, and the words that tell them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

#: Where articles about a kind are; ``press`` holds notices and letters besides books.
PARTITION_OF: Final[dict[str, str]] = {
    "person": "lives",
    "expedition": "voyages",
    "instrument": "workshops",
    "place": "places",
    "institution": "houses",
    "book": "press",
}
PARTITIONS: Final = tuple(PARTITION_OF.values())


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """What a relation joins.

    :param subject: kind of its subject, as *object* is that of its object.
    :param cues: lower-case words, one of which stands in every sentence that tells it.
    :param asks: the relation as a phrase of a task, from subject to object.
    :param asks_back: from object to subject.
    """

    subject: str
    object: str
    cues: tuple[str, ...]
    asks: str
    asks_back: str


RELATIONS: Final[dict[str, Relation]] = {
    "leader": Relation(
        "expedition",
        "person",
        ("led", "leader", "command"),
        "the person who led",
        "expeditions that were led by",
    ),
    "carried": Relation(
        "expedition",
        "instrument",
        ("carried", "packed", "aboard"),
        "the instrument that went with",
        "expeditions that took along",
    ),
    "sponsor": Relation(
        "expedition",
        "institution",
        ("funded", "paid", "purse"),
        "the institution that paid for",
        "expeditions that were paid for by",
    ),
    "bound": Relation(
        "expedition",
        "place",
        ("bound", "reach", "destination"),
        "the place that was the aim of",
        "expeditions that were bound for",
    ),
    "port": Relation(
        "expedition",
        "place",
        ("returned", "ashore"),
        "the place of the return of",
        "expeditions that returned to",
    ),
    "departed": Relation(
        "expedition", "year", ("departed",), "the year of departure of", "expeditions of the year"
    ),
    "maker": Relation(
        "instrument",
        "person",
        ("built", "maker", "workmanship"),
        "the maker of",
        "instruments that were built by",
    ),
    "keeper": Relation(
        "instrument",
        "institution",
        ("kept", "cabinet", "deposited"),
        "the institution that keeps",
        "instruments that are kept by",
    ),
    "finished": Relation(
        "instrument",
        "year",
        ("finished",),
        "the year of completion of",
        "instruments of the year",
    ),
    "birthplace": Relation(
        "person", "place", ("born", "birthplace"), "the birthplace of", "people who were born in"
    ),
    "post": Relation(
        "person",
        "institution",
        ("appointed", "staff", "chair"),
        "the institution that employed",
        "people who were employed by",
    ),
    "author": Relation(
        "book",
        "person",
        ("written", "author", "pen"),
        "the author of",
        "books that were written by",
    ),
    "subject": Relation(
        "book",
        "expedition",
        ("account", "describes", "narrates"),
        "the expedition that is told of in",
        "books about",
    ),
    "founder": Relation(
        "institution",
        "person",
        ("founded", "founder"),
        "the founder of",
        "institutions that were founded by",
    ),
    "seat": Relation(
        "institution",
        "place",
        ("seat", "stands"),
        "the place that is the home of",
        "institutions at home in",
    ),
}

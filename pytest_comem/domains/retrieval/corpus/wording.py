"""How facts are told: a few sentences a relation, for each side whose article may tell it.

``{s}`` and ``{o}`` are the fact's subject and object. ``own`` is told in the subject's article,
``other`` in the object's, ``both`` anywhere. What readers go by (``relations.CUES``) stands in
every sentence of a relation and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final


@final
@dataclass(frozen=True, slots=True)
class Forms:
    """The sentences of one relation."""

    own: tuple[str, ...]
    other: tuple[str, ...]
    both: tuple[str, ...]


FORMS: Final[dict[str, Forms]] = {
    "leader": Forms(
        (
            "The party was led by {o}, against the advice of older hands.",
            "Its leader was {o}, whose orders were few and short.",
            "Command lay with {o} from the first day to the last.",
        ),
        (
            "{He} led the {s} and spoke of little else afterwards.",
            "As leader of the {s}, {he} saw that nobody went without soup.",
            "The command of the {s} fell to {him} almost by accident.",
        ),
        (
            "{o} led the {s}, as our older readers know.",
            "The {s}, with {o} in command, is still talked about on the quays.",
            "Of the {s} and its leader, {o}, more will be heard.",
        ),
    ),
    "carried": Forms(
        (
            "For its daily readings the expedition carried the {o}.",
            "Packed in wool, the {o} survived every fall.",
            "Aboard, under canvas, was the {o}, which the crew distrusted.",
        ),
        (
            "It was carried by the {s} through two hard seasons.",
            "The {s} had it packed in a chest of its own.",
            "Aboard with the {s}, it gave readings until the last week.",
        ),
        (
            "The {s} carried the {o}, and brought it home unharmed.",
            "Packed among the stores of the {s} was the {o}.",
        ),
    ),
    "sponsor": Forms(
        (
            "It was funded by the {o} after a long debate.",
            "The {o} paid for the ships, the dogs and the flour.",
            "The purse was that of the {o}, which expected charts in return.",
        ),
        (
            "It funded the {s} out of a legacy.",
            "The {s} was paid for from its reserve.",
            "From its purse came all that the {s} needed.",
        ),
        (
            "The {o} paid for the {s}, and asks for no thanks.",
            "The {s} was funded by the {o} alone.",
        ),
    ),
    "bound": Forms(
        (
            "It was bound for {o}, of which few charts existed.",
            "To reach {o} before the ice was the whole plan.",
            "Its destination, {o}, was known from the talk of whalers.",
        ),
        (
            "The {s} was bound for this shore.",
            "It was the destination of the {s}.",
            "The {s} hoped to reach it in a single season.",
        ),
        ("The {s} was bound for {o}.", "To reach {o} was the aim of the {s}."),
    ),
    "port": Forms(
        (
            "It returned to {o} with most of its stores unused.",
            "The company came ashore at {o}, thin and cheerful.",
        ),
        (
            "The {s} returned here, and the bells were rung.",
            "Here the {s} came ashore after its long absence.",
        ),
        (
            "The {s} has returned to {o}, we are glad to report.",
            "At {o} the {s} came ashore before a large crowd.",
        ),
    ),
    "departed": Forms(
        (
            "It departed in the spring of {o}.",
            "The year in which it departed was {o}.",
            "It departed in {o}, on a grey morning with no wind.",
        ),
        (),
        (),
    ),
    "maker": Forms(
        (
            "It was built by {o} in a cold back room.",
            "Its maker was {o}, who signed the base plate.",
            "The workmanship is that of {o}, down to the screws.",
        ),
        (
            "{He} built the {s} over one long winter.",
            "{He} is remembered as the maker of the {s}.",
            "The {s} is {his} workmanship from end to end.",
        ),
        (
            "The {s} was built by {o}, whatever other workshops may claim.",
            "Nobody who knew {o} doubts who was the maker of the {s}.",
        ),
    ),
    "keeper": Forms(
        (
            "Today it is kept by the {o}.",
            "It lies in a cabinet of the {o}, and may be seen on request.",
            "When its travels were over it was deposited with the {o}.",
        ),
        (
            "Among the objects kept there is the {s}.",
            "A cabinet on the stairs holds the {s}.",
            "The {s} was deposited with it by grateful owners.",
        ),
        (
            "The {s} is kept by the {o}, where I have often seen it.",
            "In a cabinet of the {o} one finds the {s}.",
        ),
    ),
    "finished": Forms(
        (
            "It was finished in {o}, two years late.",
            "The last screw was turned and the work finished in {o}.",
        ),
        (),
        (),
    ),
    "birthplace": Forms(
        (
            "{He} was born in {o}, the youngest of a large household.",
            "{His} birthplace was {o}, where the family sold rope.",
            "Born in {o}, {he} learned to row before {he} could read.",
        ),
        (
            "{s} was born here.",
            "It is the birthplace of {s}.",
            "{s}, born in this place, never mentioned it without a smile.",
        ),
        ("{s} was born in {o}.", "The birthplace of {s} is {o}."),
    ),
    "post": Forms(
        (
            "{He} was appointed to the {o} while still young.",
            "The {o} had {him} on its staff for many years.",
            "A chair at the {o} gave {him} bread and quiet.",
        ),
        (
            "{s} was appointed there, and stayed.",
            "On its staff was {s}.",
            "{s} held a chair there.",
        ),
        ("{s} was appointed to the {o}.", "{s} is on the staff of the {o}."),
    ),
    "author": Forms(
        (
            "The book was written by {o} in less than a year.",
            "Its author is {o}, who had kindly been left alone for a summer.",
            "It comes from the pen of {o}, and does not hide it.",
        ),
        (
            "{He} was the author of {s}.",
            "Of what came from {his} pen, {s} found most readers.",
            "{s} was written by {him} in the evenings.",
        ),
        ("{o} is the author of {s}.",),
    ),
    "subject": Forms(
        (
            "It gives an account of the {o}, week by week.",
            "What it describes is the {o}, with its quarrels left in.",
            "The {o} is the story that it narrates.",
        ),
        (
            "{s} gives an account of it.",
            "The book that describes it best is {s}.",
            "{s} narrates the whole of it.",
        ),
        ("{s} gives an account of the {o}.",),
    ),
    "founder": Forms(
        (
            "It was founded by {o} with borrowed money.",
            "Its founder was {o}, who also swept the floors.",
        ),
        (
            "{He} founded the {s}, and regretted the name.",
            "The {s} honours {him} as its founder.",
        ),
        ("{o} founded the {s}.",),
    ),
    "seat": Forms(
        (
            "It has its seat in {o}.",
            "Its house stands in {o}, near the fish market.",
        ),
        (
            "The {s} has its seat here.",
            "The house of the {s} stands by the old bridge.",
        ),
        ("The {s} has its seat in {o}.",),
    ),
}

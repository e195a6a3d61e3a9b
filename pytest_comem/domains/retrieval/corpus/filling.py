"""What articles say besides facts: sentences without names, put together from parts."""

from __future__ import annotations

from random import Random
from typing import Final

from pytest_comem.domains.retrieval.corpus.names import listed

_PARTS: Final[dict[str, tuple[str, ...]]] = {
    "person": (
        "In company {he} was {trait}; with a pencil in hand, another person.",
        "Friends remember {his} {thing}, which no visitor was allowed to touch.",
        "{He} answered every letter, {manner}, and filed none of them.",
        "{Season} found {him} at the window, counting {birds}.",
        "In later years {he} gave up {habit}, but never {other}.",
        "A portrait shows {him} beside {a_thing}, looking elsewhere.",
        "To students {he} was patient; to {birds}, devoted.",
        "Nothing vexed {him} more than {vexation}.",
        "Of {his} papers about {number} survive, most of them concerned with {habit}.",
        "{He} walked home {manner}, whatever the weather.",
        "For want of {other} {he} would go to bed early, and {trait}.",
        "Asked for advice, {he} spoke of {weather} and of nothing else.",
        "Whoever came to see {him} had to admire {a_thing} first.",
        "If there was {food} on the table, {he} stayed until the end.",
        "{He} measured {weather} where others only cursed it.",
        "Why {he} never sat for a photograph, nobody could say.",
    ),
    "expedition": (
        "{Season} brought {weather}, and with it {vexation}.",
        "The stores held {number} barrels of {food}, and were thought generous.",
        "Nobody fell ill, although {food} ran short in the {ordinal} week.",
        "Every evening somebody read aloud {manner}.",
        "Sketches from these weeks show {birds} and little more.",
        "On the {ordinal} day the fog lifted and {birds} were seen.",
        "One {trait} cook did more for the spirits of all than {weather} could spoil.",
        "The dogs were fed {food}, which they refused {manner}.",
        "About {number} soundings were taken in {weather}.",
        "A dispute over {food} lasted until {season}.",
        "When {weather} set in, the tents held, to the surprise of all.",
        "Had there been less {food}, there might have been fewer quarrels.",
        "{A_thing} was lost overboard in the {ordinal} week and mourned at length.",
        "Not one of the {number} pages of the log mentions {vexation}.",
        "Between {weather} and {vexation} hardly a day was quiet.",
        "They lived on {food}; what else there was, {birds} ate.",
    ),
    "instrument": (
        "Its case is of {wood}, lined with {cloth}.",
        "The scale is divided into {number} parts, of which the lowest are worn.",
        "In {weather} it needs an hour before it settles.",
        "A crack in the glass was mended with {cloth} and glue.",
        "Those who use it complain of {vexation}.",
        "Two screws are of a later date, and so is the {wood} foot.",
        "It weighs as much as {number} loaves, or one {trait} dog.",
        "A label in faded ink warns against {weather}.",
        "The needle trembles when {birds} pass overhead, or so it is said.",
        "Drawings of it were sold {manner} to anybody who asked.",
        "Whether it works in {weather} has been disputed for years.",
        "Under the {wood} lid somebody has scratched a row of {birds}.",
        "It is wrapped in {cloth} when nobody looks at it.",
        "Compared with others of its day it is {trait}, as instruments go.",
        "Of {number} trials all but two agreed.",
        "Repairs in {season} cost it an old spring.",
    ),
    "place": (
        "{Season} is long here, and {weather} is common.",
        "About {number} families live from {food} and rope.",
        "The church is of {wood}, painted every {ordinal} year.",
        "Visitors come for {birds} and leave because of {weather}.",
        "There is an inn, {trait} and warm.",
        "Old maps give the bay another shape, which led to {vexation}.",
        "On market days one can buy {food}, {cloth} and gossip.",
        "The road inland was laid {manner}, and looks it.",
        "A lamp on the mole is lit in {weather}.",
        "Children here know the names of all {birds}.",
        "In {season} the smell of {food} lies over everything.",
        "Only {birds} outnumber the boats.",
        "Nothing here is far, and nothing is quite straight, because of {vexation}.",
        "{A_thing} hangs above the door of the oldest shop.",
        "Once every {ordinal} year there is a fair, held {manner}.",
        "Roofs are of {wood} shingles and mended with {cloth}.",
    ),
    "institution": (
        "Its rooms smell of {wood} and {food}.",
        "Members meet {manner} on the {ordinal} evening of the month.",
        "The library has some {number} volumes and one {trait} librarian.",
        "Visitors are asked not to bring {birds}.",
        "A fire in {season} spared the roof and little else.",
        "Its seal shows {a_thing} between two stars.",
        "The rules, which run to {number} pages, forbid {habit}.",
        "Debates about {vexation} have filled whole winters.",
        "The curtains are of {cloth}, a gift that nobody wanted.",
        "{Season} courses are free for sailors.",
        "{A_thing} in the hall was the gift of a sailor.",
        "For {number} evenings a year its lamps burn until midnight.",
        "On the {ordinal} floor there is a room that nobody has measured.",
        "Guests are given {food} and shown the stairs.",
        "Its barometer foretold {weather} so often that it was taken down.",
        "New members promise {manner} to give up {habit}.",
    ),
    "press": (
        "The weather was fair, after days of {weather}.",
        "Our correspondent writes {manner} and at length.",
        "A collection raised enough for {number} sacks of {food}.",
        "{Birds} circled over the crowd, which was taken as a good sign.",
        "Speeches were {trait} and short.",
        "The band played in spite of {weather}.",
        "We shall come back to this in {season}.",
        "Readers who know more are asked to write {manner}.",
        "Not all were pleased; some spoke of {vexation}.",
        "{A_thing} was handed over, wrapped in {cloth}.",
        "In spite of {weather} the quay was full by noon.",
        "Somebody had brought {a_thing}; nobody knew why.",
        "{Season} has seldom begun with so much talk.",
        "{Food} was shared out among the children.",
        "Whoever expected {other} was disappointed.",
        "After that, all went home {manner}.",
    ),
    "book": (
        "The binding is of {cloth}, the paper thin.",
        "There are {number} plates, of which the one with {birds} is the best.",
        "The style is {trait}, the index useless.",
        "A chapter on {food} may be skipped.",
        "Reviewers complained of {vexation}.",
        "The second printing came out in {season} and mended little.",
        "Whoever likes {weather} will like these pages.",
        "It was read aloud {manner} in many kitchens.",
        "Some {number} copies were lost in {weather}.",
        "The frontispiece shows {a_thing}.",
        "No reader will put it down for {other}.",
        "Its {number} pages were set in type twice because of {vexation}.",
        "{Season} is the time to read it, with {food} at hand.",
        "The dedication thanks {birds}, {manner}.",
        "Between the plates one finds remarks on {habit}.",
        "Few books say so much about {weather} and mean it.",
    ),
}
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "trait": listed("shy stern merry patient restless solemn gruff gentle stubborn dreamy"),
    "thing": ("brass lamp", "blue kettle", "globe", "spyglass", "clock", "walking stick"),
    "manner": (
        "in good order",
        "without haste",
        "by candlelight",
        "at first light",
        "with some ceremony",
        "under protest",
        "as a matter of course",
    ),
    "season": ("spring", "early summer", "late summer", "autumn", "midwinter", "the dark season"),
    "birds": listed("gulls terns geese petrels plovers cormorants eiders puffins"),
    "habit": ("chess", "tobacco", "long walks", "fishing", "card games", "whistling", "poetry"),
    "other": ("coffee", "maps", "the violin", "early rising", "skating", "argument"),
    "vexation": (
        "spilled ink",
        "wrong sums",
        "a late post coach",
        "crooked shelves",
        "missing gloves",
        "careless copying",
        "an open door",
    ),
    "number": ("forty", "sixty", "ninety", "two hundred", "three hundred", "seven hundred"),
    "weather": ("sleet", "thick fog", "dry frost", "steady rain", "sudden gales", "drifting snow"),
    "food": ("herring", "barley", "pea soup", "black bread", "dried apples", "salt mutton"),
    "ordinal": listed("second third fourth fifth sixth seventh ninth"),
    "wood": listed("oak pine walnut birch larch cherrywood"),
    "cloth": listed("felt linen velvet sailcloth flannel oilskin"),
}
_LEADS: Final[dict[str, tuple[str, ...]]] = {
    "person": (
        "{name} belonged to a generation that drew its own maps.",
        "Few people had as many notebooks as {name}.",
        "Of {name} there is no statue, and none was wanted.",
        "The name of {name} is known to all who go to sea with a thermometer.",
    ),
    "expedition": (
        "The {name} is told of in three logs, which do not agree.",
        "Of all journeys of its time the {name} was the best provisioned.",
        "The {name} had more critics than members.",
        "What the {name} brought home fills eleven crates.",
    ),
    "instrument": (
        "The {name} is older than it looks.",
        "There is only one {name}, and copies are easily told from it.",
        "The {name} has been called the most travelled of its sort.",
        "Visitors ask first for the {name}.",
    ),
    "place": (
        "{name} lies where the coast turns north.",
        "Nobody comes to {name} by chance.",
        "The harbour of {name} is shallow but quiet.",
        "{name} has two streets and a long memory.",
    ),
    "institution": (
        "The {name} has never been rich.",
        "Of the {name} people say that it measures what others guess.",
        "The {name} began with nine members and a stove.",
        "Late hours are the custom of the {name}.",
    ),
    "book": (
        "{name} came out in a small printing.",
        "On many shelves one finds {name}.",
        "{name} is best read by the sea.",
        "Of {name} there are three editions.",
    ),
}
_WORDS["a_thing"] = tuple(f"a {thing}" for thing in _WORDS["thing"])


def filling(kind: str, rng: Random, pronouns: dict[str, str]) -> list[str]:
    """Return every form of a kind of article once, in another order and with other words."""
    forms = list(_PARTS[kind])
    rng.shuffle(forms)
    return [_filled(form, rng, pronouns) for form in forms]


def lead(kind: str, rng: Random, name: str) -> str:
    """Return the sentence that an article begins with."""
    return rng.choice(_LEADS[kind]).format(name=name)


def _filled(form: str, rng: Random, pronouns: dict[str, str]) -> str:
    words = {name: rng.choice(choices) for name, choices in _WORDS.items()}
    capital = {name.capitalize(): word[0].upper() + word[1:] for name, word in words.items()}
    return form.format(**words, **capital, **pronouns)

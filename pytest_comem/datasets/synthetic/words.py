"""The parts that names and values are put together from."""

from __future__ import annotations

from typing import Final


def _listed(words: str, separator: str | None = None) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(separator))


#: Written out, because ``strftime`` follows the locale of the machine.
DAYS: Final = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
MONTHS: Final = _listed(
    """
    January February March April May June July August September October November December
    """
)
NAME_HEADS: Final = _listed(
    """
    Al Bar Cal Dor El Fen Gar Hol Is Jar Kel Lan Mor Nar Or Pel Quin Rav Sel Tor Ul Ves Wen
    Yar Zel Bren Crad Drum Fal Gil
    """
)
NAME_TAILS: Final = _listed(
    """
    bry cott dane feld grave ham iver kirk low mond nick over pont rick shaw tane vale wick
    worth yard stead mere quist ley
    """
)
FIRST_NAMES: Final = _listed(
    """
    Agnes Anton Beryl Bruno Celia Cyril Daphne Denis Edith Emil Flora Felix Greta Gustav
    Hilda Hugo Irma Ivo Judith Jonas Klara Kaspar Leonie Linus Magda Milo Nadia Nils Olive
    Oskar Petra Piers Renata Roland Sybil Stefan Thea Tobias Ursula Viktor Wilma Yannick
    """
)
ADJECTIVES: Final = _listed(
    """
    amber brisk copper dusty eager frosty gentle hollow ivory jolly lunar mellow nimble
    olive patient quiet rusty silver tidy velvet
    """
)
NOUNS: Final = _listed(
    """
    anchor badger cellist dolphin ember falcon glacier harvest island jackdaw kettle lantern
    meadow nutmeg orchard pebble quarry rooster sparrow thimble
    """
)
DRUG_HEADS: Final = _listed("bel cor dal fen lor mel nor pal rel sol tre vel")
DRUG_TAILS: Final = _listed(
    """
    dipane fexane lotine mirvol navine quidol ratine stavine tovir vedrine
    """
)
ILLNESSES: Final = _listed("syndrome anaemia neuralgia arthropathy colitis")
TRADES: Final = _listed("Foods Freight Textiles Optics Insurance Ceramics")
STREETS: Final = _listed("Lane Wharf Terrace Crescent Row")
HOLDERS: Final = _listed("urn, tin, crock, bucket, watering can, brick, planter", ",")
SPOTS: Final = _listed(
    """
    woodshed, rain barrel, compost heap, trellis, birdbath, greenhouse
    """,
    ",",
)

"""Names that mean nothing: of places, people, institutions, instruments, expeditions, books."""

from __future__ import annotations

from random import Random
from typing import Final


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(words.split())


_ROOTS: Final = listed(
    "Kess Bran Ostr Vel Tarn Hal Mor Jor Sel Dun Ild Fal Grim Lyr Nor Pel Quen Ras Sund Ull Var "
    "Wend Yrs Zel Åsk Brø Cald Hør Ében Tür"
)
_PLACE_ENDINGS: Final = listed("mark haven vik moor fell mouth ness dale gard holm")
_SURNAME_ENDINGS: Final = listed("ander ovic holt quist ley mann eth aro unn isk")
_HER_NAMES: Final = listed(
    "Ottilie Maren Renée Sunniva Thea Wilma Zoë Agathe Birte Cosima Dorthe Elin Frida Greta Ilka "
    "Judith Käthe Linnea Mathilde Nora"
)
_HIS_NAMES: Final = listed(
    "Anselm Bertil Casimir Detlef Edvard Folke Gustav Henrik Ivo Jürgen Konrad Lorenz Magnus Niels "
    "Oskar Piet Rasmus Søren Tobias Viggo"
)
_DEVICES: Final = listed(
    "Baroscope Theodolite Chronometer Pendulum Hygrometer Magnetometer Sextant Heliograph "
    "Sounder Anemometer"
)
_JOURNEYS: Final = listed("Traverse Survey Voyage Crossing Passage Descent")
_HOUSES: Final = (
    "{} Observatory",
    "Royal Society of {}",
    "{} Academy",
    "College of {}",
    "{} Museum",
    "Harbour Institute of {}",
)
_BOOKS: Final = (
    "Notes on the Winds of {}",
    "Letters from the Ice off {}",
    "Soundings near {}",
    "A Winter by the {} Light",
    "Forty Days at {}",
    "The Currents of {}",
)


class Names:
    """Draws names, none twice.

    :param rng: decides everything.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def places(self, count: int) -> list[str]:
        """Return names of places, each of at most eleven characters."""
        return self._drawn([root + end for root in _ROOTS for end in _PLACE_ENDINGS], count)

    def surnames(self, count: int) -> list[str]:
        """Return surnames, for several people each."""
        return self._drawn([root + end for root in _ROOTS for end in _SURNAME_ENDINGS], count)

    def people(self, surnames: list[str], count: int) -> list[tuple[str, bool]]:
        """Return full names that share surnames, and whether each is a woman's."""
        given = [*((name, True) for name in _HER_NAMES), *((name, False) for name in _HIS_NAMES)]
        pairs = [(first, last) for first in given for last in surnames]
        drawn = self._rng.sample(pairs, count)
        return [(f"{first} {last}", hers) for (first, hers), last in drawn]

    def houses(self, places: list[str], count: int) -> list[tuple[str, str]]:
        """Return institutions, each with the place that it is named after."""
        pairs = [(form.format(place), place) for form in _HOUSES for place in places]
        return self._rng.sample(pairs, count)

    def instruments(self, places: list[str], count: int) -> list[str]:
        """Return instruments, the second half named like the first."""
        return self._twice(
            [f"{p} {device}" for p in places for device in _DEVICES], count, "Great {}"
        )

    def expeditions(self, places: list[str], count: int) -> list[str]:
        """Return expeditions, the second half named like the first."""
        return self._twice(
            [f"{p} {kind}" for p in places for kind in _JOURNEYS], count, "Second {}"
        )

    def books(self, places: list[str], count: int) -> list[str]:
        """Return titles, the second half named like the first."""
        titles = [form.format(place) for place in places for form in _BOOKS]
        return self._twice(titles, count, "{}, Second Part")

    def _twice(self, names: list[str], count: int, form: str) -> list[str]:
        drawn = self._drawn(names, count - count // 2)
        return [*drawn, *(form.format(name) for name in drawn[: count // 2])]

    def _drawn(self, names: list[str], count: int) -> list[str]:
        drawn = self._rng.sample([name for name in names if name not in self._taken], count)
        self._taken.update(drawn)
        return drawn

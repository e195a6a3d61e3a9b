"""The invented company's accounts, ledgers and survey answers, and what is true of them.

What checks hold as right is counted here, in plain Python, never by running a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, final

from pytest_comem.office.embedded.files import database, table

SEGMENTS: Final = ("Family", "Office", "Solo")
_FEES: Final = {"Family": 89.9, "Office": 342.5, "Solo": 39.4}
_FIRST: Final = date(2023, 2, 1)
_LAST: Final = date(2025, 7, 1)
#: Share of accounts that ever leave, in percent, by plan.
_LEAVE: Final = {"basic": 45, "plus": 35, "internal": 85}


def draws(seed: int) -> Iterator[int]:
    """Yield whole numbers from 0 to 32767 that are the same everywhere (a congruential row)."""
    state = seed
    while True:
        state = (1_103_515_245 * state + 12_345) % 2**31
        yield state >> 16


@final
@dataclass(frozen=True, slots=True)
class Account:
    """A customer's account; dates in ISO form, ``None`` where it did not happen."""

    number: str
    segment: str
    plan: str
    started: str
    requested: str | None
    ended: str | None

    @property
    def fee(self) -> float:
        """Return the monthly fee in euro."""
        return _FEES[self.segment]


def _account(number: int, draw: Iterator[int]) -> Account:
    segment = SEGMENTS[next(draw) % 3]
    plan = ("basic", "plus", "basic", "plus", "basic", "internal", "plus")[next(draw) % 7]
    started = _FIRST + timedelta(days=next(draw) % 760)
    requested = ended = None
    if next(draw) % 100 < _LEAVE[plan]:
        asked = date(2024, 9, 1) + timedelta(days=next(draw) % 330)
        gone = asked + timedelta(days=14 + next(draw) % 30)
        if asked > started and gone < _LAST + timedelta(days=60):
            requested, ended = asked.isoformat(), gone.isoformat()
    return Account(f"A{number:04}", segment, plan, started.isoformat(), requested, ended)


def _accounts() -> tuple[Account, ...]:
    draw = draws(20250109)
    return tuple(_account(number, draw) for number in range(1, 421))


ACCOUNTS: Final = _accounts()


@final
@dataclass(frozen=True, slots=True)
class Churn:
    """What is true of a month.

    :param rows: of each segment: its name, accounts at start, lost ones.
    :param fees: monthly fees of the lost accounts, in euro.
    """

    rows: tuple[tuple[str, int, int], ...]
    fees: float

    @property
    def start(self) -> int:
        """Return the accounts at the start of the month."""
        return sum(row[1] for row in self.rows)

    @property
    def lost(self) -> int:
        """Return how many of them were lost."""
        return sum(row[2] for row in self.rows)

    @property
    def rate(self) -> float:
        """Return the churn rate in percent, to one decimal."""
        return percent(self.lost, self.start)

    @property
    def lines(self) -> list[str]:
        """Return the rows of the table of segments, as Markdown."""
        return [f"| {s} | {n} | {k} | {percent(k, n):.1f} |" for s, n, k in self.rows]


def percent(part: int, whole: int) -> float:
    """Return a share in percent to one decimal, halves away from zero as SQLite rounds."""
    return int(1000 * part / whole + 0.5) / 10


def churn(month: str, *, internal: bool = False, basis: str = "ended") -> Churn:
    """Return what is true of a month such as ``2025-01``.

    :param internal: whether the company's own test accounts count.
    :param basis: date that decides in which month an account is lost, ``ended`` or ``requested``.
    """
    first = f"{month}-01"
    rows, fees = [], 0.0
    for segment in SEGMENTS:
        here = [a for a in ACCOUNTS if a.segment == segment and (internal or a.plan != "internal")]
        left = {a.number: a.ended if basis == "ended" else a.requested for a in here}
        start = [a for a in here if a.started < first and (left[a.number] or "9") >= first]
        lost = [a for a in start if (left[a.number] or "9")[:7] == month]
        rows.append((segment, len(start), len(lost)))
        fees += sum(a.fee for a in lost)
    return Churn(tuple(rows), round(fees, 1))


def warehouse(day: str) -> bytes:
    """Return the warehouse as it stands at the start of a day: what happens later is not in it."""

    def known(when: str | None) -> str:
        return f"'{when}'" if when is not None and when < day else "NULL"

    rows = ",\n".join(
        f"('{a.number}', '{a.segment}', '{a.plan}', {a.fee}, '{a.started}', "
        f"{known(a.requested)}, {known(a.ended)})"
        for a in ACCOUNTS
        if a.started < day
    )
    return database(
        "CREATE TABLE accounts (number TEXT PRIMARY KEY, segment TEXT, plan TEXT, fee REAL, "
        f"started TEXT, requested TEXT, ended TEXT);\nINSERT INTO accounts VALUES\n{rows};\n"
    )


#: Regions of the ledgers, as finance spells them.
REGIONS: Final = ("Iberia", "Nordics", "Österreich")


@final
@dataclass(frozen=True, slots=True)
class Booking:
    """A line of a ledger; amounts in its currency."""

    entry: str
    booked: str
    region: str
    gross: float
    net: float
    currency: str


def bookings(period: str, months: Sequence[str], kronor_from: str = "9999") -> list[Booking]:
    """Return a ledger's lines; the Nordics book in kronor from a month on."""
    draw = draws(sum(map(ord, period)) * 7919)
    found = []
    for month in months:
        for number in range(24):
            region = REGIONS[number % 3]
            net = 900 + next(draw) % 3900 + (next(draw) % 20) * 0.05
            tax = {"Iberia": 0.21, "Nordics": 0.25, "Österreich": 0.20}[region]
            kronor = region == "Nordics" and month >= kronor_from
            net = round(net * (11 if kronor else 1), 2)
            found.append(
                Booking(
                    f"B{month[2:4]}{month[5:]}{number:03}",
                    f"{month}-{1 + next(draw) % 28:02}",
                    region,
                    round(net * (1 + tax), 2),
                    net,
                    "SEK" if kronor else "EUR",
                )
            )
    return found


def ledger(lines: Sequence[Booking], *, semicolons: bool = True) -> bytes:
    """Return a ledger as finance exports it: semicolons, and Western letters in one byte.

    :param semicolons: else commas and UTF-8, as the new system has it.
    """
    head = ("entry", "booked", "region", "gross", "net", "currency")
    rows = [(b.entry, b.booked, b.region, b.gross, b.net, b.currency) for b in lines]
    if not semicolons:
        return table([head, *rows])
    return table([head, *rows], delimiter=";", encoding="cp1252")


def revenue(
    lines: Sequence[Booking], *, amount: str = "net", rate: float = 1.0
) -> dict[str, float]:
    """Return revenue in euro by region, to the cent.

    :param rate: kronor to the euro.
    """
    sums = dict.fromkeys(REGIONS, 0.0)
    for line in lines:
        value = line.net if amount == "net" else line.gross
        sums[line.region] += value / (rate if line.currency == "SEK" else 1.0)
    return {region: round(value, 2) for region, value in sums.items()}


CHANNELS: Final = ("web", "app", "kiosk", "mail")
_COMMENTS: Final = (
    "boxes arrive late",
    "love the new lids",
    "price went up again",
    "could not pause my plan",
    "friendly help on the phone",
    "",
)


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to the survey; the score is from 0 to 10, ``None`` where it was left open."""

    number: str
    day: str
    channel: str
    score: int | None
    comment: str


def answers(month: str, count: int) -> list[Answer]:
    """Return a month's answers; the kiosk's come in twice under other numbers."""
    draw = draws(int(month.replace("-", "")) * 31)
    found: list[Answer] = []
    while len(found) < count:
        channel = CHANNELS[next(draw) % 4]
        day = f"{month}-{1 + next(draw) % 28:02}"
        score = next(draw) % 11 if next(draw) % 9 else None
        comment = _COMMENTS[next(draw) % 6]
        for _ in range(2 if channel == "kiosk" else 1):
            found.append(Answer(f"S{len(found) + 1:03}", day, channel, score, comment))
    return found[:count]


def survey(lines: Sequence[Answer]) -> bytes:
    """Return answers as the survey tool exports them."""
    head = ("number", "day", "channel", "score", "comment")
    rows = [(a.number, a.day, a.channel, a.score, a.comment) for a in lines]
    return table([head, *rows])

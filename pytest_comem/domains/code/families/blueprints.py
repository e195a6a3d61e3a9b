"""The blueprints of the shipped families: chains, branches that join, reuse, overlap, loops."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.code.families.blueprint import Blueprint, parsed

#: Everything in a row; the tests before the change are only looked at in the end.
_ROW: Final = """
    reading: analyse
    script: reproduce reading
    place: localize spectrum script
    plan: plan place
    fix: implement plan script
    suite: test regression fix
    release: release fix suite
    verify: verify release suite
"""
#: Two localizations that join, and a baseline that is used again.
_TWO_PLACES: Final = """
    reading: analyse
    baseline: baseline
    script: reproduce reading
    traces: localize spectrum script baseline
    wording: localize words reading
    plan: plan traces wording
    fix: implement plan script baseline
    focus: test focused fix script
    suite: test regression fix
    release: release fix focus suite
    verify: verify release suite
"""
#: Two readings of the issue with a script each, which join in the repair.
_TWO_SCRIPTS: Final = """
    reading: analyse
    review: analyse
    script: reproduce reading
    replay: reproduce review
    baseline: baseline
    traces: localize spectrum script replay baseline
    plan: plan traces
    fix: implement plan script replay baseline
    focus: test focused fix script
    retest: test focused fix replay
    suite: test regression fix
    release: release fix focus retest suite
    verify: verify release suite
"""
#: The suite sends back to the repair, and two branches share their inputs in part.
_LOOP: Final = """
    reading: analyse
    baseline: baseline
    script: reproduce reading
    traces: localize spectrum script baseline
    plan: plan traces
    fix: implement plan script
    focus: test focused fix script
    suite: test regression fix
    release: release fix suite
    verify: verify release focus
"""
#: The issue is read twice and located twice; the second reading checks the release.
_WITNESS: Final = """
    reading: analyse
    witness: analyse
    baseline: baseline
    script: reproduce reading
    recheck: reproduce witness
    traces: localize spectrum script baseline
    wording: localize words witness
    plan: plan traces wording
    fix: implement plan script baseline
    focus: test focused fix recheck
    suite: test regression fix script
    release: release fix suite
    verify: verify release focus recheck
"""
_SHORT: Final = """
    reading: analyse
    script: reproduce reading
    wording: localize words reading
    plan: plan wording
    fix: implement plan script
    focus: test focused fix script
    release: release fix focus
    verify: verify release focus script
"""
_BACK: Final = (("suite", "fix"),)

BLUEPRINTS: Final = (
    Blueprint(
        "touching-intervals",
        "lumenfold__tidespan-7",
        "lumenfold__tidespan-19",
        parsed(_ROW),
        split="train",
    ),
    Blueprint(
        "capital-units",
        "lumenfold__tidespan-12",
        "lumenfold__tidespan-19",
        parsed(_TWO_PLACES),
    ),
    Blueprint(
        "duration-first",
        "lumenfold__tidespan-19",
        "lumenfold__tidespan-12",
        parsed(_TWO_SCRIPTS),
    ),
    Blueprint(
        "last-weekday",
        "lumenfold__tidespan-23",
        "lumenfold__tidespan-7",
        parsed(_LOOP),
        _BACK,
    ),
    Blueprint(
        "offset-sums",
        "northquay__quantling-9",
        "northquay__quantling-18",
        parsed(_WITNESS),
    ),
    Blueprint(
        "pure-numbers",
        "northquay__quantling-14",
        "northquay__quantling-21",
        parsed(_TWO_PLACES),
        _BACK,
    ),
    Blueprint(
        "compact-steps",
        "northquay__quantling-21",
        "northquay__quantling-14",
        parsed(_LOOP),
        _BACK,
        split="development",
    ),
    Blueprint(
        "shortened-cells",
        "ossiry__gridscribe-16",
        "ossiry__gridscribe-25",
        parsed(_SHORT),
        split="development",
    ),
    Blueprint(
        "markdown-rules",
        "ossiry__gridscribe-25",
        "ossiry__gridscribe-16",
        parsed(_WITNESS),
        _BACK,
    ),
    Blueprint(
        "unknown-operators",
        "brackenhill__pinsolve-8",
        "brackenhill__pinsolve-13",
        parsed(_TWO_SCRIPTS),
    ),
    Blueprint(
        "caret-bounds",
        "brackenhill__pinsolve-13",
        "brackenhill__pinsolve-26",
        parsed(_TWO_PLACES),
    ),
    Blueprint(
        "order-of-dependencies",
        "brackenhill__pinsolve-24",
        "brackenhill__pinsolve-17",
        parsed(_ROW),
        _BACK,
    ),
)

"""The maintainer's stream: who she is, what she wants of all work, and her tasks in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_comem.office.embedded.maintainer.chatter import CHATTER
from pytest_comem.office.embedded.maintainer.common import FERRYBOX, LOADLINE, QUILLSPAN
from pytest_comem.office.embedded.maintainer.tasks_ferrybox import LAST_BATCH, QUOTING
from pytest_comem.office.embedded.maintainer.tasks_ferrybox_releases import (
    RELEASE_APRIL,
    RELEASE_JUNE,
)
from pytest_comem.office.embedded.maintainer.tasks_general import MAILS, PYTHON_38, TALK
from pytest_comem.office.embedded.maintainer.tasks_loadline import FEBRUARY, FIRST_SUMMARY, MAY
from pytest_comem.office.embedded.maintainer.tasks_quillspan_deprecations import (
    PARSE_ALL,
    SPELL_LONG,
)
from pytest_comem.office.embedded.maintainer.tasks_quillspan_releases import FRACTIONS, RELEASE
from pytest_comem.office.embedded.maintainer.tasks_reviews import PATCH_FERRYBOX, PATCH_QUILLSPAN
from pytest_comem.streams.hidden import RootPreference, RootPreferences
from pytest_comem.streams.schema import Participant

TASKS: Final = tuple(
    replace(task, remarks=(*task.remarks, *CHATTER.get(task.id, ())))
    for task in (
        FRACTIONS,
        PATCH_FERRYBOX,
        FIRST_SUMMARY,
        LAST_BATCH,
        TALK,
        FEBRUARY,
        SPELL_LONG,
        RELEASE,
        QUOTING,
        PYTHON_38,
        RELEASE_APRIL,
        MAILS,
        MAY,
        PARSE_ALL,
        PATCH_QUILLSPAN,
        RELEASE_JUNE,
    )
)

PARTICIPANT: Final = Participant(
    participant_id="maintainer",
    name="Maren Oldfield",
    role="maintainer of three small Python packages",
    about=(
        "Maintains Quillspan (durations as people write them), Ferrybox (records in batches and as "
        "CSV) and Loadline (what the lab's two machines measure of both), mostly in the evenings."
    ),
    projects=(QUILLSPAN, FERRYBOX, LOADLINE),
    order=tuple(task.id for task in TASKS),
    license="Apache-2.0",
    source="written for pytest-comem; every name, person, company and figure is invented",
)

_ROOTS: Final = (
    (
        "quillspan-regressions",
        "Regression tests lie in tests/regressions, one an issue.",
        QUILLSPAN,
    ),
    ("ferrybox-tests", "Regression tests lie beside the module's other tests.", FERRYBOX),
    ("issue-in-docstring", "The docstring of a regression test begins with the issue.", None),
    ("callers-view", "A line of a changelog tells what a caller sees.", None),
    ("quillspan-issue", "A line of the changelog ends with its issue in brackets.", QUILLSPAN),
    ("ferrybox-changes", "A change waits in a file of its own, without its number.", FERRYBOX),
    ("quillspan-iso", "Dates are ISO dates.", QUILLSPAN),
    ("ferrybox-words", "Dates are in words, until May 2025.", FERRYBOX),
    ("iso-everywhere", "From May 2025 on, dates are ISO dates in every project.", None),
    ("announcement-names", "Announcements are named by day and package.", None),
    ("what-changes", "An announcement has the part 'What changes for you'.", None),
    ("quillspan-contact", "Announcements send questions to a mailbox of its own.", QUILLSPAN),
    ("ferrybox-list", "Announcements send questions to the users' list, until May 2025.", FERRYBOX),
    ("ferrybox-help", "From May 2025 on, announcements send questions to a mailbox.", FERRYBOX),
    ("stacklevel", "A warning points at the caller's own line.", None),
    ("bench-names", "Monthly summaries are named by their month.", LOADLINE),
    ("bench-thousands", "Milliseconds have a comma for thousands and one decimal.", LOADLINE),
    ("bench-table", "The table shows how many runs there were, and the slowest.", LOADLINE),
    ("bench-lab-2", "A summary says where was measured: in lab 2, until May 2025.", LOADLINE),
    ("bench-lab-5", "A summary says where was measured: in lab 5, from May 2025 on.", LOADLINE),
    ("owner-line", "What others are to act on ends with a line that names the owner.", None),
    ("plan-table", "The steps of a plan are a table with Step and By.", None),
    ("plan-risks", "A plan says what can go wrong.", None),
    ("review-names", "Reviews are named by day and package.", None),
    ("review-verdict", "A review gives its verdict in a line of its own.", None),
    ("review-parts", "A review parts what must be fixed from what could be better.", None),
    ("review-places", "The points of a review give file and line.", None),
)
PREFERENCES: Final = RootPreferences(
    preferences=tuple(
        RootPreference(preference_id=name, text=text, project=project)
        for name, text, project in _ROOTS
    )
)

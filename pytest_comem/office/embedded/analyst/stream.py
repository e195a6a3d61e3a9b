"""The analyst's stream: who she is, and her tasks in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_comem.office.embedded.analyst.chatter import CHATTER
from pytest_comem.office.embedded.analyst.habits import ATLAS, BEACON, HARBOUR, PREFERENCES
from pytest_comem.office.embedded.analyst.harbour_review import A09
from pytest_comem.office.embedded.analyst.harbour_script import A07
from pytest_comem.office.embedded.analyst.tasks_atlas import A02, A05, A08, A10, A14
from pytest_comem.office.embedded.analyst.tasks_beacon import A06
from pytest_comem.office.embedded.analyst.tasks_beacon_voices import A13
from pytest_comem.office.embedded.analyst.tasks_general import A03, A11, A16
from pytest_comem.office.embedded.analyst.tasks_harbour import A01, A04, A12, A15
from pytest_comem.streams.schema import Participant

__all__ = ["PARTICIPANT", "PREFERENCES", "TASKS"]

TASKS: Final = tuple(
    replace(spec, remarks=(*spec.remarks, *CHATTER[spec.id]))
    for spec in (
        *(A01, A02, A03, A04, A05, A06, A07, A08),
        *(A09, A10, A11, A12, A13, A14, A15, A16),
    )
)
PARTICIPANT: Final = Participant(
    participant_id="analyst",
    name="Mira Lindqvist",
    role="customer-data analyst",
    about="Reports on customers of Larkspur, an invented company that sends household goods by "
    "subscription: churn for Retention (Harbour), revenue for finance (Atlas), and what customers "
    "say for product (Beacon).",
    projects=(HARBOUR, ATLAS, BEACON),
    order=tuple(spec.id for spec in TASKS),
    license="Apache-2.0",
    source="written for pytest-comem; people, company and figures are invented",
)

"""Drafted rubrics, and the habits in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_comem.histories.drafting import Draft
from pytest_comem.histories.habits import Habits
from pytest_comem.histories.items import Habit, habits_in
from pytest_comem.histories.patterns import literal, pattern_of
from pytest_comem.histories.rubrics import mutated, rubric_of
from pytest_comem.histories.work import Work
from pytest_comem.office.workbench import DirectoryBench  # type: ignore[attr-defined]

"""The blueprints of the shipped families, in order."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.tools.families.blueprints import (
    billing,
    ceiling,
    changelog,
    payroll,
    port_windows,
    quarter_close,
    reconcile,
    reorder,
    sheet_chain,
    terms_script,
    three_sources,
    triage,
    visit_slots,
)

BLUEPRINTS: Final = tuple(
    module.BLUEPRINT
    for module in (
        reorder,
        three_sources,
        terms_script,
        reconcile,
        ceiling,
        payroll,
        billing,
        sheet_chain,
        changelog,
        triage,
        visit_slots,
        port_windows,
        quarter_close,
    )
)

"""What passages offer for each kind of slot."""

from __future__ import annotations

import pytest
from made_plans import candidates, offered, read, slot, task

from pytest_comem.office.slots.file_names import file_names
from pytest_comem.office.slots.periods import moved, period_of
from pytest_comem.streams.plans import SlotKind
from pytest_comem.streams.traces import changed, renamed, said_of

H, N = "[2025-02-03, Harbour]", "[2025-02-03, North Light]"
DATE, NUMBER = slot(SlotKind.DATE_STYLE, "iso"), slot(SlotKind.NUMBER_STYLE, "1234.5")


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (f"{H} assistant: wrote reports/2025-01-31.md:\nAs of 31/01/2025", "slash"),
        (f"{H} Ada: " + changed("a.md", "2025-01-31", "31 January 2025"), "long"),
        (f'{H} assistant: edited a.md: replaced "2025-01-31" with "31.01.2025"', "dotted"),
        (f"{H} Ada: From now on dates as 31.01.2025, please, instead of 2025-01-31.", "dotted"),
        (f"{H} Ada: Please write dates like 2025-03-01, not 01/03/2025.", "iso"),
        ("User prefers ISO dates like 2025-03-01", "iso"),
        ("The user wants ISO 8601 dates everywhere.", "iso"),
        ("Dates in reports should be DD/MM/YYYY.", "slash"),
        ("Ada always uses MM/DD/YYYY in letters", "us"),
        ("Ada switched from DD/MM/YYYY to YYYY-MM-DD in May.", "iso"),
        ("Prefers dates written out (31 January 2025) over 2025-01-31 and 31 March 2025", "long"),
        (
            f"{H} Ada: We met on 01/02/2025 and 03/02/2025. Always write dates as 1 March 2025.",
            "long",
        ),
        (f"{H} assistant: wrote a.md:\n12/02/2025 and 25/02/2025", "slash"),
    ],
)
def test_date_styles_are_learned(text: str, style: str) -> None:
    """What is shown or stated, in people's and memories' words, is taken."""
    assert offered(DATE, text) == [style]


@pytest.mark.parametrize(
    "text",
    [
        f"{H} assistant: wrote reports/2025-01-31.md:\n# Churn",
        f"{H} Ada: Prepare the churn report for January",
        f"{H} result: 31/01/2025 | 12",
        f"{H} assistant: queried a.csv: SELECT day FROM a WHERE day > '2025-01-31'",
        f"{H} assistant: ran: echo 31.01.2025",
        "Do not write 31/01/2025.",
        "Uses ISO country codes",
    ],
)
def test_what_shows_no_date_style_teaches_none(text: str) -> None:
    """Headers, paths, queries and what tools returned are no evidence of a habit."""
    assert offered(DATE, text) == []


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (f"{H} assistant: wrote a.md:\nLost: 1,966.0\nRate: 2.1 %\nCustomers: 1,204", "1,234.5"),
        (f"{H} Ada: Thousands take a comma and there is one decimal, such as 1,966.0.", "1,234.5"),
        (f"{H} Ada: amounts in letters are written EUR 3,400.00:\nSigned: Ada", "1,234.50"),
        (f"{H} Ada: " + changed("a.md", "1234.5", "1 234,50"), "1 234,50"),
        ("User prefers whole numbers with a comma, e.g. 12,346 rather than 12345.6", "1,235"),
        ("Numbers like 1234.5 please, no separators", "1234.5"),
        (f"{H} assistant: wrote a.csv:\nsite,amount\nnorth,1234.56\nsouth,99.1", "1234.5"),
        ("Amounts as 1.234,50 Euro, never 1,234.50", "1.234,50"),
    ],
)
def test_number_styles_are_learned(text: str, style: str) -> None:
    """Marks and decimals of the numbers shown are taken; clear ones decide."""
    assert offered(NUMBER, text) == [style]


def test_small_numbers_and_years_teach_no_style() -> None:
    """A passage without a telling number offers nothing."""
    assert offered(NUMBER, f"{H} Ada: 12 of 99 in 2025, see version 2.1, always 3.5") == []


NAME = slot(SlotKind.FILE_NAME, "reports/churn.md", period="2025-03", words=("churn",))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"{H} assistant: wrote reports/2025-01-churn.md:\n# Churn", "reports/2025-03-churn.md"),
        (f"{H} Ada: " + renamed("reports/c.md", "out/churn_202501.md"), "out/churn_202503.md"),
        (f"{N} assistant: wrote x/north-light-churn.md:\nA", "x/harbour-churn.md"),
        (f"{N} assistant: wrote NorthLight/churn-Q1-2025.md:\nA", "Harbour/churn-03-2025.md"),
        ("Ada keeps reports as `churn-jan-2025.md`", "reports/churn-mar-2025.md"),
        (
            "The January churn report was saved as reports/churn_2025-01-31.md.",
            "reports/churn_2025-03-31.md",
        ),
        (f"{H} assistant: wrote churn.md:\nA\n", "churn.md"),
    ],
)
def test_file_names_are_made_over(text: str, path: str) -> None:
    """Period and project of a past file become this task's, in the same form."""
    assert offered(NAME, text) == [path]


@pytest.mark.parametrize(
    "text",
    [
        f"{H} assistant: wrote reports/2025-01-revenue.md:\nchurn",
        f"{H} assistant: read reports/2025-01-churn.md",
        f"{H} assistant: wrote reports/churn.xlsx:\nA",
        f"{H} assistant: wrote /etc/churn.md:\nA",
        f"{H} assistant: wrote ../churn.md:\nA",
        "Prepared the churn report for January",
    ],
)
def test_other_files_are_no_names(text: str) -> None:
    """Files of another subject or kind, only read, or outside the workspace teach nothing."""
    assert offered(NAME, text) == []


def test_the_old_name_of_a_file_is_not_taken() -> None:
    """Of a renaming the new name counts."""
    (one,) = read(f"{H} Ada: " + renamed("churn-2025-01.md", "2025-01-churn.md"))
    assert list(file_names(NAME, task(), one)) == ["2025-03-churn.md"]


@pytest.mark.parametrize(
    ("path", "period", "made"),
    [
        ("2025-01-x.md", "2025-03", "2025-03-x.md"),
        ("2025_01_31.md", "2025-02", "2025_02_28.md"),
        ("2025-01-01.md", "2025-Q3", "2025-07-01.md"),
        ("20250131.md", "2025-03-30", "20250330.md"),
        ("2025-Q1/x-q1-2025.md", "2025-Q3", "2025-Q3/x-q3-2025.md"),
        ("JAN-2025.md", "2025-05", "MAY-2025.md"),
        ("January_2025.md", "2025-05", "May_2025.md"),
        ("2025-w05.md", "2025-W09", "2025-w09.md"),
        ("day-2025-02-05.md", "2025-w09", "day-2025-02-26.md"),
        ("2025/01/x.md", "2025-07", "2025/07/x.md"),
        ("grammar-2025.md", "2026-01", "grammar-2026.md"),
        ("2025-market.md", "2026", "2026-market.md"),
        ("2025-w01.md", "2024-12-30", "2025-w01.md"),
        ("v2.md", "2025-01", "v2.md"),
    ],
)
def test_periods_move_in_their_form(path: str, period: str, made: str) -> None:
    """Whatever form a past period has, this task's is written in it."""
    assert moved(path, period) == made


@pytest.mark.parametrize(
    ("path", "period", "made"),
    [
        ("2025-01-atlas.md", "2025-Q1", "2025-Q1-atlas.md"),
        ("2025-Q1-atlas.md", "2025-05", "2025-05-atlas.md"),
        ("jan-2025.md", "2025-Q2", "Q2-2025.md"),
        ("2025_w05.md", "2025-03", "2025_03.md"),
        ("2025/2025-Q1/2025-01-x.md", "2026-05", "2026/2026-Q2/2026-05-x.md"),
        ("2025-01-15.md", "2025-03", "2025-03.md"),
    ],
)
def test_a_period_of_another_length_takes_its_place(path: str, period: str, made: str) -> None:
    """The file's own period gives way to one of another length; its folders keep their forms."""
    assert moved(path, period) == made


def test_what_is_no_period_is_none() -> None:
    """Weeks and days on no calendar, and words, are no periods and replace nothing."""
    assert period_of("2025-w60") is None
    assert period_of("soon") is None
    assert moved("2025-01.md", "soon") == "2025-01.md"


COLUMNS = slot(SlotKind.COLUMNS, "region|amount|margin|note")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (
            f"{H} assistant: "
            + said_of(
                "write_sheet",
                {"path": "a.xlsx", "sheet": "S", "rows": [["Region", "Margin"], ["n", 1]]},
            ),
            "Region|Margin",
        ),
        (f"{H} assistant: wrote a.csv:\nregion;margin;owner\nn;1;ada", "region|margin|owner"),
        (f"{H} assistant: wrote a.md:\n| Amount | Region |\n|---|---|\n| 1 | n |", "Amount|Region"),
        (f"{H} Ada: " + changed("a.csv", "region,amount", "amount,region"), "amount|region"),
        ("Columns in this order: Margin, Amount and Region.", "Margin|Amount|Region"),
    ],
)
def test_columns_are_learned_from_headers(text: str, columns: str) -> None:
    """Header rows of sheets, CSV files and tables, and lists of columns, are taken whole."""
    assert offered(COLUMNS, text) == [columns]


def test_rows_that_name_no_columns_are_no_headers() -> None:
    """Data, and headers of other tables, offer nothing."""
    assert offered(COLUMNS, f"{H} assistant: wrote a.csv:\nname,age,region\nada,9,n") == []


LINE = slot(SlotKind.LINE, "us", lead="Prepared by:")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (f"{H} assistant: wrote a.md:\n# A\nPrepared by: Ada, Figures\nB", "Ada, Figures"),
        (f"{H} Ada: " + changed("a.md", "Prepared by: x", "Prepared by: y"), "y"),
        (f"{H} Ada: " + changed("a.md", "z", "A\nPrepared by: y"), "y"),
        ("Reports end with 'Prepared by: Customer Insights', says Ada", "Customer Insights"),
        (f"{H} Ada: papers end like this:\nPrepared by: Office", "Office"),
        ("**Prepared  by:** Ada", "Ada"),
    ],
)
def test_lines_are_learned(text: str, value: str) -> None:
    """What follows the lead, up to the line's or the quote's end, is taken."""
    assert offered(LINE, text) == [value]


def test_a_lead_without_anything_behind_it_teaches_nothing() -> None:
    """An empty or endless line is no value."""
    assert offered(LINE, "Prepared by:", "Prepared by: " + "x" * 300, "not Prepared by") == []


CHOICE = slot(
    SlotKind.CHOICE,
    "bullets",
    options={
        "bullets": ("bullet points",),
        "table": ("a table", "| Who |"),
        "pivot": ("a table of sums",),
    },
)


def test_the_last_sign_of_a_passage_wins() -> None:
    """Of several options in one passage the one shown last is taken, whatever case and blanks."""
    assert offered(CHOICE, "Bullet  points, then A\ntable") == ["table"]
    assert offered(CHOICE, "a table, then bullet points") == ["bullets"]
    assert offered(CHOICE, "nothing") == []


def test_a_sign_inside_a_longer_one_does_not_count() -> None:
    """A longer sign of another option hides the shorter one in it."""
    assert offered(CHOICE, "make a table of sums") == ["pivot"]


def test_the_sign_that_was_replaced_does_not_count() -> None:
    """What a participant changed away is no evidence of the old way."""
    assert offered(CHOICE, f"{H} Ada: " + changed("a.md", "| Who |", "bullet points")) == [
        "bullets"
    ]


def test_stale_and_foreign_passages_mislead_alone() -> None:
    """The newest of the own project is taken; an older or foreign one where there is no other."""
    new = "[2025-02-10, Harbour] Ada: dates as 31.01.2025"
    old = "[2025-01-10, Harbour] Ada: dates as 31/01/2025"
    foreign = "[2025-02-20, North Light] Ada: dates as 31 January 2025"
    assert offered(DATE, foreign, old, new) == ["dotted", "slash", "long"]
    assert offered(DATE, foreign, old) == ["slash", "long"]
    assert offered(DATE, foreign) == ["long"]
    assert [one.passage for one in candidates(DATE, foreign, old, new)] == [2, 1, 0]


def test_words_keep_other_passages_out() -> None:
    """A slot about something takes passages that speak of it alone."""
    about = slot(SlotKind.DATE_STYLE, "iso", about=("letters",))
    texts = ("Dates as 31.01.2025", "Dates in letters as 31/01/2025")
    assert offered(about, *texts) == ["slash"]

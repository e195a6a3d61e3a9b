"""What else is said in the analyst's sessions: words that recur and bear on nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: By task; none of it is a habit.
CHATTER: Final[Mapping[str, tuple[str, ...]]] = {
    "a01": (
        "Do you remember the churn report that we bought from an agency two years ago? Forty "
        "pages, and the only table in it was upside down. I keep it in my drawer for bad days.",
        "Facilities asks who keeps the keys of the old depot. Not us; the accounts of the depot "
        "are with logistics, and so are its keys.",
    ),
    "a02": (
        "Henrik says the ledger of 2023 is still open in somebody's Excel on the shared drive. "
        "Whoever it is has been on leave since autumn, so let it be.",
        "The net in the yard, for the children's goal, is torn. This has nothing to do with "
        "revenue, but finance has a budget for it, imagine.",
    ),
    "a03": (
        "Jonas plans to sit with me on Mondays. He is quick with sheets and slow with people, "
        "which is the better way round in this house.",
        "The plan for the summer party hangs in the kitchen, if you want to see what a plan "
        "without owners looks like.",
    ),
    "a04": (
        "Somebody from the press called about churn in our trade. I sent them on to Ines; numbers "
        "of ours leave the house through her or not at all.",
        "My own account was among the late boxes, by the way. I did not open a ticket.",
    ),
    "a05": (
        "Petra asked whether the workbook could be read on her phone. It can, if she turns it.",
        "Treasury has a new colleague who signs mails with a picture of a ledger. We shall get on.",
    ),
    "a06": (
        "Yusuf showed me the kitchen screen on which the score is going to be. It is next to the "
        "menu, so on Thursdays people will compare us with lentils.",
        "Product has its own idea of what a customer is: whoever opened the app once. For the "
        "survey that is harmless, for churn it would not be.",
    ),
    "a07": (
        "The old script was written in an afternoon when the warehouse was still one sheet. It "
        "has outlived two dashboards and a head of department.",
        "Rosa wonders whether our tools could live on her machine instead of mine. In autumn, "
        "maybe, when the warehouse has moved as well.",
    ),
    "a08": (
        "Petra's cake had a formula on it, in icing. Nobody dared to cut through the equals sign.",
        "Henrik will bring the plan of last year to the next meeting, the signed copy, because "
        "nobody believes him that it had a page three.",
    ),
    "a09": (
        "When I began here my first report was reviewed by three people, and each of them changed "
        "the same comma, there and back. Jonas has it better.",
        "The test kitchen wants to know whether their accounts may stay free of charge. That is "
        "for Ines to say.",
    ),
    "a10": (
        "There was a mistake in the bank's letter, they had the quarter as a third. Treasury has "
        "framed it.",
        "Petra says that in her first job closings were done on paper, with a red pencil for "
        "reports and a blue one for the plan.",
    ),
    "a11": (
        "Ruth, the new head, came by and asked what I would stop doing if I could. I said "
        "slides. She laughed, and sent me to the conference.",
        "The team's calendar has a new colour for audits. It is the colour of the old tickets.",
    ),
    "a12": (
        "Noor has asked for a column with names of customers. She cannot have it; what Retention "
        "sees of accounts is counted, never named.",
        "April's weather is in every report that I read this week except ours.",
    ),
    "a13": (
        "Frida of the interviews has sent a postcard to the office: the boxes of the others are "
        "late, too. It hangs in the kitchen now.",
        "Yusuf's team calls the file of answers the mine. Whatever helps.",
    ),
    "a14": (
        "Henrik's trainee thought that a closing was when we lock the doors. He was closer than "
        "he knew.",
        "The books of the first quarter are with the auditors. They had one question, and it was "
        "about the cake.",
    ),
    "a15": (
        "While I am away Jonas has the reports. He knows where everything is, and what he does "
        "not know he asks you.",
        "Tomas wants a half-year in one picture. I told him that a picture of churn is a line "
        "that goes down, whatever you do.",
    ),
    "a16": (
        "The old machine gets a place in the lobby, Rosa says, with a plate. It has counted more "
        "customers than any of us.",
    ),
}

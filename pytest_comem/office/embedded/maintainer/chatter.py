"""What else is said in the maintainer's sessions: much the same words, and no help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: What she says at the end of a task's session, by the task.
CHATTER: Final[Mapping[str, tuple[str, ...]]] = {
    "m01-fractions": (
        "Jorund wants to send a loaf as an apology for the tone of the issue. I wrote back that a "
        "crust is a fair test case. He also asked whether durations could be negative, for bread "
        "that is eaten before it is baked; I do not think that this is an issue.",
    ),
    "m02-review-ferrybox": (
        "While I think of it: somebody has offered to review the whole documentation of Ferrybox, "
        "for money. I declined. The reviews I learn from are those of people who use it on a quay "
        "with cold hands.",
    ),
    "m03-bench-january": (
        "Pim's machines are named after birds because his daughter drew the labels. A third one, "
        "the curlew, is promised for years. The university pays the electricity and asks every "
        "spring what all the benchmarks are for; I send them a table and they are content.",
        "If somebody asks for the numbers of last autumn, they are gone. The disk was part of the "
        "heating problem.",
    ),
    "m04-last-batch": (
        "Two people wrote that batches should be tuples instead of lists. It would break everybody "
        "who appends to one. I said that a release with such a change needs a better reason than "
        "taste, and a number that begins with something else than a nought.",
    ),
    "m05-talk": (
        "The meeting is in the old customs house, where the projector hangs from a crane. Slides "
        "with small print are a mistake there. I will show three changelogs: one nobody reads, one "
        "that only lists commits, and one from a bakery's web page that is better than ours.",
        "They also look for someone for a round on deprecation and trust. I said yes before I had "
        "read the title to its end.",
    ),
    "m06-bench-february": (
        "The report for the university wants the mean of the year in minutes, which is not a thing "
        "anybody can compare. I let Pim answer, he is politer.",
    ),
    "m07-spell-long": (
        "Somebody will complain about the warning, somebody always does. The last time it was a "
        "person whose log had four million of them, since the call sat in a loop in a loop. We "
        "sent each other photographs of our screens and then of our dogs.",
    ),
    "m08-quillspan-1-4": (
        "A newspaper for harbour masters has printed our announcement word for word, with a "
        "drawing of a quill. I did not know that there was such a newspaper.",
    ),
    "m09-quoting": (
        "Harbourlog found this because a pier has an official name with a comma in it. There is a "
        "committee now that looks at the names of piers. I have promised to send it nothing.",
    ),
    "m10-python-3-8": (
        "The buoys of Tidewatch are brought in by the same ferry that Odile runs in winter. She "
        "says that if the plan needs a date for weather she can offer several, none of them good.",
    ),
    "m11-ferrybox-0-9": (
        "Somebody asked for a release every month. I said that a release is an answer, and that "
        "not every month has a question. Then I was ashamed of the phrase and sent the roadmap.",
    ),
    "m12-mails": (
        "There is a fifth mail, from a student who wants to write a thesis on how people word "
        "deprecations. I have sent her the changelogs of eleven packages and a warning that half "
        "of them were written after midnight, two of ours among these.",
        "And a sixth: the bakery has copied the headings of our release notes. I have nothing "
        "against it, but the line on supported versions makes no sense for rye.",
    ),
    "m13-bench-may": (
        "It is strange to see both machines agree. Pim has taken the old part home and put it on "
        "the shelf beside the labels, where it goes on being slow.",
    ),
    "m14-parse-all": (
        "Dunegrass wrote that they had removed the call before we answered. That is the quickest "
        "migration we ever had, and nobody needed the warning.",
    ),
    "m15-review-quillspan": (
        "Bram asked whether reviews here are always so long. I told him that a short review means "
        "that I have not read it, and a long one that I would like to have it.",
    ),
}

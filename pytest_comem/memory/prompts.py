"""What our own memory systems say to a model; the wording is this project's.

Each prompt's first line names its task: the scripted model recognizes it by that line. What the
task is about follows as one JSON object in a message of its own.
"""

from __future__ import annotations

from typing import Final

MEMORYBANK_DAY: Final = """\
pytest-comem memorybank: a day
You keep the diary of a group. Below is one day of its conversation: the date, and the turns in
order, each with the speaker's id and role.
Sum up the day's events in a few sentences: who did, decided or said what, with the names, numbers
and dates that matter. Then say for each speaker, in one or two sentences, what the day shows of
that person's character, mood or preferences; leave out speakers of whom it shows nothing.
Reply with one JSON object and nothing else:
{"summary": "...", "insights": {"<speaker id>": "..."}}"""

MEMORYBANK_OVERALL: Final = """\
pytest-comem memorybank: overall
You keep the diary of a group. Below are its summaries of days, in order, and for each person what
single days showed of them.
Sum up everything in one short paragraph that keeps the most important events. Then draw a portrait
of each person in one or two sentences.
Reply with one JSON object and nothing else:
{"summary": "...", "portraits": {"<speaker id>": "..."}}"""

REMEM_EXTRACT: Final = """\
pytest-comem remem: extract
Below is one turn of a conversation: when it was said, by whom, and its text.
Write down what is worth remembering of it in two forms. Gists: short sentences that can be
understood alone, with names instead of pronouns and dates instead of "tomorrow". Facts: subject,
predicate and object, each a few words, and a qualifier that says when or under which condition the
fact holds ("" if always). A turn that says nothing has none of either.
Reply with one JSON object and nothing else:
{"gists": ["..."], "facts": [{"subject": "...", "predicate": "...", "object": "...",
"qualifier": "..."}]}"""

REMEM_TOOL: Final = """\
pytest-comem remem: next step
You look for what a memory of conversations holds on a question. Below are the question, the steps
so far with what each found, and how many steps are left. Choose the next step:
- semantic_retrieve: gists, facts and entities near in meaning to the argument, a text of your own
  ("" for the question itself);
- lexical_retrieve: what shares words with the argument, likewise;
- find_gist_contexts: what is linked to a gist; the argument is the id of a gist found;
- find_entity_contexts: what is linked to an entity; the argument is the id of an entity found;
- answer: nothing more is needed.
Reply with one JSON object and nothing else:
{"tool": "...", "argument": "..."}"""

PLUGMEM_STRUCTURE: Final = """\
pytest-comem plugmem: structure
Below is a stretch of conversation: numbered turns, each with its speaker and text.
Take out two kinds of knowledge. Facts: statements that can be understood alone, each with the
number of the turn it stands in and one to five tags, the names and topics it is about. Procedures:
ways of doing something, each with the goal it serves, the steps in one text, and the numbers of the
turns it stands in.
Reply with one JSON object and nothing else:
{"facts": [{"turn": 0, "text": "...", "tags": ["..."]}],
"procedures": [{"turns": [0], "subgoal": "...", "text": "..."}]}"""

PLUGMEM_PLAN: Final = """\
pytest-comem plugmem: plan
Below is a question to a memory of conversations. Say which kind of memory answers it: semantic
(facts), episodic (what was said in which situation) or procedural (how something is done). Give one
to five tags, the names and topics it is about, and the goal that the one who asks pursues.
Reply with one JSON object and nothing else:
{"mode": "semantic", "tags": ["..."], "subgoal": "..."}"""

PLUGMEM_MERGE: Final = """\
pytest-comem plugmem: merge
Below are numbered pairs of remembered facts that may be about the same thing, the earlier and the
later one of each. For each pair that should become one fact, write that fact, and say which of the
two is no longer needed or no longer true. Leave out pairs that should stay as they are.
Reply with one JSON object and nothing else:
{"merges": [{"pair": 0, "text": "...", "deactivate_earlier": true, "deactivate_later": true}]}"""

"""Every option in one table: flag, ini key, default and help.

This module is imported at every pytest start, so it imports nothing heavy.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final


@final
class Option(NamedTuple):
    """One option.

    :param flag: on the command line.
    :param metavar: what it takes.
    :param default: its value as text.
    :param help: one sentence.
    :param variable: environment variable that stands in where neither flag nor ini key is given.
    :param repeated: it may be given several times; the ini key holds one a line, and what the
        command line says comes after that.
    :param values: words it takes; an option that takes none is on or off.
    """

    flag: str
    metavar: str
    default: str
    help: str
    variable: str | None = None
    repeated: bool = False
    values: int = 1

    @property
    def name(self) -> str:
        """The ini key, which is also the attribute of pytest's options."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def usage(self) -> str:
        """The flag with what it takes."""
        return f"{self.flag} {self.metavar}".rstrip()


OPTIONS: Final = (
    Option(
        "--memory-system",
        "NAMES",
        "",
        "Memory systems to evaluate, comma-separated: names, a class path module:Class, or a "
        "program as cmd:PROGRAM ARGS or NAME=cmd:PROGRAM ARGS.",
    ),
    Option(
        "--comem-data",
        "DIR",
        "",
        "Directory of the full benchmark data; the embedded mini data set when not given.",
        variable="COMEM_DATA",
    ),
    Option(
        "--comem-model",
        "NAMES",
        "offline",
        "Who answers: offline, offline-verbatim, smollm2, or LiteLLM models as provider/model; "
        "several, comma-separated, are compared.",
    ),
    Option(
        "--comem-judge",
        "NAME",
        "rules",
        "Who judges: rules (deterministic), or a LiteLLM model.",
    ),
    Option(
        "--comem-api-base",
        "URL",
        "",
        "Base URL of the answering models, such as an OpenAI-compatible server of your own.",
    ),
    Option("--comem-judge-api-base", "URL", "", "Base URL of the judge's model."),
    Option(
        "--comem-temperature",
        "X",
        "0",
        "Temperature of the answering models; 'default' sends none.",
    ),
    Option("--comem-max-output-tokens", "N", "1024", "Tokens of one reply, at most."),
    Option(
        "--comem-reasoning-effort",
        "LEVEL",
        "",
        "How much the answering models think, such as low; not sent when not given.",
    ),
    Option(
        "--comem-model-option",
        "KEY=VALUE",
        "",
        "Sent with every call of the answering models; may be given several times.",
        repeated=True,
    ),
    Option(
        "--comem-structured",
        "FORM",
        "auto",
        "How replies are held to their form: schema, object, text, or auto, the best there is.",
    ),
    Option("--comem-timeout", "SECONDS", "120", "Seconds one attempt of a model call may take."),
    Option("--comem-max-retries", "N", "6", "Attempts of a model call after the first, at most."),
    Option(
        "--comem-model-concurrency",
        "N",
        "64",
        "Model calls in flight to one provider, at most; it starts at 16 and adapts.",
    ),
    Option("--comem-max-cost", "DOLLARS", "", "End the run when its calls have cost this much."),
    Option("--comem-max-tokens", "N", "", "End the run when its calls have taken so many tokens."),
    Option(
        "--comem-cassette",
        "MODE DIR",
        "off",
        "Recorded model calls: record, replay (no network), auto (replay, record what is missing).",
        values=2,
    ),
    Option(
        "--comem-repeats",
        "N",
        "1",
        "Play every step N times, with another seed each time.",
    ),
    Option(
        "--memory-option",
        "SYSTEM.KEY=VALUE",
        "",
        "A setting of one memory system; may be given several times.",
        repeated=True,
    ),
    Option(
        "--comem-deviations",
        "FILES",
        "",
        "Files of contract promises that a system is known to break, besides our own.",
    ),
    Option(
        "--comem-top-k",
        "N",
        "20",
        "Items a memory system may hand over for one query; several, comma-separated, are swept. "
        "CoMemBench's nodes get 3 where none is given.",
    ),
    Option(
        "--comem-embedder",
        "NAME",
        "hash",
        "Embedder of every memory system: hash, minilm, or a LiteLLM model as provider/model.",
    ),
    Option(
        "--comem-memory-model",
        "NAME",
        "scripted",
        "Model that memory systems call: scripted (local, deterministic), a LiteLLM model, or one "
        "at the API base.",
    ),
    Option(
        "--comem-memory-api-base",
        "URL",
        "",
        "OpenAI-compatible base URL for the memory systems' model; key in OPENAI_API_KEY.",
    ),
    Option(
        "--comem-synthetic",
        "N",
        "",
        "Play N fresh synthetic GateMem episodes a domain, made from --comem-seed, not data.",
    ),
    Option(
        "--comem-scoring",
        "MODE",
        "paper",
        "How actions count in GateMem: paper, release-ungated or release-gated.",
    ),
    Option(
        "--comem-handoff",
        "MODE",
        "declared",
        "Who delivers a CoMemBench node's inputs: declared (the harness), or memory (it alone).",
    ),
    Option(
        "--comem-sandbox",
        "KIND",
        "auto",
        "Where programs run that nobody trusts: bubblewrap, docker, none, or auto, what works.",
    ),
    Option(
        "--comem-prover",
        "NAME",
        "coq",
        "What checks CoMemBench's proofs: coq, lean, or either with its command, NAME:PROGRAM.",
    ),
    Option(
        "--comem-families",
        "DIR",
        "",
        "Directory of CoMemBench workflow families; the shipped ones when not given.",
    ),
    Option(
        "--comem-streams",
        "DIR",
        "",
        "Directory of ContextWeave streams; the shipped ones when not given.",
    ),
    Option(
        "--comem-agent",
        "NAME",
        "auto",
        "Who does ContextWeave's tasks: auto (the offline agent, or --comem-model with tools), or "
        "cmd:COMMAND, a program that is run in the sandbox.",
    ),
    Option(
        "--comem-pass-score",
        "SCORE",
        "60",
        "Workspace Score, 0 to 100, at which one of ContextWeave's tasks passes.",
    ),
    Option(
        "--comem-recall-budget",
        "TOKENS",
        "",
        "Cut what every memory system recalls to so many tokens; several, comma-separated, are "
        "swept.",
    ),
    Option(
        "--comem-executor",
        "NAME",
        "topology",
        "Who organises the work on a CoMemBench workflow: topology, or process:COMMAND.",
    ),
    Option("--comem-domains", "NAMES", "", "Only these domains of a benchmark, comma-separated."),
    Option(
        "--comem-limit",
        "N",
        "",
        "At most N episodes a domain, N workflow families, or N tasks a stream, for smoke runs.",
    ),
    Option(
        "--comem-shard",
        "I/N",
        "",
        "Play only part I of N of the episodes, such as 1/3; 'comem merge' joins the runs.",
    ),
    Option(
        "--comem-backend",
        "ADDRESS",
        "",
        "Play episodes on the Dask cluster whose scheduler is at tcp://HOST:PORT.",
    ),
    Option("--comem-concurrency", "N", "8", "Episodes played at once in one process."),
    Option(
        "--comem-step-timeout",
        "SECONDS",
        "3600",
        "Seconds a step may take, ingestion included; then its episode is abandoned.",
    ),
    Option("--comem-episode-timeout", "SECONDS", "", "Seconds a whole episode may take."),
    Option(
        "--comem-probe",
        "MODE",
        "auto",
        "Ask for what was told last at an episode's end: on, off, or auto, of external services.",
    ),
    Option(
        "--comem-run-dir",
        "DIR",
        "",
        "Where outcomes and manifest go; a new directory under .comem/runs when not given.",
    ),
    Option("--comem-html", "FILE", "", "Write the run as one HTML page to FILE when it ends."),
    Option(
        "--comem-resume",
        "DIR",
        "",
        "Go on with the run in DIR: outcomes that still hold are used again.",
    ),
    Option(
        "--comem-reference",
        "",
        "",
        "Show the papers' rows beside the run's.",
        values=0,
    ),
    Option(
        "--comem-baseline",
        "FILE",
        "",
        "Hold the run against a baseline (comem baseline), a run directory or its outcomes.jsonl.",
    ),
    Option(
        "--comem-gate",
        "RULE",
        "",
        "Let rules decide the exit status, such as 'gatemem.MGS >= 0.30'; on takes those of "
        "tool.comem.gate in pyproject.toml; may be given several times.",
        repeated=True,
    ),
    Option(
        "--comem-inconclusive",
        "AS",
        "",
        "What an inconclusive gate counts as: pass, fail, or warn, which is exit status 9 and the "
        "default.",
    ),
    Option(
        "--comem-keep-state",
        "",
        "",
        "Leave what memory systems stored in the run's directory, and say where.",
        values=0,
    ),
    Option("--comem-seed", "N", "0", "Seed of everything random; part of every outcome's key."),
)

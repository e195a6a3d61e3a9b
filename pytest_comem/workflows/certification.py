"""Whether a family may count: every check that needs no domain, and the seam for those that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, final

from pytest_comem.errors import DataError
from pytest_comem.records.canonical import texts_of
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.audit import problems_of
from pytest_comem.workflows.checks import Check, Finding, check
from pytest_comem.workflows.hidden import Oracles, PollutionPlans
from pytest_comem.workflows.hidden_files import gold_artifacts, load_oracles, load_pollution
from pytest_comem.workflows.loading import family_directories, read_family, shown_family_file
from pytest_comem.workflows.pollution import Gold, Inapplicable, Surroundings
from pytest_comem.workflows.schema import Domain, Family
from pytest_comem.workflows.twins import Twins, gold_views, twin, verify_twin
from pytest_comem.workflows.views import node_view, strings_of_view

#: Shorter texts of an oracle may stand in a view by chance.
SHORTEST_HIDDEN: Final = 12


class DomainChecks(Protocol):
    """What a domain adds: the gold run passes every node, and every negative is rejected."""

    def checks(self, directory: Path, family: Family, oracles: Oracles) -> Iterable[Check]:
        """Yield the domain's checks of one family.

        :param directory: of the family, whose public material the domain knows.
        """
        ...


@final
@dataclass(frozen=True, slots=True)
class Certificate:
    """The checks of one family.

    :param name: its id, or its directory's name where the id could not be read.
    """

    name: str
    checks: tuple[Check, ...]

    @property
    def granted(self) -> bool:
        """Whether every check was made and passed."""
        return all(one.passed for one in self.checks)


@final
@dataclass(frozen=True, slots=True)
class _Read:
    """A family with its hidden side."""

    directory: Path
    family: Family
    oracles: Oracles
    plans: PollutionPlans
    gold: Gold


def certify(root: Path, domains: Mapping[Domain, DomainChecks]) -> tuple[Certificate, ...]:
    """Return what :func:`certificates` yields."""
    return tuple(certificates(root, domains))


def certificates(root: Path, domains: Mapping[Domain, DomainChecks]) -> Iterator[Certificate]:
    """Yield the certificate of every family of a corpus, or of the one family that *root* is.

    :param domains: the domains' own checks; of others a certificate says that they are missing.
    :raises DataError: where *root* holds no family.
    """
    directories = family_directories(root)
    read = [_read(directory) for directory in directories]
    finished = [one.gold for one in read if isinstance(one, _Read)]
    foreign = [artifact for gold in finished for artifact in gold.values()]
    ids = Counter(one.family.family_id for one in read if isinstance(one, _Read))
    for directory, one in zip(directories, read, strict=True):
        if isinstance(one, _Read):
            name = one.family.family_id
            checks = _checks(one, foreign, domains)
            yield Certificate(name, (*checks, *_doubled(name, ids[name])))
        else:
            yield Certificate(directory.absolute().name, one)


def _read(directory: Path) -> _Read | tuple[Check, ...]:
    """Return a family with its hidden side, or the checks that say why it cannot be read."""
    try:
        family = read_family(directory)
    except DataError as error:
        return (_unreadable(error),)
    audit = _audit(directory, family)
    if audit.where:
        return check("schema", "family.json", ()), audit
    try:
        oracles = load_oracles(directory, family)
        plans = load_pollution(directory, family)
    except DataError as error:
        return _unreadable(error), audit
    try:
        return _Read(directory, family, oracles, plans, gold_artifacts(family, oracles))
    except ValueError as error:
        shown = f"{directory.absolute().name}/hidden/oracles.json"
        return _unreadable(DataError(str(error), file=shown)), audit


def _unreadable(error: DataError) -> Check:
    line = f":{error.line}" if error.line else ""
    field = f", field {error.field}" if error.field else ""
    return check("schema", "files", [Finding(f"{error.file}{line}{field}", error.problem)])


def _audit(directory: Path, family: Family) -> Check:
    findings = [
        Finding(
            f"{shown_family_file(directory)}, family {family.family_id}"
            f"{f', node {one.node}' if one.node else ''}, field {one.field}",
            one.text,
        )
        for one in problems_of(family)
    ]
    return check("graph", f"{len(family.nodes)} nodes, {len(family.edges)} edges", findings)


def _checks(
    read: _Read, foreign: Sequence[Artifact], domains: Mapping[Domain, DomainChecks]
) -> Iterator[Check]:
    yield check("schema", "family, oracles, pollution plans", ())
    yield _audit(read.directory, read.family)
    around = Surroundings(read.family, read.gold, read.plans.decoys, foreign)
    planned = [twin(around, plan.operator, plan.target) for plan in read.plans.plans]
    yield check("isolation pairs", f"{len(planned)} planned", _pair_findings(planned, read.gold))
    pairs = [one for one in planned if isinstance(one, Twins)]
    yield check("hidden text", "all views, of twins too", _leaks(read, pairs))
    domain = domains.get(read.family.domain)
    if domain is None:
        name = read.family.domain.value
        yield Check("domain", None, f"nothing here can judge the domain {name}")
    else:
        yield from domain.checks(read.directory, read.family, read.oracles)


def _pair_findings(planned: Sequence[Twins | Inapplicable], gold: Gold) -> Iterator[Finding]:
    if not planned:
        yield Finding("hidden/pollution.json", "no pair is planned; a family has one at least")
    for one in planned:
        if isinstance(one, Inapplicable):
            yield Finding(f"{one.operator} on {one.target}", f"does not apply: {one.reason}")
        else:
            pollution = one.polluted.pollution
            where = f"{pollution.operator} on {pollution.target}" if pollution else "twin"
            for problem in verify_twin(one.clean, one.polluted, gold):
                yield Finding(where, problem)


def _leaks(read: _Read, pairs: Sequence[Twins]) -> Iterator[Finding]:
    """Yield where a view holds a text that only an oracle has.

    What a worker sees before anything was handed over may hold no text of any oracle; artifacts
    that come in are gold by right, and may hold no secret and nothing that only negatives have.
    """
    before = {
        node.node_id: list(strings_of_view(node_view(read.family, node.node_id)))
        for node in read.family.nodes
    }
    handed = _shown(read, None)
    polluted = [_shown(read, pair) for pair in pairs]
    for oracle in read.oracles.oracles:
        gold = _long(texts_of(oracle.gold))
        wrong = _long(text for each in oracle.negatives for text in texts_of(each.content)) - gold
        secret = _long(texts_of(oracle.secret))
        public = set(oracle.may_appear)
        yield from _found(before, gold | wrong | secret, public, oracle.node_id)
        yield from _found(handed, wrong | secret, public, oracle.node_id)
        for shown in polluted:
            yield from _found(shown, secret, public, oracle.node_id)


def _long(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if len(text) >= SHORTEST_HIDDEN}


def _shown(read: _Read, pair: Twins | None) -> dict[str, list[str]]:
    pollution = pair.polluted.pollution if pair else None
    views = gold_views(read.family, read.gold, pollution)
    return {
        node_id: [
            text
            for incoming in view.incoming_artifacts
            for text in texts_of(incoming.model_dump(mode="json"))
        ]
        for node_id, view in views.items()
    }


def _found(
    views: Mapping[str, Sequence[str]], hidden: set[str], public: set[str], owner: str
) -> Iterator[Finding]:
    for node_id, texts in views.items():
        for secret in sorted(hidden - public):
            if any(secret in text for text in texts):
                shown = secret if len(secret) <= 60 else f"{secret[:60]}..."
                yield Finding(f"view of {node_id}", f"shows {shown!r}, hidden with {owner}")


def _doubled(name: str, families: int) -> Iterator[Check]:
    if families > 1:
        yield check("id", "of the corpus", [Finding(name, "two families have this id")])

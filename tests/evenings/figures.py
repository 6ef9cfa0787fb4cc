"""The figures that are counted over many evenings, and a table of them with their goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Failure:
    """Something that went wrong: the figure that counts it, what happened, and how to replay it."""

    figure: str
    game: str
    seed: str
    step: int
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.figure}: {self.kind}: {self.detail}  [--replay {self.game}:{self.seed}, step {self.step}]"


@dataclass
class Figures:
    """The counts of one or more evenings. `slips` counts by kind of slip and figure: "slips", "visible", "reported",
    "obeyed", "restored"."""

    counts: Counter[str] = field(default_factory=Counter)
    slips: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """For each reported slip, how long the table had been at rest when it was reported, in seconds; only where time is
    real."""

    def add(self, other: Figures) -> None:
        self.counts.update(other.counts)
        self.slips.update(other.slips)
        self.failures += other.failures
        self.seconds += other.seconds

    def total(self, figure: str) -> int:
        return sum(count for (_, which), count in self.slips.items() if which == figure)

    @property
    def kinds(self) -> list[str]:
        return sorted({kind for kind, _ in self.slips})


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / whole:.2f} %)" if whole else "none"


def rows(figures: Figures) -> Iterable[tuple[str, str, str]]:
    """The rows of the table: what is measured, the figure, the goal."""
    counts = figures.counts
    yield "evenings", f"{counts['evenings']:,}, {counts['unfinished']:,} not played to their ends", ""
    yield "moves and deals", f"{counts['moves']:,}", ""
    yield "slips", f"{figures.total('slips'):,}, {figures.total('visible'):,} of them visible", ""
    yield "visible slips reported", _share(figures.total("reported"), figures.total("visible")), "≥ 99.8 %"
    yield "obeying restores agreement", _share(figures.total("restored"), figures.total("obeyed")), "≥ 99.5 %"
    accepted = f"{counts['accepted']:,}, {counts['accepted in vain']:,} of them in vain"
    yield "moves that a player accepted from the table instead", accepted, "0 in vain"
    yield "wrong acts", f"{counts['wrong acts']:,}", "0"
    yield "secrets opened by a slip", f"{counts['secrets']:,}", "0"
    yield "messages at a correct table", f"{counts['false messages']:,} in {counts['correct tables']:,} looks", "0"
    yield "half-made moves called wrong", _share(counts["half-made called wrong"], counts["half-made moves"]), "0"
    yield "runs that follow only the list", _share(counts["runs right"], counts["evenings"]), "100 %"
    if figures.seconds:
        p95 = sorted(figures.seconds)[int(0.95 * (len(figures.seconds) - 1))]
        yield "reported after rest", f"median {median(figures.seconds):.1f} s, p95 {p95:.1f} s", "p95 ≤ 2 s"
    yield "moves and deals not recorded", _share(counts["not recorded"], counts["moves"]), "0"


def table(figures: Figures, title: str) -> str:
    """The table of figures for people, as Markdown."""
    lines = [f"### {title}", "", "| figure | result | goal |", "|---|---|---|"]
    lines += [f"| {name} | {result} | {goal} |" for name, result, goal in rows(figures)]
    lines += ["", "| slip | slips | visible | reported | obeyed | restored | legal |", "|---|---|---|---|---|---|---|"]
    for kind in figures.kinds:
        cells = (figures.slips[kind, each] for each in ("slips", "visible", "reported", "obeyed", "restored", "legal"))
        lines.append(f"| {kind} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)

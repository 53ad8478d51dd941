"""Results in the shape of the paper's tables: rows of data sets, columns of learners."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from statistics import fmean

from crystalogic.datasets import NAMES
from research.paper.claims import label, printed
from research.paper.plan import TABLES
from research.paper.results import Results
from research.paper.settings import DATA, STRATEGIES, VARIANTS
from research.paper.verdict import spread, wilcoxon


@dataclass(frozen=True)
class Cell:
    """Mean and standard deviation of one measure of one learner on one data set."""

    data: str
    learner: str
    source: str  # paper, reproduced, ours, search
    mean: float
    spread: float

    def text(self, digits: int = 3) -> str:
        """Mean ± standard deviation without the leading zero, as the paper writes it."""
        return f"{self.mean:.{digits}f} ± {self.spread:.{digits}f}".replace("0.", ".")


def accuracy_cells(results: Results) -> Iterator[Cell]:
    """Accuracy as printed, as reproduced, with our defaults and with the lattice search."""
    for data in DATA:
        plain = data.removesuffix("-enriched")
        for name in STRATEGIES:
            yield Cell(data, name, "paper", printed("accuracy", data, name), printed("spread", data, name))
            yield _cell(results, "paper", data, name, "accuracy", "reproduced")
            if results.cell("ours", plain, name):
                yield _cell(results, "ours", plain, name, "accuracy", "ours")
        yield _cell(results, "search", plain, "annealing", "accuracy", "search")


def _cell(results: Results, kind: str, data: str, learner: str, field: str, source: str) -> Cell:
    values = [float(value) for value in results.values(kind, data, learner, field)]
    return Cell(data, learner, source, fmean(values), spread(values))


def accuracy_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The accuracy table: printed, reproduced and ours for each strategy, and the search."""
    cells = {(cell.data, cell.learner, cell.source): cell for cell in accuracy_cells(results)}
    head = ["data", "learner", "paper", "reproduced", "ours"]
    rows = []
    for data in DATA:
        plain = data.removesuffix("-enriched")
        for name in STRATEGIES:
            ours = cells.get((plain, name, "ours"))
            parts = [cells[data, name, "paper"].text(), cells[data, name, "reproduced"].text()]
            rows.append([label(data), label(name), *parts, ours.text() if ours else "–"])
        rows.append([label(plain), "Search", "–", "–", cells[plain, "annealing", "search"].text()])
    return head, rows


def rounding_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """What crystallization costs under the paper's protocol: test accuracy before and after, Δ, constants."""
    head = ["data", "learner", "before rounding", "after", "Δ < 0.001 before", "constant", "outside Prop. 1", "λ"]
    rows = []
    for data in DATA:
        for name in STRATEGIES:
            before, after = (fmean(results.paper(data, name, field)) for field in ("before", "accuracy"))
            counts = [results.paper(data, name, field) for field in ("crystallized", "constant")]
            similar = [value for value in results.paper(data, name, "similarity") if value is not None]
            rows.append(
                [
                    label(data),
                    label(name),
                    f"{before:.3f}",
                    f"{after:.3f}",
                    *(f"{sum(found)}/{len(found)}" for found in counts),
                    f"{fmean(results.paper(data, name, 'outside_proposition')):.1f} neurons",
                    f"{fmean(similar):.3f}" if similar else "–",
                ]
            )
    return head, rows


def time_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """Seconds and iterations of one network, printed and reproduced."""
    head = ["data", "learner", "paper, s", "reproduced, s", "iterations", "F₁"]
    rows = []
    for data in DATA:
        for name in STRATEGIES:
            seconds, steps, f1 = (fmean(results.paper(data, name, field)) for field in ("seconds", "steps", "f1"))
            row = [f"{printed('seconds', data, name):.3f}", f"{seconds:.3f}", f"{steps:.0f}", f"{f1:.3f}"]
            rows.append([label(data), label(name), *row])
    return head, rows


def p_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """Wilcoxon's signed-rank test by pairs of trials, for accuracy and for time."""
    pairs = [(a, b) for index, a in enumerate(STRATEGIES) for b in STRATEGIES[index + 1 :]]
    head = ["data", "measure", *(f"{label(a)} / {label(b)}" for a, b in pairs)]
    rows = []
    for data in DATA:
        for title, field in (("accuracy", "accuracy"), ("F₁", "f1"), ("time", "seconds")):
            values = {name: results.paper(data, name, field) for name in STRATEGIES}
            rows.append([label(data), title, *(f"{wilcoxon(values[a], values[b]):.3f}" for a, b in pairs)])
    return head, rows


def truth_table_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The truth tables: exact recoveries, F₁, λ against the table, and iterations."""
    head = ["table", "learner", "exact", "F₁", "λ", "always 0", "iterations"]
    rows = []
    for data in TABLES:
        for name, variant in [*product(STRATEGIES, ("paper", "ours")), ("recover", "ours")]:
            records = results.cell("table", data, name, variant)
            if not records:
                continue
            f1, similar, steps = (fmean(record[field] for record in records) for field in ("f1", "similarity", "steps"))
            exact, zero = (sum(record[field] for record in records) for field in ("exact", "always_zero"))
            learner = name if name == "recover" else f"{label(name)}, {variant}"
            counts = [f"{exact}/{len(records)}", f"{f1:.3f}", f"{similar:.3f}", f"{zero}/{len(records)}"]
            rows.append([_table_label(data), learner, *counts, f"{steps:.0f}" if steps else "–"])
    return head, rows


def _table_label(data: str) -> str:
    name, _, lattice = data.partition(" on S")
    return f"{label(name)} on S{'₀₁₂₃₄₅₆₇₈₉'[int(lattice)]}"


def search_rows(results: Results) -> tuple[list[str], list[list[str]]]:
    """The lattice search: accuracy, F₁, literals and seconds."""
    head = ["data", "accuracy", "F₁", "literals", "seconds"]
    rows = []
    for data in NAMES:
        cell = _cell(results, "search", data, "annealing", "accuracy", "search")
        f1, size, seconds = (
            fmean(results.values("search", data, "annealing", field)) for field in ("f1", "literals", "seconds")
        )
        rows.append([label(data), cell.text(), f"{f1:.3f}", f"{size:.1f}", f"{seconds:.1f}"])
    return head, rows


def ablation_rows(results: Results, study: str) -> tuple[list[str], list[list[str]]]:
    """One ablation: means over its data sets and splits."""
    head = ["variant", "learner", "before rounding", "after", "Δ < 0.001 before", "constant", "zero weights"]
    rows = []
    for variant in VARIANTS.values():
        if variant.study != study:
            continue
        before, after, crystallized, constant, zeros = (
            results.ablation(study, variant.name, field, strategy=variant.strategy)
            for field in ("before", "accuracy", "crystallized", "constant", "zeros")
        )
        parts = [f"{before:.3f}", f"{after:.3f}", f"{crystallized:.0%}", f"{constant:.0%}", f"{zeros:.0%}"]
        rows.append([variant.name, label(variant.strategy), *parts])
    return head, rows


STUDIES = {
    "blocks": "Number of residual blocks",
    "links": "With and without residual links at equal tolerance (Heart, MONK-3)",
    "schedule": "The final Υ schedule",
    "tolerance": "Training on after the loss tolerance",
    "phases": "Share of the first phase of Proximal",
    "penalties": "Proximal with and without its penalties",
    "threshold": "The threshold of STE",
}

"""Every question on the default models of the six data sets: what was answered, how fast, what share within 5 s.

Run with `make bench-audit`. The models are fitted first (about a minute); each question has 5 seconds. For
each model the rows asked about are the first of each class. The longest formula of each front is asked about too.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from crystalogic import LukasiewiczClassifier, Model, datasets
from crystalogic.audit.counterfactual import counterfactual, sufficient_reason
from crystalogic.audit.diff import diff
from crystalogic.audit.missing import robust, with_missing
from crystalogic.audit.monotone import ignores, monotone
from crystalogic.audit.policy import always, never, obeys, risk_range
from crystalogic.audit.scope import scope_of
from crystalogic.fitting import model_of
from crystalogic.verify.questions import Answer, Verdict

SECONDS = 5.0
Ask = Callable[[], Answer]


def questions(model: Model, other: Model, frame: Any, labels: Any) -> Iterator[tuple[str, Ask]]:
    """Every question, about every column that it can be asked about."""
    fields = scope_of(model).only(model.columns).fields
    ordered = [field.column for field in fields if field.is_ordered]
    for column in ordered:
        for of in ("decision", "degree"):
            for decreasing in (False, True):
                yield (
                    "monotone",
                    lambda c=column, o=of, d=decreasing: monotone(model, c, of=o, decreasing=d, seconds=SECONDS),
                )
    for column in model.columns:
        yield "ignores", lambda c=column: ignores(model, c, seconds=SECONDS)
    if model.risk is not None:
        for column in ordered:
            yield "monotone", lambda c=column: monotone(model, c, of="risk", seconds=SECONDS)
        yield "risk range", lambda: risk_range(model, seconds=SECONDS)
    target = model.target
    first, second = model.columns[0], model.columns[-1]
    yield "policy", lambda: obeys(model, f"¬{{{first} is missing}} ⊗ {{{target}=1}} → {{{target}=1}}", seconds=SECONDS)
    yield "policy", lambda: obeys(model, f"¬{{{second} is missing}} → ¬{{{target}=1}}", seconds=SECONDS)
    for said in (0, 1):
        yield "never", lambda s=said: never(model, s, seconds=SECONDS)
        yield "always", lambda s=said: always(model, s, seconds=SECONDS)
    rows = [dict(frame.iloc[list(labels).index(label)]) for label in (0, 1)]
    for row in rows:
        yield "counterfactual", lambda r=row: counterfactual(model, r, seconds=SECONDS)
        yield (
            "counterfactual",
            lambda r=row: counterfactual(model, r, frozen=[first], increasing=ordered, seconds=SECONDS),
        )
        yield "reason", lambda r=row: sufficient_reason(model, r, seconds=SECONDS)
        yield "robust", lambda r=row: robust(model, r, 5, seconds=SECONDS)
        for column in model.columns:
            yield "missing", lambda r=row, c=column: with_missing(model, r, [c], seconds=SECONDS)
        yield "missing", lambda r=row: with_missing(model, r, model.columns, seconds=SECONDS)
    yield "diff", lambda: diff(model, other, frame, seconds=SECONDS)
    yield "diff", lambda: diff(model, model, frame, seconds=SECONDS)


def fitted(name: str, seed: int) -> tuple[Model, Any, Any]:
    table = datasets.load(name)
    frame, labels = table.frame(), table.labels
    rule = LukasiewiczClassifier(random_state=seed).fit(frame, labels)
    return rule.model_, frame, labels


def longest(model: Model) -> Model:
    """The longest formula of the front, which the default does not choose, as a model of its own."""
    return model_of([model.fronts[0][-1].formula], model.encoding, model.target, model.classes)


def asked(name: str, model: Model, other: Model, frame: Any, labels: Any) -> list[tuple[Verdict, float]]:
    """The verdict and the seconds of every question, printed by question."""
    size = sum(formula.size for formula in model.formulas)
    seen: dict[str, list[tuple[Verdict, float]]] = {}
    for question, ask in questions(model, other, frame, labels):
        start = time.perf_counter()
        verdict = ask().verdict
        seen.setdefault(question, []).append((verdict, time.perf_counter() - start))
    for question, answers in seen.items():
        count = Counter(verdict for verdict, _ in answers)
        proved, refuted, undecided = (count[each] for each in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED))
        slowest = max(seconds for _, seconds in answers)
        print(
            f"{name:14} {size:>8}  {question:15} {len(answers):>5} {proved:>6} {refuted:>7} {undecided:>4}  "
            f"{slowest:.2f} s",
            flush=True,
        )
    return [answer for answers in seen.values() for answer in answers]


def summary(title: str, answers: list[tuple[Verdict, float]]) -> None:
    n_decided = sum(verdict is not Verdict.UNDECIDED for verdict, _ in answers)
    share = f"{n_decided} of {len(answers)} ({n_decided / len(answers):.1%})"
    print(f"{title}: decided within {SECONDS:g} s: {share}; slowest {max(t for _, t in answers):.2f} s")


def main() -> None:
    print("data set       literals  question        asked proved refuted open  slowest")
    default: list[tuple[Verdict, float]] = []
    hardest: list[tuple[Verdict, float]] = []
    for name in datasets.NAMES:
        model, frame, labels = fitted(name, 0)
        other, _, _ = fitted(name, 1)
        default += asked(name, model, other, frame, labels)
        hardest += asked(name, longest(model), model, frame, labels)
    summary("default models", default)
    summary("longest formulas", hardest)


if __name__ == "__main__":
    main()

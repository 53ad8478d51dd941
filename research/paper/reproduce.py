"""Run the paper's experiments and ours, judge every claim, and write what was found."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research.paper.claims import Claim, load_claims
from research.paper.plan import Plan
from research.paper.results import Results
from research.paper.verdict import Evidence, Verdict
from research.study import Store, code_version, learning_rooms, run_jobs

STORE = "trials.jsonl"
_TRIALS = tuple(f"research/paper/{name}.py" for name in ("tables", "trials", "settings", "measure"))
_TRAINING = ("crystal.py", "datasets", "logic", "network.py", "symbolic", "train")  # all that float networks need


@dataclass(frozen=True)
class Reproduction:
    """The results of all experiments and the evidence for every claim."""

    results: Results
    evidence: tuple[tuple[Claim, Evidence], ...]

    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return {verdict.value: sum(e.verdict is verdict for _, e in self.evidence) for verdict in Verdict}


def run_experiments(
    folder: Path, plan: Plan, *, n_jobs: int = 1, progress: Callable[[int, int], Any] | None = None
) -> Results:
    """The results of the plan; finished experiments are taken from the store in `folder`."""
    from research.paper.trials import perform

    trained = code_version(*_TRAINING, *_TRIALS)
    searched = code_version(*learning_rooms(), *_TRIALS)
    by_kind = {"search": searched, "table": searched}
    with Store(folder / STORE, lambda kind: by_kind.get(kind, trained)) as store:
        return Results(plan, run_jobs(plan.jobs, perform, store, n_jobs, progress))


def judge(results: Results) -> Reproduction:
    """The evidence for every claim, each computed by the check that claims.toml names."""
    from research.paper.checks import CHECKS

    return Reproduction(results, tuple((claim, CHECKS[claim.check](claim, results)) for claim in load_claims()))

"""Results of a whole plan without training: every job gets a plausible record that its labels decide."""

import random

from research.paper.plan import plan
from research.paper.results import Results


def made_up(accuracy=None):
    chosen = plan(quick=True)
    return Results(chosen, {job: _record(job, accuracy) for job in chosen.jobs})


def _record(job, accuracy):
    draw = random.Random(job.key)
    score = draw.uniform(0.4, 0.9) if accuracy is None else accuracy
    record = {
        "accuracy": score,
        "before": min(1.0, score + 0.1),
        "peak": score,
        "tight": score,
        "f1": score,
        "balanced": score,
        "lost": 0.1,
        "delta": 0.5,
        "delta_after": 0.0,
        "crystallized": job.learner == "straight_through",
        "constant": draw.random() < 0.5,
        "literals": draw.randint(1, 9),
        "zeros": draw.random(),
        "seconds": draw.uniform(0.01, 1),
        "steps": draw.randint(5, 500),
        "reached_tolerance": True,
        "outside_proposition": 1,
        "is_readable": False,
        "inputs": ["ca"],
        "formula": "ca",
        "similarity": 0.9,
        "exact": job.learner == "recover",
        "loss": 0.1,
        "always_zero": False,
        "front": [[1, 0.7, 0.6, 0.65], [3, 0.8, None, 0.7]],
    }
    if job.kind == "ablation":
        record |= {"crystallized": 0.1, "constant": 0.5}
    return record

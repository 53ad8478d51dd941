"""The results of a run, asked by cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from research.errors import StudyError
from research.paper.plan import Plan
from research.paper.settings import VARIANTS
from research.study import Job, Record


@dataclass(frozen=True)
class Results:
    """What every job of a plan gave."""

    plan: Plan
    records: Mapping[Job, Record]

    def cell(self, kind: str, data: str, learner: str, variant: str | None = None) -> list[Record]:
        """The records of one cell, by seed; empty where the plan has none."""
        return [
            record
            for job, record in self.records.items()
            if (job.kind, job.data, job.learner) == (kind, data, learner) and variant in (None, job.variant)
        ]

    def values(self, kind: str, data: str, learner: str, field: str, variant: str | None = None) -> list[Any]:
        """One field of the records of a cell; a StudyError where there are none."""
        found = [record[field] for record in self.cell(kind, data, learner, variant)]
        if not found:
            message = f"the run has no {kind} trials of {learner} on {data}; run `make reproduce` again."
            raise StudyError(message)
        return found

    def paper(self, data: str, learner: str, field: str) -> list[Any]:
        """One field of the trials of the paper's protocol."""
        return self.values("paper", data, learner, field)

    def everywhere(self, kind: str, learner: str, field: str) -> list[Any]:
        """One field of all trials of a learner, whatever the data."""
        return [record[field] for job, record in self.records.items() if (job.kind, job.learner) == (kind, learner)]

    def ablation(self, study: str, name: str, field: str, data: str | None = None, strategy: str = "") -> float:
        """The mean of a field over the splits of one variant, on one data set or on all that it has."""
        found = [
            record[field]
            for job, record in self.records.items()
            if job.kind == "ablation"
            and (VARIANTS[job.variant].study, VARIANTS[job.variant].name) == (study, name)
            and data in (None, job.data)
            and strategy in ("", job.learner)
        ]
        if not found:
            message = f"the run has no ablation {study!r}, {name!r} on {data or 'any data'}."
            raise StudyError(message)
        return float(sum(found) / len(found))

"""Many small experiments that survive a kill: jobs, the store of what is finished, and the run over both."""

from research.study.job import Job, Record
from research.study.run import run_jobs
from research.study.store import Store, code_version, learning_rooms

__all__ = ["Job", "Record", "Store", "code_version", "learning_rooms", "run_jobs"]

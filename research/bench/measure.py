"""Everything that is measured of one fit."""

import resource
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.bench.peers import Fitted, Peer
from research.bench.tables import Half, Halves

Array = NDArray[Any]
N_BINS = 10
LEAST_RISK = 1e-6  # a probability of 0 that is wrong must not cost infinitely much
SECOND_FIT_SECONDS = 10.0  # a longer first fit is not repeated
_MB = 1024 if sys.platform != "darwin" else 1024 * 1024


def measure(
    peer: Peer, data: Halves, seed: int, settings: Mapping[str, Any], *, second: bool = False
) -> dict[str, Any]:
    """Fits once and judges on the test rows; with `second` it fits again, to see what the first fit warmed up."""
    before = _peak()
    fitted, clock, cpu = _timed(lambda: peer.fit(data, seed, **settings))
    record: dict[str, Any] = judge(fitted, data.test, data.n_classes)
    record |= {"seconds": clock, "cpu": cpu, "memory": max(0.0, _peak() - before)}
    if second and clock < SECOND_FIT_SECONDS:
        _, record["second_seconds"], record["second_cpu"] = _timed(lambda: peer.fit(data, seed, **settings))
    return {name: _short(value) for name, value in record.items()}


def judge(fitted: Fitted, test: Half, n_classes: int) -> dict[str, Any]:
    """How good the decisions and the risks are, how long the model is, what it reads and whether its text is it."""
    from sklearn.metrics import balanced_accuracy_score

    predicted, truth = np.asarray(fitted.predict(test)), test.labels
    record: dict[str, Any] = {
        "accuracy": float((predicted == truth).mean()),
        "balanced": float(balanced_accuracy_score(truth, predicted)),
        "size": int(fitted.literals),
    }
    if fitted.risk is not None:
        record |= judge_risk(np.asarray(fitted.risk(test), dtype=float), truth, n_classes)
    if fitted.columns is not None:
        record["columns"] = pack_columns(fitted.columns, [str(name) for name in test.frame.columns])
    if fitted.decide is not None:
        record["printed"] = float((np.asarray(fitted.decide(test)) == predicted).mean())
    return record


def judge_risk(risk: Array, truth: Array, n_classes: int) -> dict[str, float]:
    """Ranking and honesty of probabilities: of class 1, or of each class in a column of its own.

    >>> found = judge_risk(np.array([0.1, 0.4, 0.8]), np.array([0, 0, 1]), 2)
    >>> found["auc"], round(found["brier"], 2)
    (1.0, 0.07)
    """
    from sklearn.metrics import roc_auc_score

    told = np.stack([1 - risk, risk], axis=1) if risk.ndim == 1 else risk
    wanted = np.eye(n_classes)[truth]
    sums = told.sum(axis=1, keepdims=True)
    sure = np.clip(told / np.where(sums > 0, sums, 1), LEAST_RISK, 1)
    shares = [roc_auc_score(wanted[:, each], told[:, each]) for each in ([1] if n_classes == 2 else range(n_classes))]
    brier = ((told - wanted) ** 2).sum(axis=1).mean()
    return {
        "auc": float(np.mean(shares)),
        "log_loss": float(-np.log(sure[np.arange(len(truth)), truth]).mean()),
        "brier": float(brier / 2 if n_classes == 2 else brier),
        "ece": calibration_error(told[:, 1], truth == 1)
        if n_classes == 2
        else calibration_error(told.max(axis=1), told.argmax(axis=1) == truth),
    }


def calibration_error(told: Array, came: Array) -> float:
    """The mean distance of the told and the true share, over ten equally wide bins of the told one.

    >>> calibration_error(np.array([0.25, 0.25, 0.25, 0.25]), np.array([1, 0, 0, 0]))
    0.0
    """
    bins = np.clip((told * N_BINS).astype(int), 0, N_BINS - 1)
    off = np.bincount(bins, told, N_BINS) - np.bincount(bins, came, N_BINS)
    return float(np.abs(off).sum() / len(told))


def pack_columns(used: Collection[str], names: Sequence[str]) -> str:
    """Which columns are used, as one hexadecimal number with a bit for each: short, and easily compared.

    >>> pack_columns({"a", "c"}, ["a", "b", "c"])
    '5'
    """
    return f"{sum(1 << place for place, name in enumerate(names) if name in used):x}"


def _timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work gives, and its seconds by the clock and of the processor, child processes included."""
    begin, before = time.perf_counter(), spent_cpu()
    found = work()
    return found, time.perf_counter() - begin, spent_cpu() - before


def spent_cpu() -> float:
    """The seconds of the processor that this process and its children have spent."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _peak() -> float:
    """The most memory so far in MB, of this process or of the largest child."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return max(own.ru_maxrss, children.ru_maxrss) / _MB


def _short(value: Any) -> Any:
    """Four digits are enough, and keep the store small."""
    return float(f"{value:.4g}") if isinstance(value, float) else value

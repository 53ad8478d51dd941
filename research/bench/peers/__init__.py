"""The learners of the comparison, by name."""

from importlib import metadata

from research.bench.peers.base import N_SETTINGS, SIZES, Fitted, Peer, on_numbers
from research.bench.peers.local_search import BOOLXAI, find_version
from research.bench.peers.others import BOOSTING, EBM, FOREST, LASSO, RIDGE
from research.bench.peers.ours import CRYSTALOGIC, OURS
from research.bench.peers.rules import BOOSTED_RULES, BRCG, CORELS, RIPPER, RULEFIT
from research.bench.peers.scorecards import FAST_RISK_SCORE, FASTER_RISK
from research.bench.peers.trees import C45, CART, FAST_SMALL_TREE, FIGS, GOSDT

PEERS = {
    peer.name: peer
    for peer in (
        CRYSTALOGIC,
        EBM,
        CART,
        C45,
        GOSDT,
        FAST_SMALL_TREE,
        FIGS,
        BOOSTED_RULES,
        RIPPER,
        BRCG,
        RULEFIT,
        CORELS,
        BOOLXAI,
        FAST_RISK_SCORE,
        FASTER_RISK,
        LASSO,
        RIDGE,
        FOREST,
        BOOSTING,
    )
}
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def installed_version(package: str) -> str | None:
    """The version of a peer's package, or None where it is not installed."""
    if package == "boolxai":
        return find_version()
    try:
        return metadata.version(_DISTRIBUTIONS.get(package, package))
    except metadata.PackageNotFoundError:
        return None


__all__ = ["N_SETTINGS", "OURS", "PEERS", "SIZES", "Fitted", "Peer", "installed_version", "on_numbers"]

"""Crystalogic: short logical formulas from tables, proved to be the network they were read from."""

from importlib import import_module
from typing import TYPE_CHECKING

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import (
    CertificateError,
    CrystalError,
    CrystalogicError,
    DocumentError,
    DomainError,
    EncodingError,
    EvaluationError,
    ExportError,
    FormulaError,
    FormulaSyntaxError,
    NotCrystallizedError,
    TableError,
    TooLargeError,
    TrainingDataError,
)
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import (
    AtLeast,
    Constant,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
    variables,
)
from crystalogic.logic.parse import parse
from crystalogic.logic.simplify import simplification, simplify
from crystalogic.logic.table import TruthTable, truth_table
from crystalogic.model import Model, load
from crystalogic.symbolic.encode import encode
from crystalogic.symbolic.extract import Extraction, extract
from crystalogic.symbolic.similarity import similarity
from crystalogic.verify.certificate import Certificate
from crystalogic.verify.check import certify, check
from crystalogic.verify.questions import Answer, Verdict, entails, equivalent, satisfiable, valid

if TYPE_CHECKING:
    from crystalogic import datasets, export, report
    from crystalogic.audit.counterfactual import counterfactual
    from crystalogic.audit.diff import diff
    from crystalogic.audit.ignores import ignores
    from crystalogic.audit.missing import with_missing
    from crystalogic.audit.monotone import monotone
    from crystalogic.audit.policy import always, never, obeys
    from crystalogic.audit.reason import sufficient_reason
    from crystalogic.audit.robust import robust
    from crystalogic.audit.scope import scope_of
    from crystalogic.audit.trim import trim
    from crystalogic.estimator import LukasiewiczClassifier, LukasiewiczRegressor
    from crystalogic.search import Annealing
    from crystalogic.search.recover import recover

__version__ = "0.1.0"

# What needs numba, scikit-learn or z3 is imported when it is first used, so that `import crystalogic` stays quick.
_LAZY = {
    "Annealing": "crystalogic.search",
    "LukasiewiczClassifier": "crystalogic.estimator",
    "LukasiewiczRegressor": "crystalogic.estimator",
    "always": "crystalogic.audit.policy",
    "counterfactual": "crystalogic.audit.counterfactual",
    "datasets": "crystalogic.datasets",
    "diff": "crystalogic.audit.diff",
    "export": "crystalogic.export",
    "ignores": "crystalogic.audit.ignores",
    "monotone": "crystalogic.audit.monotone",
    "never": "crystalogic.audit.policy",
    "obeys": "crystalogic.audit.policy",
    "recover": "crystalogic.search.recover",
    "report": "crystalogic.report",
    "robust": "crystalogic.audit.robust",
    "scope_of": "crystalogic.audit.scope",
    "sufficient_reason": "crystalogic.audit.reason",
    "trim": "crystalogic.audit.trim",
    "with_missing": "crystalogic.audit.missing",
}

__all__ = [
    "Annealing",
    "Answer",
    "AtLeast",
    "Certificate",
    "CertificateError",
    "Constant",
    "Crystal",
    "CrystalError",
    "CrystalogicError",
    "DocumentError",
    "Domain",
    "DomainError",
    "EncodingError",
    "EvaluationError",
    "ExportError",
    "Extraction",
    "Formula",
    "FormulaError",
    "FormulaSyntaxError",
    "Iff",
    "Implies",
    "LukasiewiczClassifier",
    "LukasiewiczRegressor",
    "Maximum",
    "Minimum",
    "Model",
    "Neuron",
    "Not",
    "NotCrystallizedError",
    "StrongAnd",
    "StrongOr",
    "TableError",
    "TooLargeError",
    "TrainingDataError",
    "TruthTable",
    "Variable",
    "Verdict",
    "always",
    "certify",
    "check",
    "counterfactual",
    "datasets",
    "diff",
    "encode",
    "entails",
    "equivalent",
    "export",
    "extract",
    "ignores",
    "load",
    "monotone",
    "never",
    "obeys",
    "parse",
    "recover",
    "report",
    "robust",
    "satisfiable",
    "scope_of",
    "similarity",
    "simplification",
    "simplify",
    "sufficient_reason",
    "trim",
    "truth_table",
    "valid",
    "variables",
    "with_missing",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        message = f"module 'crystalogic' has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(_LAZY[name])
    value = module if name in ("datasets", "export", "report") else getattr(module, name)
    globals()[name] = value
    return value

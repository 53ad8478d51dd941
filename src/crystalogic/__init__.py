"""Crystalogic: short logical formulas from tables, proved to be the network they were read from."""

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import (
    CertificateError,
    CrystalError,
    CrystalogicError,
    DocumentError,
    DomainError,
    EvaluationError,
    FormulaError,
    FormulaSyntaxError,
    NotCrystallizedError,
    TooLargeError,
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
from crystalogic.symbolic.encode import encode
from crystalogic.symbolic.extract import Extraction, extract
from crystalogic.symbolic.similarity import similarity
from crystalogic.verify.certificate import Certificate
from crystalogic.verify.check import certify, check
from crystalogic.verify.questions import Answer, Verdict, entails, equivalent, satisfiable, valid

__version__ = "0.1.0"

__all__ = [
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
    "EvaluationError",
    "Extraction",
    "Formula",
    "FormulaError",
    "FormulaSyntaxError",
    "Iff",
    "Implies",
    "Maximum",
    "Minimum",
    "Neuron",
    "Not",
    "NotCrystallizedError",
    "StrongAnd",
    "StrongOr",
    "TooLargeError",
    "TruthTable",
    "Variable",
    "Verdict",
    "certify",
    "check",
    "encode",
    "entails",
    "equivalent",
    "extract",
    "parse",
    "satisfiable",
    "similarity",
    "simplification",
    "simplify",
    "truth_table",
    "valid",
    "variables",
]

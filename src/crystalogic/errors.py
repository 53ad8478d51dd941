"""The errors a user can meet; each says what, where, the value and the way out."""

from collections.abc import Mapping
from typing import NoReturn


class CrystalogicError(Exception):
    """Anything that Crystalogic refuses to do, in one sentence."""


class FormulaError(CrystalogicError):
    """A formula that cannot be built: no parts, an empty name, a part that is not a formula."""


class FormulaSyntaxError(FormulaError):
    """Text that is not a formula; the message shows the line, a caret and what was expected."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        self.problem, self.position = problem, position
        start = text.rfind("\n", 0, position) + 1
        line, column = text[start:].partition("\n")[0], position - start
        if len(line) > 100:  # a long line is shown around the caret only
            left = max(0, column - 50)
            line, column = line[left : left + 100], column - left
        super().__init__(f"{problem}\n  {line}\n  {' ' * column}^")


class EvaluationError(CrystalogicError):
    """A value that is missing, of the wrong type, or not a truth value in [0,1]."""


class DomainError(CrystalogicError):
    """A declared domain that contradicts itself or the formula it is used with."""


class CrystalError(CrystalogicError):
    """Neurons that do not form a crystal: a cycle, a source that does not exist, a repeated name."""


class NotCrystallizedError(CrystalError):
    """A weight or bias that is not an integer."""


class TooLargeError(CrystalogicError):
    """A request whose answer would not fit: a truth table of a billion rows."""


class DocumentError(CrystalogicError):
    """A file that is not what it says: another format or version, truncated, or changed after writing."""


class CertificateError(CrystalogicError):
    """A claim that formula and crystal are the same function, and that does not hold or was not shown."""


class TrainingDataError(CrystalogicError, ValueError):
    """Rows, targets, weights or settings that no network can be trained on."""


class FrontError(CrystalogicError, ValueError):
    """A size that no formula of a front has."""


class ChoiceError(CrystalogicError, ValueError):
    """A model without rules to choose from, or a choice that does not fit it."""


class RiskError(CrystalogicError, ValueError):
    """A probability that is asked of a model without a risk."""


class PromiseError(CrystalogicError):
    """A rule of which what was declared could not be proved; it is not given to anyone."""


class EncodingError(CrystalogicError, ValueError):
    """A column or a value that cannot be turned into truth values."""


class TableError(CrystalogicError):
    """A file that holds no table that can be used."""


class ExportError(CrystalogicError):
    """A model that a target cannot express, or an option that the target does not have."""


class ReadbackError(CrystalogicError):
    """An exported text that cannot be read back, so that nothing can be proved of it."""


class ClusterError(CrystalogicError):
    """A cluster that is not there, or could not finish."""


class ServiceError(CrystalogicError):
    """A service that cannot be started, or a tool that is called wrongly."""


def refuse(error: type[Exception], message: str) -> NoReturn:
    """The error with this message, and with nothing before it: what was caught on the way is no help to a user."""
    raise error(message) from None


def refuse_first(error: type[CrystalogicError], problems: Mapping[str, bool]) -> None:
    """The error with the first of these messages that applies, if any does."""
    for message, is_there in problems.items():
        if is_there:
            refuse(error, message)

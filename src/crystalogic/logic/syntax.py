"""The one table of symbols and precedences that the parser and all printers share."""

from dataclasses import dataclass

from crystalogic.logic.formula import Formula, Iff, Implies, Maximum, Minimum, Not, StrongAnd, StrongOr


@dataclass(frozen=True)
class Operator:
    """How a connective is written. A higher precedence binds more tightly.

    `chain` says what x ∘ y ∘ z means: one node with three parts, x ∘ (y ∘ z), or nothing without parentheses.
    """

    node: type[Formula]
    precedence: int
    chain: str  # "flat", "right", "none" or "prefix"
    unicode: str
    ascii: str
    latex: str
    also: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.unicode, self.ascii, *self.also)


OPERATORS = (
    Operator(Iff, 1, "none", "↔", "<->", r"\leftrightarrow", ("⇔", "≡", "<=>")),
    Operator(Implies, 2, "right", "→", "->", r"\rightarrow", ("⇒", "=>", ">>")),
    Operator(Maximum, 3, "flat", "∨", r"\/", r"\vee"),
    Operator(StrongOr, 4, "flat", "⊕", "|", r"\oplus", ("||",)),
    Operator(Minimum, 5, "flat", "∧", "/\\", r"\wedge"),
    Operator(StrongAnd, 6, "flat", "⊗", "&", r"\otimes", ("&&", "⊙")),
    Operator(Not, 7, "prefix", "¬", "~", r"\neg ", ("!",)),
)
BY_NODE = {operator.node: operator for operator in OPERATORS}
BY_SPELLING = {spelling: operator for operator in OPERATORS for spelling in operator.spellings}
ATOM_PRECEDENCE = 8  # variables, constants and at least k of (…): never in parentheses
KEYWORDS = ("let", "in")

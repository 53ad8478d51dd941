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
    Operator(Implies, 2, "right", "→", "->", r"\rightarrow", ("⇒", "⊃", "=>", ">>")),
    Operator(Maximum, 3, "flat", "∨", r"\/", r"\vee"),
    Operator(StrongOr, 4, "flat", "⊕", "|", r"\oplus", ("||",)),
    Operator(Minimum, 5, "flat", "∧", "/\\", r"\wedge"),
    Operator(StrongAnd, 6, "flat", "⊗", "&", r"\otimes", ("&&", "⊙")),
    Operator(Not, 7, "prefix", "¬", "~", r"\neg ", ("!",)),
)
BY_NODE = {operator.node: operator for operator in OPERATORS}
BY_SPELLING = {spelling: operator for operator in OPERATORS for spelling in operator.spellings}
ATOM_PRECEDENCE = 8  # variables, constants and at least k of (…): never in parentheses
TIMES = {"unicode": "·", "ascii": "*", "latex": r"\cdot "}  # between points and what has them
KEYWORDS = ("let", "in")
# What people type for a connective elsewhere and what is typed here; a symbol, or a word where no operator is.
ELSEWHERE = {
    **dict.fromkeys("+⨁", "for ⊕ write |"),
    **dict.fromkeys("*·×⨂", "for ⊗ write &"),
    **dict.fromkeys("^", "for ∧, the minimum, write /\\; for ⊗ write &"),
    **dict.fromkeys("-−﹁￢", "for ¬ write ~; for → write ->; a - b is a & ~b"),
    **dict.fromkeys("⊖∸", "for a ⊖ b write a & ~b"),
    **dict.fromkeys("<>≥≤≠", "a statement such as age ≥ 55 stands in braces: {age ≥ 55}"),
    **dict.fromkeys("'\"`", "a name that is no identifier stands in braces: {two words}"),
    **dict.fromkeys("[]", "write ( and )"),
    "\\": "LaTeX is printed, not read: write ~ & | /\\ \\/ -> <->",
    "not": "for 'not' write ~ or ¬",
    "and": "for 'and' write & or ⊗",
    "or": "for 'or' write | or ⊕",
    "v": "for ∨, the maximum, write \\/",
    "implies": "for 'implies' write -> or →",
    "iff": "for 'iff' write <-> or ↔",
    "min": "for min(a, b) write a /\\ b",
    "max": "for max(a, b) write a \\/ b",
    "at": "write at least 2 of (a, b, c), with a whole number",
    "all": "for all of (a, b) write a & b",
    "if": "for if a then b write a -> b",
}

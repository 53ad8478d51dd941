"""Models: encoding, crystal, formulas and certificate in one JSON file, for use without the training half.

A formula speaks for one class, and `decision` says which class degrees stand for. Degrees are computed with floats, and
rows that rounding could take across are decided with fractions: predictions say what explanations and proofs say.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from crystalogic.arrays import Array, np
from crystalogic.cells import MISSING_WORDS
from crystalogic.counts import count
from crystalogic.crystal import Crystal
from crystalogic.decision import classes_of, margins_of
from crystalogic.document import seal, sealed_fingerprint
from crystalogic.encoding import Encoding
from crystalogic.encoding.literals import DEGREE_OFF
from crystalogic.errors import CertificateError, EncodingError, FrontError, RiskError, refuse
from crystalogic.logic.evaluate import exact_function, rounding_bound
from crystalogic.logic.formula import Constant, Formula
from crystalogic.logic.names import one_line
from crystalogic.logic.render import render
from crystalogic.logic.score import score_of
from crystalogic.model.ladders import spell_out
from crystalogic.model.profile import Profile
from crystalogic.model.record import FrontRow, JudgedBy, Record
from crystalogic.model.risk import Band, Risk, share_out
from crystalogic.model.rows import Explanation, Label, Unknown, class_level, decide_exactly, evaluate_rows
from crystalogic.progress import Stop
from crystalogic.symbolic.extract import encode, extract
from crystalogic.verify.certificate import Certificate, certify, check
from crystalogic.verify.trace import trace

KIND, VERSION = "model", 1


@dataclass(frozen=True, repr=False)
class Model:
    """A rule that predicts, explains and can be checked again. `load` gives it, `print` shows its formulas.

    Attributes:
        target: the column that it decides.
        classes: the values of the target; None for truth degrees.
        order: the classes from the most frequent on, by their places; of equal degrees the first decides.
        encoding: how columns become truth values.
        crystal: the network.
        written: what it computes: one formula for two classes or a degree, otherwise one for each class.
        certificate: that crystal and formulas are one function.
        fronts: for each formula the best ones of every size, with their scores.
        chosen: which row of each front was chosen.
        record: how it was made: strategy, seed, rows, units, accuracy on rows not seen.
        risk: of two classes, how likely the second is for each score of the formula; None where that was not learned.
        chain: of a list (`is_list`) the same for each of its rules, in their order: how likely the class of the rule is
            where no rule before it tells the class.
        band: the scores of two classes, or probabilities of more, of which a person is asked; None where nobody is.
        profile: what the rows were that it was learned from, counted, for `watch`; None where that was not kept.
    """

    target: str
    classes: tuple[Label, ...] | None
    order: tuple[int, ...]
    encoding: Encoding
    crystal: Crystal
    written: tuple[Formula, ...]
    certificate: Certificate
    fronts: tuple[tuple[FrontRow, ...], ...] = ()
    chosen: tuple[int, ...] = ()
    record: Record = field(default_factory=Record)
    risk: Risk | None = None
    chain: tuple[Risk, ...] = ()
    band: Band | None = None
    profile: Profile | None = None

    def __str__(self) -> str:
        """The formulas, each with what it speaks for."""
        return "\n".join(self._lines)

    def __repr__(self) -> str:
        return f"<Model {'; '.join(map(one_line, self._lines))}>"

    @property
    def _lines(self) -> list[str]:
        return [f"{spoken}: {formula}" for spoken, formula in zip(self.spoken, self.written, strict=True)]

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas as all else computes with them: the cuts of a ladder (`ladders`) one by one."""
        return tuple(spell_out(formula, self.encoding.literals) for formula in self.written)

    @property
    def spoken(self) -> tuple[str, ...]:
        """What each formula speaks for: a class of the target, or its degree."""
        if self.classes is None:
            return (f"degree of {one_line(self.target)}",)
        labels = self.classes[1:] if len(self.formulas) == 1 else self.classes
        return tuple(f"{one_line(self.target)} = {one_line(label)}" for label in labels)

    @cached_property
    def is_list(self) -> bool:
        """Whether the first true formula decides, in the order of the classes: all are of facts, and the last is 1."""
        return len(self.formulas) > 1 and self.formulas[self.order[-1]] == Constant(1) and not self.rounding

    @cached_property
    def is_ordered(self) -> bool:
        """Whether it is a list from the greatest class down of classes that were declared to be in an order."""
        falling = tuple(str((self.classes or ())[place]) for place in self.order)
        return self.is_list and self.record.grades[::-1] == falling

    @property
    def has_joint_front(self) -> bool:
        """Whether what is at one place in the fronts of all classes is one list, learned and scored as a whole."""
        return len(self.fronts) > 1 and self.record.strategy == "likelihood"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The truth values that the formulas use, those of a ladder one by one."""
        return tuple(dict.fromkeys(name for formula in self.formulas for name in formula.variables))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that the formulas use; no others are read."""
        return self.encoding.columns_of(self.names)

    @property
    def target_words(self) -> frozenset[str]:
        """The words that mean missing in the target, of which no class is one."""
        words = self.encoding.columns[0].missing_words if self.encoding.columns else MISSING_WORDS
        return words - set(map(class_level, self.classes or ()))

    @property
    def judged_by(self) -> str:
        """How the sizes of the front were judged: on rows held out in turn, or on those that taught nothing."""
        return (self.record.judged_by or JudgedBy.FOLDS).value

    @property
    def was_interrupted(self) -> bool:
        return self.record.stop is Stop.INTERRUPTED

    def degrees(self, rows: Any, *, first_row: int = 0, unknown: Unknown = "refuse") -> Array:
        """The degree of every formula for every row (rows × formulas).

        Parameters:
            rows: a frame or a mapping from columns to their values.
            first_row: the number of the first row, for messages.
            unknown: what to do with a value that is missing and was in no training row. "refuse" raises an
                EncodingError that names it, "skip" gives the row no degrees (NaN), "false" takes every fact about it to
                be false. "skip" also passes over rows with a text where a number is compared.
        """
        return evaluate_rows(self, [formula.evaluate for formula in self.formulas], rows, unknown, first_row)

    def scores(self, rows: Any, *, unknown: Unknown = "refuse") -> Array:
        """How many points every formula counts for every row (rows × formulas), as `degrees` takes rows. A formula is
        true from `logic.score.score_of(formula).threshold` points on. Points of facts are whole numbers."""
        return evaluate_rows(self, [score_of(formula).of for formula in self.formulas], rows, unknown)

    def probabilities(self, rows: Any, *, unknown: Unknown = "refuse") -> Array:
        """How likely each class is for every row (rows × classes); NaN for a row that is skipped.

        They hold for rows like those that it was learned from, classes weighed as then. A RiskError without a risk.
        """
        return self.likelihoods(self.scores(rows, unknown=unknown))

    def likelihoods(self, scores: Array) -> Array:
        """The same for rows whose scores (rows × formulas) are known."""
        self.refuse_no_risk()
        if self.risk is not None:
            return self.risk.of_rows(scores[:, 0])
        told = [risk.of_rows(scores[:, place])[:, 1] for risk, place in zip(self.chain, self.order, strict=False)]
        reached = scores >= [score_of(formula).threshold for formula in self.formulas]
        return share_out(np.column_stack(told), self.order, classes_of(reached.astype(np.float64), self.order))

    @property
    def has_risk(self) -> bool:
        """Whether it tells how likely classes are."""
        return self.risk is not None or bool(self.chain)

    def refuse_no_risk(self) -> None:
        if not self.has_risk:
            refuse(RiskError, "this model has no risk: the strategy 'likelihood' learns one.")

    @property
    def closest(self) -> float:
        """A computed margin (`decision`) that is not larger can be that of another decision."""
        return math.nextafter(float(2 * self.rounding), math.inf)

    def predict(self, rows: Any, *, unknown: Unknown = "refuse") -> Array:
        """The class (or degree) of every row; None (or NaN) for a row that is skipped. `degrees` tells of `unknown`."""
        degrees = self.degrees(rows, unknown=unknown)
        if self.classes is None:
            return degrees[:, 0]
        labels = np.empty(len(self.classes) + 1, object)
        labels[:-1] = self.classes
        return np.asarray(labels[self.class_index(rows, degrees)])

    def class_index(self, rows: Any, degrees: Array) -> Array:
        """Which of the classes every row has, exactly, by its place; `degrees` are those of the rows, -1 for NaN."""
        found = classes_of(degrees, self.order)
        found[np.isnan(degrees[:, 0])] = -1
        if self.rounding:
            decide_exactly(self, rows, np.flatnonzero(margins_of(degrees) <= self.closest), found)
        return found

    @cached_property
    def exact(self) -> "tuple[Callable[[Mapping[str, Fraction]], Fraction], ...]":
        """The formulas as exact functions of truth values."""
        return tuple(map(exact_function, self.formulas))

    @cached_property
    def rounding(self) -> Fraction:
        """The most by which a degree computed with floats, here or by an export, is off; 0 for facts alone."""
        if all(self.encoding.literals[name].is_boolean for name in self.names):
            return Fraction(0)
        return max(rounding_bound(formula, Fraction(DEGREE_OFF)) for formula in self.formulas)

    def truth_row(self, row: Mapping[str, Any], *, unknown: Unknown = "refuse") -> dict[str, Fraction]:
        """One row of the table as exact truth values, for the formulas."""
        if not isinstance(row, Mapping):
            refuse(EncodingError, f"expected a row as a mapping from columns to values, got {type(row).__name__}.")
        cells = {name: [value] for name, value in row.items()}
        evaluate_rows(self, (), cells, "false" if unknown == "false" else "refuse")  # refuses what `degrees` refuses
        return {name: self.encoding.degree_of(name, row) for name in self.names}

    def explain(self, row: Mapping[str, Any], *, unknown: Unknown = "refuse") -> Explanation:
        """The decision for one row with every step, computed exactly."""
        values = self.truth_row(row, unknown=unknown)
        return Explanation(self, dict(row), tuple(trace(formula, values) for formula in self.formulas))

    def check(self) -> None:
        """Goes through the certificate again; a CertificateError if it does not hold for all rows of the model."""
        check(self.certificate, self.crystal, self.written)
        scope = self.certificate.scope
        if not scope.includes(self.encoding.domain):
            what = f"the certificate is about {scope} only, and the rows of this model are not confined to that"
            refuse(CertificateError, f"{what}. Fit it again, or certify it for what its encoding gives.")

    def adopt(self, size: int) -> "Model":
        """The model with another formula of its front: the best one with at most so many literals, certified anew.

        A list is adopted as a whole, with so many literals in all its rules. Other formulas of several classes have a
        front each, and get the formula of that size. What was measured on held-out rows was measured of the other rule,
        and is no longer told.

        Parameters:
            size: how many literals the formula may have; a FrontError lists the sizes, if all are larger.
        """
        if not self.fronts:
            refuse(FrontError, "this model has no front: there is no other formula to adopt.")
        own = [[row.size for row in front] for front in self.fronts]
        if self.has_joint_front:
            own = [list(map(self.count_literals, zip(*own, strict=True)))] * len(own)
        short = [[place for place, each in enumerate(sizes) if each <= size] for sizes in own]
        if not all(short):
            known = ", ".join(map(str, sorted({each for sizes in own for each in sizes})))
            refuse(FrontError, f"no formula of the front has at most {count(size, 'literal')}; the sizes are {known}.")
        if (chosen := tuple(places[-1] for places in short)) == self.chosen:
            return self
        rows = [front[place] for front, place in zip(self.fronts, chosen, strict=True)]
        other = replace(self.with_formulas(row.formula for row in rows), chosen=chosen)
        if all(formula is row.formula for formula, row in zip(other.written, rows, strict=True)):
            other = other.with_risks([row.risk for row in rows])
        reason = f"adopted: the best formula with at most {count(size, 'literal')}"
        return other.with_facts(choice=(reason,) * len(rows), held_out=None, limits=None, chosen_by=None)

    def count_literals(self, sizes: Sequence[int]) -> int:
        """The literals of a list whose formulas have so many; the rules of ordered classes share one score."""
        return (max if self.is_ordered else sum)(sizes)

    def with_formulas(self, formulas: Iterable[Formula]) -> "Model":
        """The model with these formulas instead, with a crystal and a certificate of their own, and without a risk."""
        formulas = tuple(formulas)
        crystal = encode(formulas)
        try:
            certificate = certify(crystal, formulas)
        except CertificateError:  # a form that the checker does not follow: read as the crystal is, it does
            formulas = extract(crystal).formulas
            certificate = certify(crystal, formulas)
        plain = replace(self, risk=None, chain=(), band=None, profile=self.profile and self.profile.without_decisions())
        return replace(plain, crystal=crystal, written=formulas, certificate=certificate)

    def with_risks(self, risks: Sequence[Risk | None]) -> "Model":
        """The model with the risk of each of its formulas, where these are known; of a list the last needs none."""
        if len(risks) == 1:
            return replace(self, risk=risks[0])
        chain = tuple(risk for place in self.order[:-1] if (risk := risks[place]) is not None)
        return replace(self, chain=chain) if self.is_list and len(chain) == len(risks) - 1 else self

    def content(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "classes": self.classes,
            "order": self.order,
            "encoding": self.encoding.content(),
            "crystal": self.crystal.content(),
            "formulas": [render(formula, points=False) for formula in self.written],
            "certificate": self.certificate.content(),
            "fronts": [[row.content() for row in front] for front in self.fronts],
            "chosen": self.chosen,
            "notes": self.record.content(),
            **self._risk_content,
            **({} if self.profile is None else {"profile": self.profile.content()}),
        }

    @property
    def _risk_content(self) -> dict[str, Any]:
        """What it tells of risks; without any it is nothing, so that such files keep their fingerprint."""
        return {
            **({} if self.risk is None else {"risk": self.risk.content()}),
            **({"chain": [risk.content() for risk in self.chain]} if self.chain else {}),
            **({} if self.band is None else {"band": self.band.content()}),
        }

    def summary(self) -> dict[str, Any]:
        """The rule and its scores, for machines."""
        rows = [front[place] for front, place in zip(self.fronts, self.chosen, strict=True)]
        chosen = [{**row.content(), "formula": str(row.formula)} for row in rows]
        rule = {"target": self.target, "classes": self.classes, "formulas": list(map(str, self.written))}
        known = {"fingerprint": self.fingerprint, "chosen": chosen, "notes": self.record.content()}
        return {**rule, **known, "risk": None, **self._risk_content}

    def with_facts(self, **facts: Any) -> "Model":
        """The same model with more facts in its record."""
        return replace(self, record=replace(self.record, written=None, **facts))

    def to_json(self) -> str:
        """The model as a versioned, sealed JSON document."""
        return seal(KIND, VERSION, self.content(), indent=1)

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 that stands in the model file, on the report page and on top of every export."""
        return sealed_fingerprint(KIND, VERSION, self.content())

    def save(self, path: str | Path) -> None:
        """Writes the model file; an existing file is replaced only when the new one was read back and is this model."""
        from crystalogic.model.file import save

        save(self, path)

    @staticmethod
    def from_json(text: str) -> "Model":
        """The model that `to_json` wrote, validated; `check` goes through its certificate."""
        from crystalogic.model.file import read_model

        return read_model(text)

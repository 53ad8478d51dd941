"""An exported file as expressions of the columns, one for each thing that it tells: a query of SQL, or a program.

What stands around the rule must be what it always is. The functions that a program defines for itself are known by the
fingerprints of their texts: they mean what `meaning` says, which tests see to, and one changed letter is refused.
"""

import hashlib
import re
from collections.abc import Sequence

from crystalogic.model import Model
from crystalogic.model.risk import LEVEL
from crystalogic.readback.syntax import FAILS, Language, Node, Parser, constant, express, refuse

_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]")  # that end a comment or hide something
_NAMES = re.compile(r"[vnfs]\d+|degree(s|_\d+)|place|decision|score|probabilit(y|ies)|ask|PROBABILITIES|ORDER")
Told = dict[str, Node]  # "decision", "degree 0", …, "score", "probability", "ask", "probability 0", …


def find_best(order: Sequence[int], degrees: Sequence[Node], sign: str = ">") -> Node:
    """The place that is left when each, in the order, replaces the one before it where the comparison holds."""
    best = constant(order[0])
    for place in order[1:]:
        held = Node("index", (*degrees, best), "c")
        best = Node("if", (Node({"==": "="}.get(sign, sign), (degrees[place], held)), constant(place), best))
    return best


def choose(order: Sequence[int], degrees: Sequence[Node], values: Sequence[Node]) -> Node:
    """The value at the place of the largest degree, of equal ones the first in the order."""
    return Node("index", (*values, find_best(order, degrees)), "c")


def share_out(told: Sequence[Node], order: Sequence[int], place: Node) -> list[Node]:
    """How likely each class of a list is, step by step as exports compute it."""
    left, shares = constant(1), [constant(0)] * len(order)
    for share, index in zip(told, order, strict=False):
        shares[index] = express("left * share", left=left, share=share)
        left = express("left * (1 - share)", left=left, share=share)
    shares[order[-1]] = left
    places, own = map(constant, range(len(order))), Node("index", (*shares, place), "c")
    lacking = express("most - own", most=choose(range(len(order)), shares, shares), own=own)
    moved = express(f"lacking == 0 ? 0 : lacking / (1 + lacking) + {LEVEL!r}", lacking=lacking)
    scaled = "share * (1 - moved) + (place == other ? moved : 0)"
    known = {"moved": moved, "place": place}
    return [express(scaled, share=share, other=other, **known) for other, share in zip(places, shares, strict=True)]


def read_file(text: str, model: Model, language: Language) -> Told:
    """What the file tells, or a ReadbackError."""
    return (_Query if language.family == "sql" else _Program)(text, model, language).read()


class _File:
    def __init__(self, text: str, model: Model, language: Language) -> None:
        self.text, self.model, self.language = text, model, language
        self.columns = {name: Node("column", (), name) for name in model.columns}
        self.known: dict[str, Node] = {}  # what has a name

    def resolve(self, name: str) -> Node:
        found = self.known.get(self.key(name)) or self.columns.get(name)
        return found or refuse(f"{name!r} is no column of the model, and nothing else that is known there")

    def key(self, name: str) -> str:
        return name if self.language.family != "sql" or "tells case" in self.language.traits else name.lower()


class _Query(_File):
    """A query: layers of names, each over the one before, and what is told; or one expression."""

    def read(self) -> Told:
        self.parser = Parser(self.text, self.language, self.resolve)
        if self.parser.take("CREATE", "VIEW"):
            self._table()
            self.parser.expect("AS")
        if not self.parser.take("WITH"):
            return {"decision": self.parser.whole()}
        source = None
        while source is None or self.parser.take(","):
            name = self.parser.advance("word")
            self.parser.expect("AS")
            self.parser.take("MATERIALIZED")
            self.parser.expect("(")
            self.known |= self._select(source)[0]
            self.parser.expect(")")
            source = name
        told, has_all = self._select(source)
        self.parser.take(";")
        self.parser.advance("end")
        return self._name_all({**(self.known if has_all else {}), **told})

    def _table(self) -> None:
        self.parser.name()
        while self.parser.take("."):
            self.parser.name()

    def _select(self, source: str | None) -> tuple[Told, bool]:
        """The columns that a layer makes, by their names, and whether it has those before it, too."""
        self.parser.expect("SELECT")
        found, has_all, is_first = Told(), False, True
        while is_first or self.parser.take(","):
            is_first = False
            if self.parser.take("T", ".", "*"):
                has_all = True
                continue
            name, node = self._item()
            if node is not None and found.setdefault(self.key(name), node) is not node:
                refuse(f"two columns are called {name!r}")
        self.parser.expect("FROM")
        if source is None:
            self._table()
        elif self.parser.advance("word") != source:
            refuse(f"a step does not read {source}, the one before it")
        self.parser.expect("AS", "T")
        return found, has_all

    def _item(self) -> tuple[str, Node | None]:
        ahead = [token.text for token in self.parser.tokens[self.parser.at : self.parser.at + 4]]
        if ahead[:2] == ["t", "."] and ahead[3] in (",", "FROM"):  # a column that is kept as it is
            self.parser.at += 2
            name = self.parser.name()
            return name, self.known.get(self.key(name))
        node = self.parser.expression()
        self.parser.expect("AS")
        return self.parser.name(), node

    def _name_all(self, found: Told) -> Told:
        """What is told, by what it is instead of by how the query calls it."""

        def find(*names: str) -> Node:
            patterns = (re.escape(self.key(name)) + ending for ending in ("", r" \d+") for name in names)
            like = (node for each in patterns for own, node in found.items() if re.fullmatch(each, own))
            return next(like, None) or refuse(f"the query has no column {names[0]!r}")

        model = self.model
        told = {"decision": find(f"predicted {model.target}", "predicted")}
        labels = (model.classes or ())[-len(model.formulas) :]
        for n, label in enumerate(labels):
            told[f"degree {n}"] = find(f"degree of {label}", f"degree {n + 1}")
            if model.chain:
                told[f"probability {n}"] = find(f"probability of {label}", f"probability {n + 1}")
        if model.risk is not None:
            told |= {"score": find("score"), "probability": find(f"probability of {labels[0]}", "probability")}
        return told | ({"ask": find("ask")} if model.band is not None else {})


class _Program(_File):
    """A function of Python, C or JavaScript, brought to lines `name = expression` first."""

    def read(self) -> Told:
        found = None if _CONTROLS.search(self.text) else re.fullmatch(self.language.frame, self.text, re.DOTALL)
        parts = found.groupdict() if found else refuse("what stands around the rule is not what an export has there")
        defined, language, refused = self._definitions(parts["prelude"]), self.language, constant(False)
        self.spoken = Language(**vars(language), defined=defined)
        if language.family == "c":
            self._look_at_c(parts)
        body = parts["body"]
        for pattern, new in language.rewrites:
            before = ""
            while body != before:
                before, body = body, re.sub(pattern, new, body, flags=re.MULTILINE)
        *lines, last = body.removesuffix("\n").split("\n")
        for line in lines:
            name, equals, text = line.partition(" = ")
            if line.startswith("refuse "):
                refused = self._parse(line[7:])
            elif not equals or name in self.known or not _NAMES.fullmatch(name):
                refuse(f"the line {line.strip()!r} is not one that is known")
            else:
                self.known[name] = self._define(name, text, defined)
        alone = ("decision", "score", "probability", "ask")
        told: Told = {name: self.known[name] for name in alone if name in self.known}
        n_told = len(told) - 1 + ("probabilities" in self.known)
        if not last.startswith("give") or (language.family != "c" and last.count(",") != n_told):
            refuse("the function does not end by giving what it found")
        for many, one in (("degrees", "degree"), ("probabilities", "probability")):
            listed = self.resolve(many).parts if many == "degrees" or many in self.known else ()
            told |= {f"{one} {index}": node for index, node in enumerate(listed)}
        return {name: Node("if", (refused, constant(None), node)) for name, node in told.items()}

    def resolve(self, name: str) -> Node:
        if name == "degrees" and name not in self.known:  # of C, one by one
            return Node("list", tuple(self.resolve(f"degree_{index}") for index in range(len(self.model.formulas))))
        return self.known.get(name) or refuse(f"{name!r} is used before it is known")

    def _parse(self, text: str) -> Node:
        return Parser(text, self.spoken, self.resolve).whole()

    def _define(self, name: str, text: str, defined: set[str]) -> Node:
        if (found := re.fullmatch(r"(column|field|argmax|share_out|shareOut)\((.*)\)", text)) is None:
            return self._parse(text)
        match found[1], self._parse(f"({found[2]},)").parts:
            case "column", [one] if one.value in self.columns and {self.language.name, *defined} & {"python", "column"}:
                return self.columns[one.value]
            case "field", [one] if name == f"v{one.value}" and 1 <= one.value <= len(self.model.columns):
                return self.columns[self.model.columns[one.value - 1]]
            case "argmax", [order, *_] if self.language.name == "python" and _is_beyond(order, self.model):
                return constant(FAILS)
            case "argmax", [order, degrees, sign]:
                return find_best(self._order(order), degrees.parts, sign.value)
            case (("share_out" | "shareOut"), [told, order, place]) if found[1] in defined:
                return Node("list", tuple(share_out(told.parts, self._order(order), place)))
        refuse(f"{text!r} is not one that is known")

    def _order(self, order: Node) -> list[int]:
        found, n = [part.value for part in order.parts], len(self.model.formulas)
        is_order = len(found) == n and set(found) <= set(range(n))
        return found if is_order else refuse(f"{found} is no order of the classes")

    def _definitions(self, prelude: str) -> set[str]:
        """The names that the file defines, each with a known text and after those that it uses; and int."""
        names, defined = {text: name for name, text in self.language.prelude.items()}, {"int"}
        for chunk in filter(str.strip, re.split(self.language.chunks, prelude, flags=re.MULTILINE)):
            name = names.get(fingerprint(chunk)) or refuse(f"the definition {chunk.strip()[:40]!r}… was changed")
            defined.add(name)
            used = set(re.findall(r"\b(?:[A-Z]+\b|\w+(?=\())", chunk)) & set(self.language.prelude)
            if not used <= defined:
                refuse(f"{name} uses {min(used - defined)}, which is not defined before it")
        return defined

    def _look_at_c(self, parts: dict[str, str]) -> None:
        """The labels, the fields of the row, and that a row without a decision gets all that says so."""
        self.known["LABELS"] = self._parse(f"({parts['labels']},)")
        model, wanted = self.model, []
        for index, name in enumerate(model.columns, 1):
            shown = "".join(char if char.isprintable() else " " for char in name)
            shown = re.sub(r"\?(?=\?)|\*(?=/)|/(?=\*)", r"\g<0> ", shown).rstrip()
            wanted.append(f"    {'double ' if is_number(model, name) else 'const char *'}v{index}; /* {shown} */\n")
        n_nan = len(model.formulas) * (1 + bool(model.chain)) + (model.risk is not None)
        n_told = (model.risk is not None) + (model.band is not None)
        unset = set(re.findall(r"^        (\w+\[\d+\]) = (NAN|-1);$", parts["body"], re.MULTILINE))
        problems = {
            "the fields of the row are not the columns of the model": wanted and parts["fields"] != "".join(wanted),
            "a row without a decision is not told all that says so": "return -1;" in parts["body"]
            and sorted(value for _, value in unset) != ["-1"] * n_told + ["NAN"] * n_nan,
            "stdlib.h is not included where it is needed": "strtod" in parts["prelude"] and not parts["stdlib"],
        }
        for problem in (each for each, is_there in problems.items() if is_there):
            refuse(problem)


def _is_beyond(order: Node, model: Model) -> bool:
    """Whether an order has a place that there is not."""
    return any(type(part.value) is int and part.value >= len(model.formulas) for part in order.parts)


def is_number(model: Model, column: str) -> bool:
    """Whether exports with types take the column for one of numbers."""
    literals = (model.encoding.literals[name] for name in model.names)
    compared = any(each.needs_number for each in literals if each.column == column)
    return compared or model.encoding.by_name[column].kind in ("number", "code")


def fingerprint(chunk: str) -> str:
    return hashlib.sha256(chunk.strip().encode()).hexdigest()[:16]

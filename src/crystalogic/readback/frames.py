"""An exported file as expressions of the columns, one for each thing that it tells: a query of SQL, or a program.

What stands around the rule must be what it always is. The functions that a program defines for itself are known by the
fingerprints of their texts: they mean what `meaning` says, which tests see to, and one changed letter is refused.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from crystalogic.model import Model
from crystalogic.model.risk import LEVEL
from crystalogic.readback.syntax import Language, Node, Parser, constant, refuse

Told = dict[str, Node]  # "decision", "degree 0", …, "score", "probability", "ask", "probability 0", …


def choose(order: Sequence[int], degrees: Sequence[Node], values: Sequence[Node]) -> Node:
    """The value at the place of the largest degree, of equal ones the first in the order."""
    found = constant(None)
    for place in reversed(order):
        condition = constant(True)
        for other in (each for each in order if each != place):
            reached = Node(">=", (degrees[place], degrees[other]))
            condition = reached if condition.op == "constant" else Node("and", (condition, reached))
        found = Node("if", (condition, values[place], found))
    return found


def find_best(order: Sequence[int], degrees: Sequence[Node], sign: str) -> Node:
    """The place that is left when each, in the order, replaces the one before it where the comparison holds."""
    if sign == ">":
        return choose(order, degrees, list(map(constant, range(len(degrees)))))
    best = constant(order[0])
    for place in order[1:]:
        held = Node("index", (*degrees, best), "c")
        best = Node("if", (Node({"==": "="}.get(sign, sign), (degrees[place], held)), constant(place), best))
    return best


def share_out(told: Sequence[Node], order: Sequence[int], place: Node) -> list[Node]:
    """How likely each class of a list is, step by step as exports compute it."""
    one, found, left = constant(1), {}, constant(1)
    for share, index in zip(told, order, strict=False):
        found[index] = share if left.op == "constant" else Node("*", (left, share))
        rest = Node("-", (one, share))
        left = rest if left.op == "constant" else Node("*", (left, rest))
    found[order[-1]] = left
    shares = [found[index] for index in range(len(order))]
    own = constant(None)
    for index in reversed(range(len(order))):
        own = Node("if", (Node("=", (place, constant(index))), shares[index], own))
    lacking = Node("-", (choose(order, shares, shares), own))
    grown = Node("+", (Node("/", (lacking, Node("+", (one, lacking)))), constant(LEVEL)))
    moved = Node("if", (Node("=", (lacking, constant(0))), constant(0), grown))
    kept = Node("-", (one, moved))
    return [
        Node("+", (Node("*", (share, kept)), Node("if", (Node("=", (place, constant(index))), moved, constant(0)))))
        for index, share in enumerate(shares)
    ]


def read_file(text: str, model: Model, language: Language) -> Told:
    """What the file tells, or a ReadbackError."""
    known = {name: Node("column", (), name) for name in model.columns}
    return (_Query if language.family == "sql" else _Program)(text, model, language, known).read()


class _File:
    def __init__(self, text: str, model: Model, language: Language, columns: dict[str, Node]) -> None:
        self.text, self.model, self.language, self.columns = text, model, language, columns
        self.known: dict[str, Node] = {}  # what has a name

    def resolve(self, name: str) -> Node:
        if self.key(name) in self.known:
            return self.known[self.key(name)]
        return self.columns.get(name) or refuse(f"{name!r} is no column of the model, and nothing else")

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
        while True:
            name = self.parser.advance("word")
            self.parser.expect("AS")
            self.parser.take("MATERIALIZED")
            self.parser.expect("(")
            self.known |= self._select(source)[0]
            self.parser.expect(")")
            source = name
            if not self.parser.take(","):
                break
        told, has_all = self._select(source)
        self.parser.take(";")
        self.parser.advance("end")
        return self._name_all(told | {name: node for name, node in self.known.items() if has_all and name not in told})

    def _table(self) -> None:
        self.parser.name()
        while self.parser.take("."):
            self.parser.name()

    def _select(self, source: str | None) -> tuple[dict[str, Node], bool]:
        """The columns that a layer makes, by their names, and whether it has those before it, too."""
        self.parser.expect("SELECT")
        found: dict[str, Node] = {}
        has_all = False
        while True:
            if self.parser.take("T", ".", "*"):
                has_all = True
            else:
                name, node = self._item()
                if node is not None and found.setdefault(self.key(name), node) is not node:
                    refuse(f"two columns are called {name!r}")
            if not self.parser.take(","):
                break
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

    def _name_all(self, found: dict[str, Node]) -> Told:
        """What is told, by what it is instead of by how the query calls it."""
        model, told = self.model, {}

        def find(*names: object) -> Node:
            for ending in ("", r" \d+"):
                for name in map(str, names):
                    pattern = re.escape(self.key(name)) + ending
                    hit = next((node for own, node in found.items() if re.fullmatch(pattern, own)), None)
                    if hit is not None:
                        return hit
            refuse(f"the query has no column {names[0]!r}")

        told["decision"] = find(f"predicted {model.target}", "predicted")
        if model.classes is None:
            return told
        labels = model.classes[1:] if len(model.formulas) == 1 else model.classes
        for index, label in enumerate(labels):
            told[f"degree {index}"] = find(f"degree of {label}", f"degree {index + 1}")
            if model.chain:
                told[f"probability {index}"] = find(f"probability of {label}", f"probability {index + 1}")
        if model.risk is not None:
            told |= {"score": find("score"), "probability": find(f"probability of {labels[0]}", "probability")}
            told |= {"ask": find("ask")} if model.band is not None else {}
        return told


class _Program(_File):
    """A function of Python, C or JavaScript, brought to lines `name = expression` first."""

    def read(self) -> Told:
        found = re.fullmatch(self.language.frame, self.text, re.DOTALL)
        if found is None:
            refuse("what stands around the rule is not what an export has there")
        parts = found.groupdict()
        defined = self._definitions(parts["prelude"])
        if self.language.family == "c":
            self._look_at_c(parts)
        kept = {"functions": {name: n for name, n in self.language.functions.items() if name in {*defined, "int"}}}
        kept["definitions"] = {name: text for name, text in self.language.definitions.items() if name in defined}
        self.spoken, body, refused = replace(self.language, **kept), self._rewrite(parts["body"]), constant(False)
        *lines, last = body.removesuffix("\n").split("\n")
        for line in lines:
            if line.startswith("refuse "):
                refused = self._parse(line[7:])
                continue
            name, equals, text = line.partition(" = ")
            if not equals or name in self.known or not name.isidentifier():
                refuse(f"the line {line.strip()!r} is not one that is known")
            self.known[name] = self._define(name, text, defined)
        n_told = sum(name in self.known for name in ("score", "probability", "ask", "probabilities"))
        if not last.startswith("give") or (self.language.family != "c" and last.count(",") != n_told):
            refuse("the function does not end by giving what it found")
        told = {name: self.known[name] for name in ("decision", "score", "probability", "ask") if name in self.known}
        for many, one in (("degrees", "degree"), ("probabilities", "probability")):
            listed = self.resolve(many).parts if many in self.known or many == "degrees" else ()
            told |= {f"{one} {index}": node for index, node in enumerate(listed)}
        return {name: Node("if", (refused, constant(None), node)) for name, node in told.items()}

    def resolve(self, name: str) -> Node:
        if name == "degrees" and name not in self.known:  # of C, one by one
            names = (f"degree_{index}" for index in range(len(self.model.formulas)))
            return Node("list", tuple(self.known.get(each) or refuse(f"{each} is not computed") for each in names))
        return super().resolve(name) if name in self.known else refuse(f"{name!r} is used before it is known")

    def _parse(self, text: str) -> Node:
        return Parser(text, self.spoken, self.resolve).whole()

    def _define(self, name: str, text: str, defined: list[str]) -> Node:
        if found := re.fullmatch(r"(column|field|argmax|share_out|shareOut)\((.*)\)", text):
            what, parts = found[1], Parser(f"({found[2]},)", self.spoken, self.resolve).whole().parts
            match what, parts:
                case ("column", [one]) if one.value in self.columns and (self.language.name != "javascript" or what in defined):
                    return self.columns[one.value]
                case ("field", [one]) if name == f"v{one.value}":
                    return self.columns[self.model.columns[one.value - 1]]
                case ("argmax", [order, degrees, sign]):
                    return find_best(self._order(order), degrees.parts, sign.value)
                case ("share_out" | "shareOut", [told, order, place]) if what in defined:
                    return Node("list", tuple(share_out(told.parts, self._order(order), place)))
            refuse(f"{text!r} is not one that is known")
        return self._parse(text)

    def _order(self, order: Node) -> list[int]:
        found = [part.value for part in order.parts]
        if sorted(found) != list(range(len(self.model.formulas))):
            refuse(f"{found} is no order of the classes")
        return found

    def _definitions(self, prelude: str) -> list[str]:
        """The names that the file defines, each with a known text and after those that it uses."""
        names = {fingerprint: name for name, fingerprint in self.language.prelude.items()}
        defined: list[str] = []
        for chunk in filter(str.strip, re.split(self.language.chunks, prelude, flags=re.MULTILINE)):
            name = names.get(fingerprint(chunk)) or refuse(f"the definition {chunk.strip()[:40]!r}… was changed")
            defined.append(name)
            used = set(re.findall(r"\b(?:[A-Z]+\b|\w+(?=\())", chunk)) & set(self.language.prelude)
            if not used <= set(defined):
                refuse(f"{name} uses {min(used - set(defined))}, which is not defined before it")
        return defined

    def _rewrite(self, body: str) -> str:
        for pattern, new in self.language.rewrites:
            for _ in range(1000):
                before, body = body, re.sub(pattern, new, body, flags=re.MULTILINE)
                if body == before:
                    break
        return body

    def _look_at_c(self, parts: dict[str, str]) -> None:
        """The labels, the fields of the row, and that a row without a decision gets all that says so."""
        self.known["LABELS"] = Parser(f"({parts['labels']},)", self.language, self.resolve).whole()
        encoding, wanted = self.model.encoding, []
        for index, name in enumerate(self.model.columns, 1):
            shown = "".join(char if char.isprintable() else " " for char in name)
            shown = re.sub(r"\?(?=\?)|\*(?=/)|/(?=\*)", r"\g<0> ", shown).rstrip()
            kind = "double " if is_number(self.model, name) else "const char *"
            wanted.append(f"    {kind}v{index}; /* {shown} */\n")
        if parts["fields"] != ("".join(wanted) or "    char nothing; /* the rule reads no column */\n"):
            refuse("the fields of the row are not the columns of the model")
        n_unset = len(self.model.formulas) * (1 + bool(self.model.chain)) + (self.model.risk is not None)
        unset = set(re.findall(r"^        (\w+\[\d+\]) = NAN;$", parts["body"], re.MULTILINE))
        n_told = 0 if self.model.risk is None else 1 + (self.model.band is not None)
        other = set(re.findall(r"^        (\w+\[\d+\]) = -1;$", parts["body"], re.MULTILINE))
        if "return -1;" in parts["body"] and (len(unset), len(other)) != (n_unset, n_told):
            refuse("a row without a decision is not told everything that says so")
        if ("strtod" in parts["prelude"]) != bool(parts["stdlib"]):
            refuse("stdlib.h is included where it is needed, and nowhere else")


def is_number(model: Model, column: str) -> bool:
    """Whether exports with types take the column for one of numbers."""
    literals = (model.encoding.literals[name] for name in model.names)
    compared = any(each.needs_number for each in literals if each.column == column)
    return compared or model.encoding.by_name[column].kind in ("number", "code")


def fingerprint(chunk: str) -> str:
    return hashlib.sha256(chunk.strip().encode()).hexdigest()[:16]


Reader = Callable[[str, Model, Language], Told]

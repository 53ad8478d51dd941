"""Questions: what is proved is attacked with rows of the scope, what is refuted must be so by the oracle."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.fitting import model_of
from crystalogic.logic.parse import parse
from oracle.case import Case
from oracle.cells import is_missing
from oracle.commands import command, strict_json
from oracle.draws import (
    Counted,
    Drawn,
    braced,
    draw_column,
    draw_levels,
    draw_model,
    draw_points,
    draw_ties,
    model_with,
)
from oracle.rules import Refused, Rule, load
from oracle.scopes import Field, Row, cell_of, contains, draw_row, holds, known_values, values_of

SECONDS = "3"
QUESTIONS = (
    *("monotone", "monotone", "ignores", "never", "always", "diff", "diff", "diff"),
    *("reason", "robust", "counterfactual", "missing", "risk", "risk"),
)
MOST_ROWS = 60
SEEN = 400  # rows up to which all are looked at


def attack(case: Case) -> None:
    """One question about a random model, or about two."""
    question = case.draw.choice(QUESTIONS)
    if question == "diff":
        diff(case)
        return
    if question == "risk":
        counting = draw_points(case.draw, case.folder, ("age", "dept", "x"))
        if counting.drawn.rule.reads:
            case.draw.choice((risk_range, risk_monotone, risk_counterfactual))(case, counting)
        return
    if question in ("never", "always") and case.draw.random() < 0.4:
        ties(case, question)
        return
    drawn = draw_model(case.draw, case.folder, graded=case.draw.random() < 0.6)
    if not drawn.rule.reads:
        return
    by_name = {"monotone": monotone, "ignores": ignores, "reason": reason, "robust": robust}
    by_name |= {"counterfactual": counterfactual, "missing": missing}
    by_name.get(question, said_of_rows)(case, drawn, question)


def ask(case: Case, *arguments: str) -> Any:
    """The answer of a command as JSON; None where the question was refused with a sentence."""
    said = command(*arguments, "--time", SECONDS, "--json")
    case.expect(said.code in (0, 1), f"{arguments}: exit code {said.code}, {said.err[:300]}")
    if not said.out:
        case.expect("Error" in said.err, f"{arguments}: no answer: {said.err[:300]}")
        return None
    answer = strict_json(said.out)
    case.same(said.code == 0, answer["verdict"] == "proved", f"{arguments}: exit code")
    return answer


def choices_of(answer: Any, rules: Sequence[Rule], case: Case) -> list[dict[str, list[Any]]]:
    """The values of every column, by the scope that is stated, and by what the models themselves know."""
    fields: dict[str, Field] = {field["column"]: field for field in answer["scope"]}
    stated: dict[str, list[Any]] = {}
    known: dict[str, list[Any]] = {}
    for name, field in fields.items():
        gap = [None] if field["may_miss"] else []
        words = [rule.columns[name].words for rule in rules if name in rule.columns]
        stated[name] = [*present(values_of(field, rules, case.draw), words), *gap]
        values = [value for rule in rules if name in rule.columns for value in known_values(rule, name, case.draw)]
        values = present(values, words)
        known[name] = [*(values or stated[name]), *([] if not values else gap)]
    return [stated, known]


def present(values: Sequence[Any], words: Sequence[frozenset[str]]) -> list[Any]:
    """The values that stand for missing in no model."""
    return [value for value in values if not any(is_missing(value, each) for each in words)]


def rows_of(choices: Mapping[str, Sequence[Any]], case: Case) -> list[Row]:
    """All rows, or some of them."""
    n_rows = 1
    for values in choices.values():
        n_rows *= len(values)
    if not n_rows:
        return []
    if n_rows <= SEEN:
        return [dict(zip(choices, row, strict=True)) for row in product(*choices.values())]
    return [draw_row(choices, case.draw) for _ in range(MOST_ROWS)]


def value_of(rule: Rule, row: Row, label: Any, *, is_degree: bool) -> Fraction | None:
    """How much of a class a row has: its degree, or 1 if it is decided for; None if the row is refused."""
    try:
        degrees = rule.degrees(row)
    except Refused:
        return None
    if rule.classes is None:
        return degrees[0]
    place = rule.classes.index(label)
    if is_degree:
        return degrees[place if len(degrees) > 1 else 0]
    return Fraction(rule.place(degrees) == place)


def about(drawn: Drawn, case: Case) -> tuple[Any, bool, list[str]]:
    """A class, whether its degree is meant, and the options that say so."""
    classes = drawn.rule.classes
    if classes is None:
        return None, True, []
    is_degree = case.draw.random() < 0.3
    label = classes[1] if len(classes) == 2 else case.draw.choice(classes)
    options = ["--degree"] if is_degree else []
    return label, is_degree, [*options, *(["--class", str(label)] if len(classes) > 2 else [])]


def monotone(case: Case, drawn: Drawn, _: str) -> None:
    """More of a column never means less of a class."""
    rule = drawn.rule
    ordered = [name for name in rule.reads if rule.columns[name].kind != "category"]
    if not ordered:
        return
    column = case.draw.choice(ordered)
    label, is_degree, options = about(drawn, case)
    falls = case.draw.random() < 0.5
    answer = ask(case, "ask", str(drawn.path), "monotone", column, *options, *(["--decreasing"] if falls else []))
    if answer is None:
        return
    what = f"{answer['verdict']} monotone {column!r} {options} decreasing={falls} of {drawn.model}"
    if answer["verdict"] == "refuted":
        low, high = shown_rows(case, answer, [rule], what)
        before, after = (value_of(rule, row, label, is_degree=is_degree) for row in (low, high))
        case.expect(_is_lost(before, after, falls), f"{what}: {low} gives {before}, {high} gives {after}")
        _expect_rise(case, answer, column, (low, high), what)
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, [rule], case):
            if column not in choices:
                continue
            rising = [value for value in choices[column] if value is not None]
            for row in rows_of({name: values if name != column else [None] for name, values in choices.items()}, case):
                found = [value_of(rule, {**row, column: value}, label, is_degree=is_degree) for value in rising]
                for (x, before), (y, after) in zip(
                    pairs := list(zip(rising, found, strict=True)), pairs[1:], strict=False
                ):
                    case.expect(not _is_lost(before, after, falls), f"{what}: {row} {x} {before} and {y} {after}")


def _place(field: Field, value: Any) -> Any:
    return Fraction(value) if "low" in field else [str(each) for each in field["values"]].index(str(value))


def _is_lost(before: Fraction | None, after: Fraction | None, falls: bool) -> bool:
    return before is not None and after is not None and (after > before if falls else after < before)


def shown_rows(case: Case, answer: Any, rules: Sequence[Rule], what: str) -> list[Row]:
    """The rows of an answer as cells, all of them within its scope, decided as it says."""
    fields = {field["column"]: field for field in answer["scope"]}
    found = []
    for place, shown in enumerate(answer["cases"]):
        for column, value in shown["row"].items():
            if column in fields:
                case.expect(contains(fields[column], value), f"{what}: {column} = {value!r} is not in {fields[column]}")
        row = {column: cell_of(fields[column], value) for column, value in shown["row"].items() if column in fields}
        rule = rules[min(place, len(rules) - 1)]
        try:
            degrees = rule.degrees(row)
        except Refused:
            case.expect(False, f"{what}: {row} is refused")
            continue
        case.same([Fraction(each) for each in shown["degrees"]], list(degrees), f"{what}: {row}: degrees")
        decision = str(degrees[0]) if rule.classes is None else rule.classes[rule.place(degrees)]
        case.same(shown["decision"], decision, f"{what}: {row}: decision")
        found.append(row)
    return found


def ignores(case: Case, drawn: Drawn, _: str) -> None:
    """A column makes no difference."""
    rule = drawn.rule
    column = case.draw.choice(rule.reads)
    label, is_degree, options = about(drawn, case)
    answer = ask(case, "ask", str(drawn.path), "ignores", column, *options)
    if answer is None:
        return
    what = f"{answer['verdict']} ignores {column!r} {options} of {drawn.model}"
    everything = "--class" not in options and not is_degree

    def told(row: Row) -> Any:
        if everything and rule.classes is not None:
            try:
                return rule.decision(row)
            except Refused:
                return None
        return value_of(rule, row, label, is_degree=is_degree)

    if answer["verdict"] == "refuted":
        one, other = shown_rows(case, answer, [rule], what)
        case.expect(told(one) != told(other), f"{what}: {one} and {other} are alike: {told(one)}")
        case.expect(all(one[name] == other[name] for name in one if name != column), f"{what}: {one} and {other}")
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, [rule], case):
            if column not in choices:
                continue
            for row in rows_of({name: values if name != column else [None] for name, values in choices.items()}, case):
                found = {told({**row, column: value}) for value in choices[column]} - {None}
                case.expect(len(found) < 2, f"{what}: {row} with other {column}: {found}")


def said_of_rows(case: Case, drawn: Drawn, question: str) -> None:
    """A class is never, or always, given, perhaps under a condition."""
    rule = drawn.rule
    if rule.classes is None:
        return
    label = case.draw.choice(rule.classes)
    if str(label).startswith("-"):
        return  # an option, for the command line
    condition = statement(case, rule) if case.draw.random() < 0.6 else None
    options = ["--when", braced(f"{condition[0]} {condition[1]} {condition[2]}")] if condition else []
    answer = ask(case, "ask", str(drawn.path), question, str(label), *options)
    if answer is None:
        return
    what = f"{answer['verdict']} {question} {label!r} {options} of {drawn.model} {rule.order}"
    orders = {name: each.known for name, each in rule.columns.items() if each.kind == "ordinal"}

    def fails(row: Row) -> bool:
        try:
            is_given = rule.decision(row) == label
        except Refused:
            return False
        return (is_given == (question == "never")) and (condition is None or holds(condition, row, orders))

    if answer["verdict"] == "refuted":
        for row in shown_rows(case, answer, [rule], what):
            case.expect(fails(row), f"{what}: {row} does not contradict it")
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, [rule], case):
            for row in rows_of(choices, case):
                case.expect(not fails(row), lambda row=row: f"{what}: {row} contradicts it")  # type: ignore[misc]


def ties(case: Case, question: str) -> None:
    """A class is given, or not, of one row at which degrees are equal."""
    drawn, table = draw_ties(case.draw, case.folder)
    row = table.row(0)
    label = case.draw.choice(drawn.rule.classes or ())
    when = " ∧ ".join(braced(f"{name} = {value!r}") for name, value in row.items())
    answer = ask(case, "ask", str(drawn.path), question, str(label), "--when", when)
    if answer is not None and answer["verdict"] != "undecided":
        is_given = drawn.rule.decision(row) == label
        says_given = (answer["verdict"] == "proved") == (question == "always")
        case.same(says_given, is_given, f"{answer['claim']} {answer['verdict']} of {drawn.model} {drawn.rule.order}")
        predicted = drawn.model.predict({name: [value] for name, value in row.items()})[0]
        case.same(predicted == label, is_given, f"predict {row} of {drawn.model} {drawn.rule.order}")


def statement(case: Case, rule: Rule) -> tuple[str, str, str] | None:
    """Something that can be said of a column, with a value that is a plain word or number."""
    column = rule.columns[case.draw.choice(rule.reads)]
    if column.name in (rule.target, "degree of yes") or not column.name.isidentifier():
        return None
    if column.kind == "number":
        literal = column.literals[0]
        edge = float(literal.get("at", literal.get("low", 0.0)))
        return column.name, case.draw.choice(["≥", "<"]), repr(edge)
    plain = [level for level in column.known if level.isalnum() and level.isascii()]
    if not plain:
        return None
    signs = ["=", "≠"] if column.kind == "category" else ["=", "≠", "≥", "<"]
    return column.name, case.draw.choice(signs), case.draw.choice(plain)


def diff(case: Case) -> None:
    """Two models say the same of every row; often one was made from the other."""
    draw = case.draw
    if draw.random() < 0.5:
        old, new = two_readings(case)
    else:
        old = draw_model(draw, case.folder, graded=draw.random() < 0.6)
        columns = {column.name: column for column in old.model.encoding.columns}
        for name in columns:
            if draw.random() < 0.4:
                columns[name] = draw_column(name, draw)
        new = model_with(draw, case.folder, Encoding(tuple(columns.values())), old.rule.classes, "new.json")
    answer = ask(case, "diff", str(old.path), str(new.path))
    if answer is None:
        return
    rules = [old.rule, new.rule]
    one, other = (f"{each.model} {each.model.encoding.columns}" for each in (old, new))
    what = f"{answer['verdict']} diff of {one} and {other}"
    if answer["verdict"] == "refuted":
        rows = shown_rows(case, answer, rules, what)
        if len(rows) == 2:
            case.expect(told_apart(rules, rows[0]), f"{what}: {rows[0]} is the same for both")
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, rules, case):
            for row in rows_of(choices, case):
                case.expect(not told_apart(rules, row), lambda row=row: f"{what}: {row} is not the same for both")  # type: ignore[misc]


def two_readings(case: Case) -> tuple[Drawn, Drawn]:
    """One column of codes, read as a category in one model and as numbers in the other: 007 is not 7 in both.

    Often both models ask for the same numbers, and one for some codes as well.
    """
    draw = case.draw
    numbers = sorted(draw.sample(range(1, 9), 3))
    code = Column("c", "code", tuple(Is("c", str(n)) for n in numbers), tuple(map(str, numbers)))
    plain, coded = [str(n) for n in numbers[:2]], [f"0{draw.choice(numbers)}", f"00{draw.choice(numbers)}"]
    known = tuple(sorted({*plain, *coded, *(draw_levels(draw, 1) if draw.random() < 0.3 else [])}))
    category = Column("c", "category", tuple(Is("c", text) for text in known), known)
    wanted = draw.sample(plain, draw.randint(1, 2))
    more = [*wanted, *draw.sample(coded, draw.randint(0, 2))]
    same = [" ⊕ ".join(f"{{c={text}}}" for text in texts) for texts in (more, wanted)]
    readings = list(zip((Encoding((category,)), Encoding((code,))), same, ("cat.json", "code.json"), strict=True))
    draw.shuffle(readings)
    found = []
    for encoding, text, name in readings:
        drawn = model_with(draw, case.folder, encoding, ("n", "p"), name)
        if draw.random() < 0.8:
            model = model_of([parse(text)], encoding, "y", ("n", "p"))
            model.save(drawn.path)
            drawn = Drawn(model, load(drawn.path), drawn.path)
        found.append(drawn)
    return found[0], found[1]


def told_apart(rules: Sequence[Rule], *rows: Row) -> bool:
    """Whether different things are said of a row by models, or of rows by a model, where all are decided."""
    try:
        found = [rule.decision(row) for rule in rules for row in rows]
    except Refused:
        return False
    return any(each != found[0] for each in found)


def given(drawn: Drawn, case: Case) -> Row | None:
    """A row for a question about one row, as texts for the command line; None if none can be written so."""
    values = {name: known_values(drawn.rule, name, case.draw) for name in drawn.rule.reads}
    if not all(values.values()) or any("=" in name for name in values):
        return None
    row = {name: str(value) for name, value in draw_row(values, case.draw).items()}
    return row if all(text.strip() == text and "\n" not in text for text in row.values()) else None


def reason(case: Case, drawn: Drawn, _: str) -> None:
    """The facts that decide a row do so whatever the other columns are."""
    row = given(drawn, case)
    if row is None or drawn.rule.classes is None:
        return
    options = [part for name, text in row.items() for part in ("--value", f"{name}={text}")]
    answer = ask(case, "ask", str(drawn.path), "reason", *options)
    if answer is None or answer["verdict"] != "proved":
        return
    decision, kept = drawn.rule.decision(row), answer["reason_columns"]
    for choices in choices_of(answer, [drawn.rule], case):
        for other in rows_of(choices, case):
            mixed = {**other, **{name: row[name] for name in kept}}
            try:
                found = drawn.rule.decision(mixed)
            except Refused:
                continue
            case.same(found, decision, f"reason {kept} of {row} with {mixed} for {drawn.model}")


def counterfactual(case: Case, drawn: Drawn, _: str) -> None:
    """The nearest row with another class has it; where there is none, no row of the scope has."""
    row = given(drawn, case)
    if row is None or drawn.rule.classes is None:
        return
    options = [part for name, text in row.items() for part in ("--value", f"{name}={text}")]
    answer = ask(case, "ask", str(drawn.path), "counterfactual", *options)
    if answer is None or answer["verdict"] == "undecided":
        return
    decision = drawn.rule.decision(row)
    what = f"{answer['verdict']} counterfactual of {row} for {drawn.model}"
    if answer["verdict"] == "proved":
        before, after = shown_rows(case, answer, [drawn.rule], what)
        case.same(drawn.rule.decision(before), decision, f"{what}: the row itself")
        case.expect(drawn.rule.decision(after) != decision, f"{what}: {after} is {decision} too")
        return
    for choices in choices_of(answer, [drawn.rule], case):
        for other in rows_of({name: [each for each in choices[name] if each is not None] for name in choices}, case):
            case.same(drawn.rule.decision(other), decision, f"{what}: {other}")


def missing(case: Case, drawn: Drawn, _: str) -> None:
    """What is settled is so whatever the unknown column is; what is not shows two rows."""
    row = given(drawn, case)
    if row is None or drawn.rule.classes is None:
        return
    unknown = case.draw.choice(list(row))
    options = [part for name, text in row.items() for part in ("--value", f"{name}={text}")]
    answer = ask(case, "ask", str(drawn.path), "missing", *options, "--unknown", unknown)
    if answer is None:
        return
    what = f"{answer['verdict']} missing {unknown!r} of {row} for {drawn.model}"
    if answer["verdict"] == "refuted":
        one, other = shown_rows(case, answer, [drawn.rule], what)
        case.expect(told_apart([drawn.rule], one, other), f"{what}: {one} and {other} are alike")
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, [drawn.rule], case):
            found = {str(drawn.rule.decision({**row, unknown: each})) for each in choices[unknown] if each is not None}
            case.expect(len(found) < 2, f"{what}: {found}")


def robust(case: Case, drawn: Drawn, _: str) -> None:
    """Errors of measurement do not change the class."""
    row = given(drawn, case)
    if row is None or drawn.rule.classes is None:
        return
    options = [part for name, text in row.items() for part in ("--value", f"{name}={text}")]
    answer = ask(case, "ask", str(drawn.path), "robust", *options, "--percent", str(case.draw.choice([1, 5, 50])))
    if answer is None:
        return
    decision = drawn.rule.decision(row)
    what = f"{answer['verdict']} robust {row} of {drawn.model}"
    if answer["verdict"] == "refuted":
        for other in shown_rows(case, answer, [drawn.rule], what):
            case.expect(drawn.rule.decision(other) != decision, f"{what}: {other} is {decision} too")
    elif answer["verdict"] == "proved":
        fields = {field["column"]: field for field in answer["scope"]}
        choices = {name: values_of(field, [drawn.rule], case.draw) or [None] for name, field in fields.items()}
        for other in rows_of(choices, case):
            case.same(drawn.rule.decision(other), decision, f"{what}: {other}")


def _expect_rise(case: Case, answer: Any, column: str, rows: tuple[Row, Row], what: str) -> None:
    """The rows of a refutation are equal but for the column, which is larger in the second."""
    low, high = rows
    case.expect(all(low[name] == high[name] for name in low if name != column), f"{what}: {low} and {high}")
    field = next(each for each in answer["scope"] if each["column"] == column)
    case.expect(_place(field, low[column]) < _place(field, high[column]), f"{what}: {low} is not below {high}")


def risk_of(counting: Counted, row: Row) -> Fraction | None:
    """The risk of a row; None if it is refused."""
    found = counting.count(row)
    return None if found is None else found[1]


def shown_risks(case: Case, answer: Any, counting: Counted, what: str) -> list[Fraction]:
    """The risks of the rows of an answer, which are what it says."""
    rows = shown_rows(case, answer, [counting.drawn.rule], what)
    risks = []
    for shown, row in zip(answer["cases"], rows, strict=True):
        score, risk = counting.count(row) or (-1, Fraction(-1))
        case.same((shown["score"], shown["probability"]), (score, float(risk)), f"{what}: {row}: score and risk")
        risks.append(risk)
    return risks


def risk_range(case: Case, counting: Counted) -> None:
    """No row has a risk that is lower or higher than it is said, perhaps under a condition."""
    rule = counting.drawn.rule
    condition = statement(case, rule) if case.draw.random() < 0.6 else None
    options = ["--when", braced(f"{condition[0]} {condition[1]} {condition[2]}")] if condition else []
    answer = ask(case, "ask", str(counting.drawn.path), "risk-range", *options)
    if answer is None:
        return
    what = f"{answer['verdict']} risk-range {options} of {counting.drawn.model} {counting.shares}"
    orders = {name: each.known for name, each in rule.columns.items() if each.kind == "ordinal"}
    if answer["verdict"] == "proved":
        lowest, highest = shown_risks(case, answer, counting, what)
        case.same((answer["lowest"], answer["highest"]), (float(lowest), float(highest)), what)
        for row in shown_rows(case, answer, [rule], what):
            case.expect(condition is None or holds(condition, row, orders), f"{what}: {row} does not meet it")
    for choices in choices_of(answer, [rule], case):
        for row in rows_of(choices, case):
            risk = risk_of(counting, row)
            if risk is not None and (condition is None or holds(condition, row, orders)):
                within = answer["at_least"] <= float(risk) <= answer["at_most"]
                case.expect(within, f"{what}: {row} has {risk}")


def risk_monotone(case: Case, counting: Counted) -> None:
    """The risk never falls, or never rises, as a column rises."""
    rule = counting.drawn.rule
    ordered = [name for name in rule.reads if rule.columns[name].kind != "category"]
    if not ordered:
        return
    column, falls = case.draw.choice(ordered), case.draw.random() < 0.5
    options = ["--risk", *(["--decreasing"] if falls else [])]
    answer = ask(case, "ask", str(counting.drawn.path), "monotone", column, *options)
    if answer is None:
        return
    what = f"{answer['verdict']} monotone {column!r} {options} of {counting.drawn.model} {counting.shares}"
    if answer["verdict"] == "refuted":
        before, after = shown_risks(case, answer, counting, what)
        case.expect(_is_lost(before, after, falls), f"{what}: {before} and {after}")
        low, high = shown_rows(case, answer, [rule], what)
        _expect_rise(case, answer, column, (low, high), what)
    elif answer["verdict"] == "proved":
        for choices in choices_of(answer, [rule], case):
            if column not in choices:
                continue
            rising = [value for value in choices[column] if value is not None]
            for row in rows_of({name: values if name != column else [None] for name, values in choices.items()}, case):
                found = [risk_of(counting, {**row, column: value}) for value in rising]
                for before, after in pairwise(found):
                    case.expect(not _is_lost(before, after, falls), f"{what}: {row} {before} and {after}")


def risk_counterfactual(case: Case, counting: Counted) -> None:
    """The row that was found has the risk that was wished for; where there is none, no row of the scope has it."""
    row = given(counting.drawn, case)
    here = None if row is None else risk_of(counting, row)
    if row is None or here is None:
        return
    share, below = case.draw.choice(["0.1", "0.2", "40 %", "0.55", "0.8"]), case.draw.random() < 0.5
    bound = Fraction(share.removesuffix(" %")) / (100 if "%" in share else 1)
    options = [part for name, text in row.items() for part in ("--value", f"{name}={text}")]
    option = "--risk-below" if below else "--risk-above"
    answer = ask(case, "ask", str(counting.drawn.path), "counterfactual", *options, option, share)
    if answer is None:
        return
    what = f"{answer['verdict']} {option} {share} of {row} for {counting.drawn.model} {counting.shares}"
    if answer["verdict"] == "proved":
        before, after = shown_risks(case, answer, counting, what)
        case.same(before, here, f"{what}: the row itself")
        case.expect(after < bound if below else after > bound, f"{what}: {after}")
    elif answer["verdict"] == "refuted":
        for choices in choices_of(answer, [counting.drawn.rule], case):
            present = {name: [each for each in choices[name] if each is not None] for name in choices}
            for other in rows_of(present, case):
                risk = risk_of(counting, other)
                reached = risk is not None and (risk < bound if below else risk > bound)
                case.expect(not reached, f"{what}: {other} has {risk}")

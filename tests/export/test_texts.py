"""What the exports look like, word for word, and that hostile names stay names."""

import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import pytest

import crystalogic
from crystalogic.encoding import Cut, Degree, Encoding, Is, Missing
from crystalogic.encoding.encoding import Column
from crystalogic.errors import ExportError, TooLargeError
from crystalogic.export import TARGETS, to, to_c, to_javascript, to_latex, to_markdown, to_onnx, to_python, to_sql
from crystalogic.export.quoting import c_comment, encode_text, markdown_text
from crystalogic.fitting import model_of
from crystalogic.intervals import Share
from crystalogic.logic.formula import AtLeast, StrongAnd, StrongOr, Variable
from crystalogic.logic.parse import parse
from crystalogic.model import Risk
from crystalogic.model.risk import Band
from crystalogic.words.risks import risk_lines
from export_cases import HOSTILE, hostile

ENCODING = Encoding(
    (
        Column("age", "number", (Cut("age", 55.0),)),
        Column("sex", "category", (Is("sex", "m"),), ("f", "m")),
        Column("ca", "code", (Is("ca", "0"), Missing("ca")), ("0", "1"), True),
    )
)
RULE = model_of([parse("at least 2 of ({age ≥ 55}, {sex=m}, ¬{ca=0})")], ENCODING, "disease", ("no", "yes"))


def without_fingerprint(text):
    return re.sub(r"model [0-9a-f]{64}", "model FINGERPRINT", text)


def test_sql_reads_like_the_rule():
    assert without_fingerprint(to_sql(RULE, table="clinic.patients", keep=["id"], dialect="duckdb")) == (
        "-- a rule of Crystalogic\n"
        "-- model FINGERPRINT\n"
        "-- decides disease\n"
        "-- degree:\n"
        r"--   at least 2 of ({age \u2265 55}, {sex=m}, ~{ca=0})"
        "\n"
        "WITH crystalogic_degrees AS (\n"
        "  SELECT\n"
        '    CASE WHEN CASE WHEN isfinite(TRY_CAST("age" AS DOUBLE)) '
        "AND NOT regexp_matches(CAST(\"age\" AS VARCHAR), '[_tf]|\\+-') "
        'THEN TRY_CAST("age" AS DOUBLE) END IS NULL\n'
        "    THEN NULL ELSE\n"
        "      CASE WHEN "
        '(CASE WHEN CASE WHEN isfinite(TRY_CAST("age" AS DOUBLE)) '
        "AND NOT regexp_matches(CAST(\"age\" AS VARCHAR), '[_tf]|\\+-') "
        'THEN TRY_CAST("age" AS DOUBLE) END >= 55 THEN 1 ELSE 0 END)\n'
        "      + (CASE WHEN COALESCE(TRIM(CAST([\"sex\"][1] AS VARCHAR)), '') = 'm' THEN 1 ELSE 0 END)\n"
        '      - (CASE WHEN TRY_CAST("ca" AS DOUBLE) = 0 '
        "AND NOT regexp_matches(CAST(\"ca\" AS VARCHAR), '[_tf]|\\+-|^[\\s+-]*0[0-9]') "
        "THEN 1 ELSE 0 END) >= 1 THEN 1 ELSE 0 END\n"
        '    END AS "degree of yes",\n'
        "    t.*\n"
        '  FROM "clinic"."patients" AS t\n'
        ")\n"
        "SELECT\n"
        "  CASE WHEN \"degree of yes\" = 1 THEN 'yes' WHEN \"degree of yes\" = 0 THEN 'no' END"
        ' AS "predicted disease",\n'
        '  t."degree of yes",\n'
        '  t."id"\n'
        "FROM crystalogic_degrees AS t\n"
    )


def test_stated_types_leave_the_comparisons():
    types = {"age": "number", "sex": "text", "ca": "integer", "a column that the rule does not read": "any"}
    text = to_sql(RULE, table="patients", keep=["id"], dialect="duckdb", types=types, view="clinic.scored")
    assert text.startswith('CREATE VIEW "clinic"."scored" AS\n-- a rule of Crystalogic\n')
    assert text[text.index("WITH") :] == (
        "WITH crystalogic_degrees AS (\n"
        "  SELECT\n"
        '    CASE WHEN "age" IS NULL OR NOT isfinite("age")\n'
        "    THEN NULL ELSE\n"
        '      CASE WHEN (CASE WHEN "age" >= 55 THEN 1 ELSE 0 END)\n'
        "      + (CASE WHEN TRIM(\"sex\") = 'm' THEN 1 ELSE 0 END)\n"
        '      - (CASE WHEN "ca" = 0 THEN 1 ELSE 0 END) >= 1 THEN 1 ELSE 0 END\n'
        '    END AS "degree of yes",\n'
        "    t.*\n"
        '  FROM "patients" AS t\n'
        ")\n"
        "SELECT\n"
        "  CASE WHEN \"degree of yes\" = 1 THEN 'yes' WHEN \"degree of yes\" = 0 THEN 'no' END"
        ' AS "predicted disease",\n'
        '  t."degree of yes",\n'
        '  t."id"\n'
        "FROM crystalogic_degrees AS t\n"
    )


@pytest.fixture
def database():
    with closing(sqlite3.connect(":memory:")) as connection:
        yield connection


def test_a_view_gives_what_the_query_gives(database):
    database.execute("CREATE TABLE patients (id INTEGER, age REAL, sex TEXT, ca INTEGER)")
    rows = [(1, 60, "m", 0), (2, 40, "f", 3), (3, None, "m", 1)]
    database.executemany("INSERT INTO patients VALUES (?, ?, ?, ?)", rows)
    database.execute(to_sql(RULE, table="patients", keep=["id"], dialect="sqlite", view="scored"))
    assert database.execute("SELECT * FROM scored").fetchall() == [("yes", 1, 1), ("no", 0, 2), (None, None, 3)]


def test_types_and_views_that_cannot_be_are_refused():
    with pytest.raises(
        ExportError, match="there is no type 'float' for 'age'; there are integer, number, text, boolean, any"
    ):
        to_sql(RULE, table="x", types={"age": "float"})
    with pytest.raises(ExportError, match="a view is a query over a table: say which, with --table NAME"):
        to_sql(RULE, view="scored")


def test_spark_has_its_own_quotes():
    text = to_sql(hostile(), table="x", dialect="spark")
    assert "`\\`tick" not in text
    assert "CAST(```tick`` ${template}` AS STRING)" in text
    assert "'back\\\\slash\\\\'" in text
    assert "'\\'; DROP TABLE x; --'" in text


def test_python_has_no_imports_and_ends_with_the_rule():
    text = to_python(RULE, name="risk")
    assert "import" not in text
    assert text[text.index("def risk") :] == (
        "def risk(row):\n"
        '    """The decision for a row, a dict from columns to values, and its degrees; None where there is none."""\n'
        "    v1 = row['age']\n"
        "    v2 = row['sex']\n"
        "    v3 = row['ca']\n"
        "    n1 = number(v1)\n"
        "    if unread(n1) > 0.0:\n"
        '        return {"decision": None, "degrees": None}\n'
        "    f1 = reaches(n1, 55.0)\n"
        "    f2 = same(v2, 'm')\n"
        "    f3 = same(v3, 0)\n"
        "    s1 = at_most_1(at_least_0(f1 + f2 - f3))\n"
        "    degrees = [s1]\n"
        "    decision = ('no', 'yes')[degrees[0] >= 0.5]\n"
        '    return {"decision": decision, "degrees": degrees}\n'
    )


def test_c_declares_what_it_reads():
    text = to_c(RULE)
    assert "struct crystalogic_row {\n    double v1; /* age */\n    const char *v2; /* sex */\n" in text
    assert 'crystalogic_labels[] = {"no", "yes"};' in text
    assert text.endswith(
        "    double f1 = reaches(n1, 55.0);\n"
        '    double f2 = same(v2, "m");\n'
        "    double f3 = equal(v3, 0.0);\n"
        "    double s1 = at_most_1(at_least_0(f1 + f2 - f3));\n"
        "    degrees[0] = s1;\n"
        "    return degrees[0] >= 0.5;\n"
        "}\n"
    )


def test_javascript_says_which_column_is_missing():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no JavaScript engine: node is not installed")
    script = (
        to_javascript(RULE, name="risk")
        + "try { module.exports.risk({age: 1}) } catch (error) { console.log(error.message) }"
    )
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == "the rule needs the column sex\n"


def test_latex_is_a_piece_for_a_paper():
    assert without_fingerprint(to_latex(RULE)) == (
        "% a rule of Crystalogic\n"
        "% model FINGERPRINT\n"
        "% decides disease\n"
        "% degree:\n"
        "%   at least 2 of ({age \\u2265 55}, {sex=m}, ~{ca=0})\n"
        "The degree of disease = yes is\n"
        "\\[\n"
        "\\text{at least }2\\text{ of }(\\text{age $\\geq$ 55}, \\text{sex=m}, \\neg \\text{ca=0})\n"
        "\\]\n"
        "where\n"
        "\\begin{itemize}\n"
        "\\item $\\text{age $\\geq$ 55}$: age is at least 55\n"
        "\\item $\\text{sex=m}$: sex is m\n"
        "\\item $\\text{ca=0}$: ca is 0\n"
        "\\end{itemize}\n"
        "disease is yes if the degree is at least $\\frac{1}{2}$, otherwise no.\n"
    )


def test_markdown_is_a_checklist():
    assert to_markdown(RULE) == (
        "# disease\n"
        "\n"
        "Decide disease = **yes** if:\n"
        "\n"
        "- [ ] at least 2 of these 3:\n"
        "  - [ ] age is at least 55\n"
        "  - [ ] sex is m\n"
        "  - [ ] ca is not 0 (or missing)\n"
        "\n"
        "Otherwise decide disease = **no**.\n"
    )


RISKY = replace(RULE, risk=Risk((700, 2405, 7700, 9999)), band=Band(1, 2, 1000, (20, 20)))


def test_sql_tells_the_risk_by_the_score(database):
    query = to_sql(RISKY, table="t", keep=["id"], types={"age": "number", "sex": "text", "ca": "integer"})
    assert query[query.index("WITH") :] == (
        "WITH crystalogic_scores AS (\n"
        "  SELECT\n"
        '    CASE WHEN "age" IS NULL OR NOT ABS("age") <= 1.7976931348623157e308\n'
        "    THEN NULL ELSE\n"
        '      1\n      + (CASE WHEN "age" >= 55 THEN 1 ELSE 0 END)\n'
        "      + (CASE WHEN TRIM(\"sex\") = 'm' THEN 1 ELSE 0 END)\n"
        '      - (CASE WHEN "ca" = 0 THEN 1 ELSE 0 END)\n'
        '    END AS "crystalogic score",\n'
        "    t.*\n"
        '  FROM "t" AS t\n'
        ")\n"
        "SELECT\n"
        "  CASE WHEN \"crystalogic score\" >= 2 THEN 'yes' WHEN \"crystalogic score\" < 2 THEN 'no' END"
        ' AS "predicted disease",\n'
        '  CASE WHEN "crystalogic score" >= 2 THEN 1 WHEN "crystalogic score" < 2 THEN 0 END AS "degree of yes",\n'
        '  t."crystalogic score" AS "score",\n'
        '  CASE "crystalogic score"\n'
        "    WHEN 0 THEN 0.0700\n    WHEN 1 THEN 0.2405\n    WHEN 2 THEN 0.7700\n    WHEN 3 THEN 0.9999\n"
        '  END AS "probability of yes",\n'
        '  CASE WHEN "crystalogic score" < 1 OR "crystalogic score" >= 2 THEN FALSE'
        ' WHEN "crystalogic score" < 2 THEN TRUE END AS "ask",\n'
        '  t."id"\n'
        "FROM crystalogic_scores AS t\n"
    )
    database.execute("CREATE TABLE t (id INTEGER, age REAL, sex TEXT, ca INTEGER, score TEXT, ask TEXT)")
    database.execute(
        "INSERT INTO t VALUES (1, 60, 'm', 1, 'a', 'b'), (2, 20, 'f', NULL, 'a', 'b'), (3, NULL, 'f', 0, 'a', 'b')"
    )
    assert database.execute(query).fetchall() == [
        ("yes", 1, 3, 0.9999, 0, 1),
        ("no", 0, 1, 0.2405, 1, 2),
        (None, None, None, None, None, 3),
    ]
    found = database.execute(to_sql(RISKY, table="t", keep=["Score", "ask"], dialect="sqlite"))
    names = [each[0] for each in found.description]
    assert names == ["predicted disease", "degree of yes", "score 2", "probability of yes", "ask 2", "score", "ask"]
    assert found.fetchone() == ("yes", 1, 3, 0.9999, 0, "a", "b")


def test_a_score_of_the_table_is_not_in_the_way_of_ours():
    """PostgreSQL and DuckDB refuse a name that two columns of a table have."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 60 AS age, 'm' AS sex, 1 AS ca, 'a' AS score, TRUE AS ask")
    for dialect in ("duckdb", "standard"):
        found = connection.execute(to_sql(RISKY, table="t", dialect=dialect)).fetchall()
        assert found == [("yes", 1, 3, Decimal("0.9999"), False, 3, 60, "m", 1, "a", True)]


@pytest.mark.parametrize("share", [1, 7, 1999, 3333, 9090, 9999])
def test_every_digit_of_a_risk_is_exported(share, database):
    model = model_of([parse("1")], ENCODING, "disease", ("no", "yes"))
    model = replace(model, risk=Risk((share,)))
    scope = {}
    exec(to_python(model), scope)
    assert scope["decide_risk"]({})["probability"] == share / 10_000
    database.execute("CREATE TABLE t (id INTEGER)")
    database.execute("INSERT INTO t VALUES (1)")
    assert database.execute(to_sql(model, table="t", keep=[])).fetchall() == [("yes", 1, 0, share / 10_000)]
    assert duckdb_decimal(to_sql(model, table="t", keep=[])) == Decimal(share) / 10_000


def duckdb_decimal(query):
    connection = pytest.importorskip("duckdb").connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS id")
    return connection.execute(query).fetchone()[-1]


def test_sqlite_reads_every_share_as_the_double_that_python_has(database):
    texts = ", ".join(f"(0.{share:04})" for share in range(1, 10_000))
    assert [each for (each,) in database.execute(f"VALUES {texts}")] == [n / 10_000 for n in range(1, 10_000)]


def test_a_model_without_a_risk_is_exported_as_ever():
    plain = replace(RISKY, risk=None, band=None)
    for target in set(TARGETS) - {"xlsx"}:  # which says when it was made
        text = to(plain, target)
        assert (text if target == "onnx" else without_fingerprint(text)) == (
            to(RULE, target) if target == "onnx" else without_fingerprint(to(RULE, target))
        )
        assert b"probab" not in (text if isinstance(text, bytes) else text.encode())


def test_functions_tell_the_risk_beside_the_decision():
    scope = {}
    exec(to_python(RISKY, name="heart"), scope)
    row = {"age": 60, "sex": "f", "ca": 0}
    assert scope["heart"](row) == {"decision": "no", "degrees": [0.0]}
    told = {"decision": "no", "degrees": [0.0], "score": 1, "probability": 0.2405, "ask": True}
    assert scope["heart_risk"](row) == told
    assert set(scope["heart_risk"]({**row, "age": None}).values()) == {None}
    assert "ask" not in to_python(replace(RISKY, band=None))
    assert "double *degrees, int *score, double *probability)" in to_c(replace(RISKY, band=None))


def test_papers_and_checklists_have_the_risk():
    counted = replace(RISKY, risk=Risk(RISKY.risk.shares, (Share(6, 88), Share(19, 80), Share(47, 62), Share(39, 40))))
    assert to_markdown(counted).endswith(
        "Otherwise decide disease = **no**.\n\n"
        "How likely disease is yes (90 % intervals):\n\n"
        "- 0 of 3: 7 % (3–14)\n- 1 of 3: 24 % (16–33): ask a person\n"
        "- 2 of 3: 77 % (65–85)\n- 3 of 3: over 99 % (88–100)\n\n"
        "With asking, at most 10 % of the rows of each class are told the other one. This holds on average, for rows "
        "that are exchangeable with the 40 rows it was made from.\n"
    )
    assert to_latex(counted).endswith(
        "How likely disease is yes (90 \\% intervals):\n"
        "\\begin{itemize}\n"
        "\\item 0 of 3: 7 \\% (3--14)\n\\item 1 of 3: 24 \\% (16--33): ask a person\n"
        "\\item 2 of 3: 77 \\% (65--85)\n\\item 3 of 3: over 99 \\% (88--100)\n"
        "\\end{itemize}\n"
        "With asking, at most 10 \\% of the rows of each class are told the other one. This holds on average, for rows "
        "that are exchangeable with the 40 rows it was made from.\n"
    )


def test_hostile_names_stay_names_in_pages_and_papers():
    script = to_javascript(hostile())
    assert "<" not in re.sub(r" < |=> ", "", script.replace("x < 1.0", "").replace("x < y", ""))
    assert all(ord(char) < 128 for line in script.splitlines() if not line.startswith("//") for char in line)
    assert len(script.splitlines()) == len(script.split("\n")) - 1
    page = to_markdown(hostile())
    assert "<" not in page
    assert "[id]" not in page
    n_notes = 1  # what asking is worth
    assert page.count("\n") == len(HOSTILE) + 7 + 3 + len(risk_lines(hostile())) + 2 * n_notes
    paper = to_latex(hostile())
    body = "\n".join(line for line in paper.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[{}$&#%_]", "", body)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert not re.search(r"[#&^~]", bare)
    assert set(re.findall(r"\\[a-zA-Z]+", bare)) == {
        "\\text", "\\begin", "\\end", "\\item", "\\frac", "\\textbackslash", "\\textasciicircum", "\\textasciitilde",
    }  # fmt: skip
    assert re.findall(r"\\(?:begin|end)\{\w+\}", bare) == ["\\begin{itemize}", "\\end{itemize}"] * 2
    assert all(line.isprintable() for line in paper.splitlines())


def test_latex_sets_every_name(tmp_path):
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("no LaTeX: pdflatex is not installed")
    packages = "\\usepackage[utf8]{inputenc}\\usepackage[T1]{fontenc}\\usepackage{amsmath}"
    body = to_latex(hostile()).replace("🦀", "")  # pdflatex has no such letter
    text = f"\\documentclass{{article}}{packages}\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "rule.tex").write_text(text, encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "rule.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_comments_cannot_be_left():
    assert c_comment("a */ b /* c ???/ d") == "a * / b / * c ? ? ?/ d"
    assert markdown_text("<b>_x_ a_b\n") == "&#60;b&#62;&#95;x&#95; a_b&#10;"


@pytest.mark.parametrize("text", ["nul\0", "half \ud800"])
def test_what_a_target_cannot_hold_is_refused(text):
    encoding = Encoding((Column("x", "category", (Is("x", text),), (text, "b")),))
    model = model_of([Variable(f"x={text}")], encoding, "y", (0, 1))
    for write in (to_sql, to_c):
        with pytest.raises(ExportError, match="Rename"):
            write(model)
    scope = {}
    exec(to_python(model), scope)
    assert scope["decide"]({"x": text})["decision"] == 1
    assert json.dumps(text).strip('"') in to_javascript(model)


def test_a_rule_too_long_for_one_expression_says_what_to_do():
    names = [f"x{index}" for index in range(3)]
    encoding = Encoding(tuple(Column(name, "number", (Degree(name, 0.0, 1.0),)) for name in names))
    formula = AtLeast(2, *map(Variable, names))
    for _ in range(8):
        formula = AtLeast(2, formula, ~Variable("x1"), Variable("x0"))
    model = model_of([formula], encoding, "y", (0, 1))
    with pytest.raises(TooLargeError, match="Export a query over a table, which names its steps: --table NAME"):
        to_sql(model)
    assert to_sql(model, table="rows").count(" AS (") > 8


def test_a_long_chain_of_facts_is_cut_into_layers(database):
    formula = Variable("sex=m")
    facts = [Variable("sex=m"), Variable("ca=0"), Variable("ca is missing")]
    for index in range(120):
        formula = (StrongOr, StrongAnd)[index % 2](formula, facts[index % 3])
    model = model_of([formula], ENCODING, "y", (0, 1))
    database.execute("CREATE TABLE people (sex TEXT, ca INTEGER)")
    cases = [("m", 0), ("f", 0), ("m", None), ("f", 1)]
    database.executemany("INSERT INTO people VALUES (?, ?)", cases)
    found = [row[0] for row in database.execute(to_sql(model, table="people", dialect="sqlite"))]
    assert found == [model.explain(dict(zip(("sex", "ca"), case, strict=True))).decision for case in cases]


def test_a_table_that_was_scored_before_gets_new_scores(database):
    """Columns of an older result must not be taken for those that the query computes."""
    database.execute('CREATE TABLE t (age REAL, sex TEXT, ca REAL, "degree of yes" REAL, "predicted disease" TEXT)')
    database.execute("INSERT INTO t VALUES (60, 'm', 0, 0, 'no'), (20, 'f', 0, 1, 'yes')")
    query = to_sql(RULE, table="t", dialect="sqlite")
    assert [row[:2] for row in database.execute(query)] == [("yes", 1), ("no", 0)]
    kept = to_sql(RULE, table="t", keep=["age"], dialect="sqlite")
    assert database.execute(kept).fetchall() == [("yes", 1, 60), ("no", 0, 20)]


def test_columns_of_any_number_type_and_truth_values_are_read():
    duckdb = pytest.importorskip("duckdb")
    encoding = Encoding(
        (
            Column("age", "number", (Cut("age", 55.5),)),
            Column("cp", "code", (Is("cp", "4"), Is("cp", "2.5")), ("2.5", "4")),
            Column("smokes", "category", (Is("smokes", "True"),), ("False", "True")),
        )
    )
    model = model_of([parse("at least 3 of ({age ≥ 55.5}, {cp=4}, {cp=2.5}, {smokes=True})")], encoding, "y", (0, 1))
    connection = duckdb.connect()
    for number, code in (("FLOAT", "INTEGER"), ("DECIMAL(9, 2)", "DECIMAL(9, 2)"), ("DOUBLE", "BIGINT")):
        connection.execute(f"CREATE OR REPLACE TABLE t (age {number}, cp {code}, smokes BOOLEAN)")
        connection.execute("INSERT INTO t VALUES (55.5, 4, TRUE), (55.4, 4, TRUE), (60, 4, FALSE), (60, 3, TRUE)")
        for dialect in ("standard", "duckdb"):
            found = connection.execute(to_sql(model, table="t", keep=[], dialect=dialect)).fetchall()
            assert found == [(1, 1), (0, 0), (0, 0), (0, 0)]


def test_a_range_too_wide_to_divide_by_is_refused():
    encoding = Encoding((Column("x", "number", (Degree("x", -1.7e308, 1.7e308),)),))
    model = model_of([Variable("x")], encoding, "y", (0, 1))
    for target in ("sql", "python", "c", "javascript", "onnx"):
        with pytest.raises(ExportError, match="the range of 'x' is too wide"):
            to(model, target)


def test_every_target_can_be_asked_for_by_its_name():
    for name in TARGETS:
        assert to(RULE, name)
    assert crystalogic.export.to_sql is to_sql
    with pytest.raises(ExportError, match="there is no export target 'cobol'; there are sql, python"):
        to(RULE, "cobol")
    with pytest.raises(ExportError, match="the target 'c' has no option 'table'; it has name"):
        to(RULE, "c", table="x")
    with pytest.raises(ExportError, match="no SQL dialect 'access'; there are standard, sqlite"):
        to_sql(RULE, dialect="access")
    with pytest.raises(ExportError, match="a function cannot be called 'a b'"):
        to_c(RULE, name="a b")
    with pytest.raises(ExportError, match="SQL has no columns or tables without a name"):
        to_sql(RULE, table="clinic.")


def test_columns_that_an_engine_takes_for_one_are_refused():
    """In a table with a column x the query read x for X as well, and decided by it."""
    columns = tuple(Column(name, "category", (Is(name, "b"),), ("a", "b")) for name in ("x", "X"))
    model = model_of([parse("{x=b} ⊗ ¬{X=b}")], Encoding(columns), "y", ("no", "yes"))
    for dialect in ("sqlite", "duckdb", "spark"):
        with pytest.raises(ExportError, match=f"{dialect} cannot tell the columns 'x' and 'X' apart"):
            to_sql(model, table="t", dialect=dialect)
    for dialect in ("standard", "postgresql"):
        assert '"X"' in to_sql(model, table="t", dialect=dialect)


SMOKES = Encoding((Column("smokes", "category", (Is("smokes", "True"),), ("False", "True")),))
SMOKER = model_of([parse("{smokes=True}")], SMOKES, "y", (0, 1))


def in_sqlite(values, **options):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, smokes)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", enumerate(values))
        query = to_sql(SMOKER, table="t", keep=["id"], **options)
        return [decision for decision, *_ in sorted(connection.execute(query), key=lambda row: row[-1])]


def in_duckdb(values, kind, **options):
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(f"CREATE TABLE t (id INTEGER, smokes {kind})")
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    query = to_sql(SMOKER, table="t", keep=["id"], **options)
    return [decision for decision, *_ in sorted(connection.execute(query).fetchall(), key=lambda row: row[-1])]


TEXTS = ["True", "true", "False", "TRUE", "1", " True "]


def test_a_text_true_is_not_the_truth_value_true():
    """In SQL the text `true` was taken for the category True, which the library tells apart."""
    expected = [int(each) for each in SMOKER.predict({"smokes": TEXTS})]
    assert expected == [1, 0, 0, 0, 0, 1]
    assert in_sqlite(TEXTS, dialect="sqlite") == expected
    assert in_duckdb(TEXTS, "VARCHAR", dialect="duckdb") == expected
    for dialect in ("standard", "sqlite"):
        assert in_sqlite(TEXTS, dialect=dialect, types={"smokes": "text"}) == expected
    for dialect in ("standard", "duckdb"):
        assert in_duckdb(TEXTS, "VARCHAR", dialect=dialect, types={"smokes": "text"}) == expected


def test_truth_values_are_read_from_a_column_of_truth_values():
    """SQLite keeps True as 1, which equalled no category: the rule decided as if nobody smoked."""
    values = [True, False, None]
    for dialect in ("standard", "duckdb"):
        assert in_duckdb(values, "BOOLEAN", dialect=dialect) == [1, 0, 0]
        assert in_duckdb(values, "BOOLEAN", dialect=dialect, types={"smokes": "boolean"}) == [1, 0, 0]
    for dialect in ("standard", "sqlite"):
        assert in_sqlite(values, dialect=dialect) == [1, 0, 0]
        assert in_sqlite(values, dialect=dialect, types={"smokes": "boolean"}) == [1, 0, 0]
    assert in_sqlite([1, 0, 2, "1"], dialect="sqlite") == [1, 0, 0, 0]


def test_a_declared_boolean_is_a_category_of_texts_too():
    encoding = Encoding((Column("smokes", "category", (Is("smokes", "false"),), ("false", "true")),))
    model = model_of([parse("{smokes=false}")], encoding, "y", (0, 1))
    text = to_sql(model, dialect="duckdb", types={"smokes": "boolean"})
    assert text == 'CASE WHEN CASE WHEN "smokes" = FALSE THEN 1 ELSE 0 END = 1 THEN 1 ELSE 0 END\n'


def test_a_number_cannot_be_declared_boolean():
    with pytest.raises(ExportError, match="the rule compares 'age' with a number; its type cannot be boolean"):
        to_sql(RULE, types={"age": "boolean"})


@pytest.mark.parametrize("write", [to_c, to_onnx])
@pytest.mark.parametrize("where", ["column", "value", "class"])
def test_half_a_character_is_refused(write, where):
    """In the name of a column it was a UnicodeEncodeError of ONNX, in a class a question mark."""
    half = "x\ud800"
    column, value = half if where == "column" else "x", half if where == "value" else "b"
    encoding = Encoding((Column(column, "category", (Is(column, value),), ("a", value)),))
    model = model_of([Variable(f"{column}={value}")], encoding, "y", ("no", half if where == "class" else "yes"))
    if write is to_c and where == "column":
        assert encode_text(write(model))  # it stands in a remark, as an escape
        return
    with pytest.raises(ExportError, match="holds half a character"):
        write(model)

import json
import subprocess
import sys

import pytest

from crystalogic.cli.app import app


def test_prove_says_proved_or_gives_a_counterexample(crystalogic):
    code, out, _ = crystalogic("prove", "(a -> b) \\/ (b -> a)")
    assert (code, out) == (
        0,
        "proved: (a → b) ∨ (b → a) = 1\nscope: all of [0,1]ⁿ\nno row of the scope contradicts it (z3)\n",
    )
    code, out, _ = crystalogic("prove", "a | ~b")
    assert (code, out) == (1, "refuted: a ⊕ ¬b = 1\nscope: all of [0,1]ⁿ\nat a = 0, b = 1: 0\n")


def test_prove_compares_two_formulas_over_a_declared_domain(crystalogic):
    assert crystalogic("prove", "¬(y ⊗ y)", "--equals", "¬y", "--boolean", "y")[0] == 0
    assert crystalogic("prove", "¬(y ⊗ y)", "--equals", "¬y")[0] == 1
    assert crystalogic("prove", "a & b", "--entails", "a")[0] == 0
    assert crystalogic("prove", "a | b | c", "--one-hot", "a, b, c")[0] == 0
    assert crystalogic("prove", "a | b | c", "--exclusive", "a,b,c")[0] == 1
    assert crystalogic("prove", "a \\/ ~a", "--boolean", "all")[0] == 0
    assert crystalogic("prove", "a <-> ~a", "--satisfiable")[1].splitlines()[-1] == "it is 1 at a = 1/2"


def test_json_is_for_machines(crystalogic):
    _, out, _ = crystalogic("prove", "a | ~b", "--json")
    assert json.loads(out)["row"] == {"a": "0", "b": "1"}
    _, out, _ = crystalogic("simplify", "a & 1", "--json")
    assert json.loads(out)["steps"] == [{"law": "constants", "before": "a ⊗ 1", "after": "a"}]
    _, out, _ = crystalogic("table", "a & b", "--json")
    assert json.loads(out)["rows"][-1] == ["1", "1", "1"]
    _, out, _ = crystalogic("eval", "a & b", "a=1", "b=1/3", "--json")
    assert json.loads(out) == {"degree": "1/3"}


def test_simplify_shows_its_steps(crystalogic):
    assert crystalogic("simplify", "x & (~x | y) & 1", "--steps")[1] == (
        "x ∧ y\n"
        "scope: all of [0,1]ⁿ\n"
        "  x ⊗ (¬x ⊕ y) ⊗ 1 = x ⊗ (¬x ⊕ y)  [constants]\n"
        "  x ⊗ (¬x ⊕ y) = x ∧ y  [weak conjunction]\n"
    )
    assert crystalogic("simplify", "x & x", "--boolean", "x")[1] == "x\n"


def test_eval_is_exact_and_shows_its_steps(crystalogic):
    assert crystalogic("eval", "a & b", "a=0.7", "b=0.8")[1] == "1/2\n"
    assert (
        crystalogic("eval", "a & ~{cp=4}", "a=3/4", "cp=4=1/2", "--steps")[1] == "¬{cp=4}      1/2\na ⊗ ¬{cp=4}  1/4\n"
    )
    assert crystalogic("eval", "{age ≥ 55}", "{age ≥ 55}=1")[1] == "1\n"


def test_formulas_come_from_an_argument_a_file_or_standard_input(crystalogic, tmp_path):
    path = tmp_path / "formula.txt"
    path.write_text("let s = a & b in s | ~s\n", encoding="utf-8")
    assert crystalogic("prove", "--file", str(path))[0] == 0
    assert crystalogic("prove", stdin="a -> a\n")[0] == 0
    assert crystalogic("simplify", "-", stdin="~~a")[1] == "a\n"
    assert crystalogic("eval", "a=1", "b=1/2", "--file", str(path))[1] == "1\n"


def test_names_with_commas_and_files_with_a_byte_order_mark(crystalogic, tmp_path):
    assert crystalogic("prove", "{a,b} \\/ ~{a,b}", "--boolean", "{a,b}")[0] == 0
    path = tmp_path / "formula.txt"
    path.write_text("\ufeffa", encoding="utf-8")
    assert crystalogic("eval", "a=1/2", "--file", str(path), "--steps")[1] == "a  1/2\n"
    path.write_text("1 & 1", encoding="utf-8")
    assert crystalogic("eval", "--file", str(path))[1] == "1\n"


def test_a_full_disk_is_one_message():
    command = [sys.executable, "-m", "crystalogic", "table", "a & b"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr


def test_table_prints_a_truth_table(crystalogic):
    assert crystalogic("table", "~a", "-n", "2")[1] == "  a   ¬a\n  0    1\n1/2  1/2\n  1    0\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("prove", "a ⊗ ⊕ b"), 1, "FormulaSyntaxError: expected a variable, 0, 1, '¬' or '('\n  a ⊗ ⊕ b\n      ^\n"),
        (("eval", "a", "a=2"), 1, "EvaluationError: 'a' is 2, expected a truth value between 0 and 1.\n"),
        (("eval", "a"), 1, "EvaluationError: no value for 'a'. Given: none.\n"),
        (("eval", "a", "b=1"), 1, "EvaluationError: 'b' is not in the formula, which has a.\n"),
        (("table", "a & b & c & d", "-n", "90"), 1, "TooLargeError: 4 variables over S_90"),
        (("prove", "a", "--one-hot", "a,b", "--one-hot", "b,c"), 1, "DomainError: 'b' stands in two groups"),
        (("prove", "--file", "nowhere.txt"), 1, "CrystalogicError: nowhere.txt: cannot be read"),
        (("eval", "a", "a=x"), 2, "expected NAME=VALUE with a value such as 1/2 or 0.75, got 'a=x'."),
        (("eval", "a", "a=1/0"), 2, "expected NAME=VALUE"),
        (("eval", "a", "a=1e999999999"), 2, "expected NAME=VALUE"),
        (("eval", "a", "a=1", "a=0"), 2, "'a' is given twice"),
        (("eval", "a", "{\\q}=1"), 2, "expected a name in braces"),
        (("prove", "a", "--boolean", "{a\\q}"), 2, "expected a name in braces"),
        (("prove", "a", "--boolean", "z"), 1, "DomainError: 'z' is not in the formula, which has a."),
        (("prove", "a | b", "--seconds", "inf"), 1, "CrystalogicError: the time allowed is a number of seconds"),
        (("prove", "a", "--bogus"), 2, "No such option"),
        (("prove", "a", "--equals", "a", "--satisfiable"), 2, "ask one thing at a time"),
        (("prove", "a", "--file", "f.txt"), 2, "not both"),
        (("table", "a", "-n", "0"), 2, "-n"),
        (("prove", "a", "--one-hot", "b,c"), 1, "no name of the group b, c is in the formula, which has a."),
        (("prove", "--file", "nowhere.txt"), 1, "nowhere.txt: cannot be read (No such file or directory).\n"),
        (("nonsense",), 2, "No such command"),
    ],
)
def test_failures_are_one_message_and_an_exit_code(crystalogic, arguments, code, message):
    found, out, err = crystalogic(*arguments)
    assert found == code
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_every_command_has_help_and_a_page_in_the_docs(crystalogic):
    from pathlib import Path

    docs = "".join(page.read_text(encoding="utf-8") for page in Path("docs").glob("*.md"))
    for command in app.registered_commands:
        name = command.name or command.callback.__name__
        assert command.callback.__doc__
        assert f"crystalogic {name}" in docs
    for group in app.registered_groups:
        assert f"crystalogic {group.name}" in docs
        for command in group.typer_instance.registered_commands:
            assert command.callback.__doc__
            assert command.callback.__name__ in docs


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "crystalogic", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "crystalogic 0.1.0\n"


def test_a_truth_table_as_csv_is_what_recover_reads(crystalogic, tmp_path):
    code, out, _ = crystalogic("table", "a -> {b, c}", "--csv")
    assert (code, out) == (0, 'a,"b, c","a → {b, c}"\n0,0,1\n0,1,1\n1,0,0\n1,1,1\n')
    assert crystalogic("table", "a", "-n", "2", "--csv")[1] == "a,a\n0,0\n1/2,1/2\n1,1\n"
    assert crystalogic("table", "a", "--csv", "--json")[0] == 2


def test_simplify_prints_latex_and_ascii(crystalogic):
    assert crystalogic("simplify", "~(a & 1) & b", "--latex")[1] == "\\neg a \\otimes b\n"
    assert crystalogic("simplify", "¬(a ⊗ 1) ⊗ b", "--ascii")[1] == "~a & b\n"
    assert crystalogic("simplify", "a", "--ascii", "--latex")[0] == 2


def test_prove_over_finitely_many_truth_values(crystalogic):
    assert crystalogic("prove", "a \\/ ~a", "-n", "1")[0] == 0
    code, out, _ = crystalogic("prove", "a \\/ ~a", "-n", "2", "--json")
    assert (code, json.loads(out)["scope"]) == (1, {"boolean": [], "one_hot": [], "exclusive": [], "n": 2})


@pytest.mark.parametrize("command", ["prove", "simplify", "table", "eval"])
def test_the_help_of_commands_for_logic_says_how_formulas_are_typed(crystalogic, command):
    out = " ".join(crystalogic(command, "--help")[1].split())
    assert "Formulas, tightest first: ~a (¬), a & b (⊗), a /\\ b (∧, minimum), a | b (⊕)" in out
    assert "list[str]" not in out.partition("Options:")[2]

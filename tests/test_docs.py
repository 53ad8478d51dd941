"""Every block of README and docs is run, every link leads somewhere, and every public name is in the reference."""

import contextlib
import doctest
import importlib.util
import inspect
import io
import re
import shlex
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest

import crystalogic
from crystalogic.cli.app import run

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINKING = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "research/README.md"))]
TUTORIALS = sorted(path for path in (DOCS / "tutorials").glob("*.md") if path.name != "index.md")
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
GUIDES = sorted(path for path in DOCS.glob("*.md") if path.name not in ("index.md", "comparison.md"))  # a command's own
SHOWN = re.compile(r"^::: crystalogic\.([\w.]+)", re.MULTILINE)


def name_of(page):
    return str(page.relative_to(ROOT))


def text_of(page):
    return page.read_text(encoding="utf-8")


LEARNING = text_of(DOCS / "reference" / "learning.md")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))


def run_python(body, names, page):
    """The examples of one block, as doctests with the names of the blocks before."""
    test = doctest.DocTestParser().get_doctest(body, names, page.name, str(page), 0)
    report = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.write, clear_globs=False).failed
    assert not failed, report.getvalue()
    assert body.count(">>>") == len(test.examples)
    names.update(test.globs)


def run_console(body, monkeypatch, capsys):
    """The commands of one block; the set-up commands are what runs these tests."""
    for session in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = session.partition("\n")
        words = shlex.split(command)
        if words[0] == "make":
            continue
        assert words[0] == "crystalogic", command
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        run(words[1:])
        captured = capsys.readouterr()
        said = captured.out + captured.err
        is_so = said == expected or doctest.OutputChecker().check_output(expected, said, doctest.ELLIPSIS)
        assert is_so, f"{command}\n{said}"


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(text_of(page))], ids=name_of)
@pytest.mark.usefixtures("compiled")
def test_blocks_do_what_they_show(page, tmp_path, monkeypatch, capsys):
    """In the order of the page and in one folder, as a reader does it; a block with a title is that file."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, title, body in BLOCK.findall(text_of(page)):
        if title:
            Path(title).write_text(body, encoding="utf-8")
        elif language == "python":
            run_python(body, names, page)
        elif language == "console":
            run_console(body, monkeypatch, capsys)


def test_pages_have_only_blocks_that_are_run_or_plain_text():
    for page in PAGES:
        text = text_of(page)
        languages = {language for language, _, _ in BLOCK.findall(text)}
        assert languages <= {"python", "console", "csv", "text", "bibtex"}, page.name
        assert len(BLOCK.findall(text)) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), page.name


def anchors_of(page):
    """The anchors of the headings, as the site and code hosts make them."""
    headings = re.findall(r"^#{1,6} (.+)$", BLOCK.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_links_lead_to_files_and_headings_that_exist(page):
    for target, anchor in LINK.findall(without_code(text_of(page))):
        if target.startswith(("http:", "https:")):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.is_file(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors_of(there), f"{page.name}: {target}#{anchor}"


def test_every_page_has_a_place_in_the_navigation_and_no_place_is_empty():
    listed = set(re.findall(r"^ +- (?:[^#\n]*: )?(\S+\.md)$", text_of(ROOT / "mkdocs.yml"), re.MULTILINE))
    pages = {page.relative_to(DOCS).as_posix() for page in PAGES[1:]}
    assert pages - listed == set()
    assert {name for name in listed - pages if not (ROOT / name).is_file()} == set()


@pytest.mark.parametrize("page", [*TUTORIALS, *GUIDES], ids=name_of)
def test_no_page_is_a_dead_end(page):
    """It ends with what next: links, at least two, to other pages."""
    *_, last = re.split(r"^## ", BLOCK.sub("", text_of(page)), flags=re.MULTILINE)
    assert last.startswith("What next\n")
    assert len({target for target, _ in LINK.findall(last) if target}) >= 2


def test_every_tutorial_is_listed():
    listed = text_of(DOCS / "tutorials" / "index.md")
    assert len(TUTORIALS) >= 7
    assert [page.name for page in TUTORIALS if f"]({page.name})" not in listed] == []


def test_no_page_has_markup_that_the_site_would_show_as_text():
    """Notes that fold (`???`) and tabs (`===`) were such markup: the site does not have these extensions."""
    for page in LINKING:
        assert not re.findall(r"^(?:\?\?\?|===) .*$", BLOCK.sub("", text_of(page)), re.MULTILINE), page.name


def test_every_picture_is_described_and_drawn_by_a_script_or_taken_of_the_report():
    for page in PAGES:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text_of(page)):
            assert len(words) > 8, f"{page.name}: {target}"
    scripts = "".join(text_of(path) for path in (DOCS / "pictures").glob("*.py"))
    mathematics = ("clamp", "connectives", "at_least", "neuron", "points", "lattice")
    learner = ("path", "family", "soft_targets", "neighbours", "risk", "cuts", "front")
    for name in (*mathematics, *learner):
        assert f"def {name}(" in scripts
        assert (DOCS / "pictures" / f"{name.replace('_', '-')}.svg").is_file()


def referenced():
    return {name for page in (DOCS / "reference").glob("*.md") for name in SHOWN.findall(text_of(page))}


def test_every_public_name_has_a_docstring_and_is_in_the_reference():
    assert set(crystalogic.__all__) - referenced() == set()
    for name in crystalogic.__all__:
        thing = getattr(crystalogic, name)
        assert vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__, name


def is_class(thing, *kinds):
    return inspect.isclass(thing) and issubclass(thing, kinds)


PUBLIC = {name: getattr(crystalogic, name) for name in crystalogic.__all__}
CALLABLE = {
    **{name: thing for name, thing in PUBLIC.items() if callable(thing) and not is_class(thing, Exception, Enum)},
    **{
        f"{module}.{name}": getattr(PUBLIC[module], name)
        for module in ("export", "report", "datasets")
        for name in PUBLIC[module].__all__
        if inspect.isroutine(getattr(PUBLIC[module], name))
    },
}
# What makes them up is built by the library, and their fields are attributes; or their parameters are another's.
MADE_BY_OTHERS = {"Answer", "Certificate", "Extraction", "Formula", "Model", "TruthTable", "LukasiewiczRegressor"}


@pytest.mark.parametrize("name", sorted(set(CALLABLE) - {"LukasiewiczRegressor", "Formula"}))
def test_every_parameter_of_a_public_name_is_documented(name):
    documented = set(re.findall(r"^    (\w+): \S", inspect.getdoc(CALLABLE[name]), re.MULTILINE))
    assert set(inspect.signature(CALLABLE[name]).parameters) == documented


REFERENCE = "".join(text_of(page) for page in sorted((DOCS / "reference").glob("*.md")))


@pytest.mark.parametrize("name", sorted(name for name in CALLABLE if name not in MADE_BY_OTHERS and "." not in name))
def test_every_public_name_has_an_example_in_the_reference(name):
    """In its docstring, or in a block of the page, where both are run."""
    examples = re.findall(r"^ *>>> .*$", f"{inspect.getdoc(CALLABLE[name])}\n{REFERENCE}", re.MULTILINE)
    assert any(re.search(rf"\b{name}\(", line) for line in examples)


def test_the_reference_has_no_name_that_does_not_exist():
    for name in referenced():
        thing = crystalogic
        for part in name.split("."):
            thing = (
                importlib.import_module(f"{thing.__name__}.{part}")
                if not hasattr(thing, part)
                else getattr(thing, part)
            )
        assert thing.__doc__, name


@pytest.mark.parametrize("name", ["LukasiewiczClassifier", "LukasiewiczRegressor"])
def test_every_method_field_and_parameter_of_an_estimator_is_documented(name):
    estimator = getattr(crystalogic, name)
    shown = re.search(rf"^::: crystalogic\.{name}\n.*?inherited_members: \[(.*?)\]", LEARNING, re.MULTILINE | re.DOTALL)
    inherited = set(shown[1].split(", "))
    for member, value in inspect.getmembers(estimator):
        if member.startswith("_"):
            continue
        ours = any(member in vars(c) and c.__module__.startswith("crystalogic") for c in estimator.__mro__)
        if ours and not member.startswith("set_"):
            assert value.__doc__, member
            assert member in vars(estimator) or member in inherited, member
        else:
            assert f"`{member}`" in LEARNING, member
    for parameter in inspect.signature(estimator).parameters:
        assert f"\n    {parameter}: " in inspect.getdoc(crystalogic.LukasiewiczClassifier), parameter


def test_every_command_is_on_the_page_of_commands():
    from typer.main import get_command

    from crystalogic.cli.app import app

    listed = re.findall(r"^\| `crystalogic (\w+)` \|", text_of(DOCS / "reference" / "commands.md"), re.MULTILINE)
    assert sorted(listed) == sorted(get_command(app).commands)


def site_module(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_site_lists_every_option_of_every_command():
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/commands.md"))
    text = site_module("commands").on_page_markdown("# Commands\n", page, None, None)
    assert text.startswith("# Commands\n\n## `crystalogic fit`\n\nLearn a rule from a table, and write it")
    sections = dict(re.findall(r"^## `crystalogic (.+)`\n((?:(?!^## ).*\n)*)", text, re.MULTILINE))
    assert {"fit", "prove", "ask MODEL counterfactual"} < set(sections)
    # the type as newer and as older releases of typer write it
    seed = r"^\| `--seed (<int>|INTEGER)` \| The same seed gives the same rule\. &#91;default: 0&#93; \|$"
    assert re.search(seed, sections["fit"], re.MULTILINE)
    assert "| `--boolean NAMES` |" in sections["simplify"]
    other = SimpleNamespace(file=SimpleNamespace(src_uri="start.md"))
    assert site_module("commands").on_page_markdown("# Start\n", other, None, None) == "# Start\n"


def test_lines_of_transcripts_are_wrapped_unless_they_have_columns():
    line = '<span id="__span-0-1"><span class="go">{}</span>\n</span>'
    marked = site_module("hooks").with_sentences_marked
    assert marked(line.format("scope: all of [0,1]ⁿ")).startswith('<span id="__span-0-1" class="sentence">')
    assert marked(line.format("  a    b  a ⊗ b")) == line.format("  a    b  a ⊗ b")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://example.org/a.js"></script>', ["https://example.org/a.js"]),
        ("<link rel=stylesheet href=//example.org/a.css>", ["//example.org/a.css"]),
        ("<style>@import 'http://example.org/a.css'; body { background: url(http://example.org/b.png) }</style>", None),
        ('<img alt="x" src="http://example.org/x.png">', ["http://example.org/x.png"]),
        ('<a href="https://example.org">a link to click</a><img src="pictures/a.svg">', []),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_found(text, found):
    addresses = site_module("hooks").loaded_from_elsewhere(text)
    assert addresses == (["http://example.org/a.css", "http://example.org/b.png"] if found is None else found)


def test_pages_outside_docs_come_along_because_the_navigation_lists_them():
    """The page of changes was gone, and the build failed, when no page linked to it any more."""
    nav = [{"Home": "index.md"}, {"Start": [{"Changes": "CHANGELOG.md"}, "start.md"]}]
    assert list(site_module("hooks").listed(nav)) == ["index.md", "CHANGELOG.md", "start.md"]


def test_links_out_of_docs_are_turned_to_where_the_files_are_on_the_site():
    page = SimpleNamespace(file=SimpleNamespace(src_uri="tutorials/reproduce.md"))
    text = "[a](../../research/results/report.md#accuracy) [b](../reproduction.md) [c](https://example.org)"
    turned = site_module("hooks").on_page_markdown(text, page, None, None)
    assert turned == "[a](../research/results/report.md#accuracy) [b](../reproduction.md) [c](https://example.org)"


def test_readme_is_short_and_names_the_commands():
    text = text_of(ROOT / "README.md")
    assert text.count("\n") <= 120
    for command in ("make demo", "make test", "make docs"):
        assert command in text
    assert "(docs/pictures/report.png)" in text


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What a default fit prints."""
    out = io.StringIO()
    with contextlib.chdir(tmp_path_factory.mktemp("heart")), contextlib.redirect_stdout(out):
        run(["datasets", "heart", "--output", "heart.csv"])
        run(["fit", "heart.csv", "--target", "disease"])
    return out.getvalue()


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "index.md"], ids=name_of)
def test_the_rule_on_the_first_page_is_what_a_default_fit_prints(page, printed):
    assert next(body for kind, _, body in BLOCK.findall(text_of(page)) if kind == "text") in printed

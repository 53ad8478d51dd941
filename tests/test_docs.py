"""Every block of README and docs is run: Python as doctests, console blocks against the command line."""

import doctest
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from crystalogic.cli.app import run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_do_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = "\n".join(blocks(page, "python"))
    examples = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    report = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=report.write).failed
    assert not failed, report.getvalue()
    assert source.count(">>>") == len(examples.examples)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.usefixtures("compiled")
def test_console_blocks_print_what_they_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for body in blocks(page, "console"):
        for session in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, expected = session.partition("\n")
            words = shlex.split(command)
            if words[0] == "make":  # the set-up commands are what runs these tests
                continue
            assert words[0] == "crystalogic", command
            monkeypatch.setattr(sys, "stdin", io.StringIO(""))
            run(words[1:])
            captured = capsys.readouterr()
            assert captured.out + captured.err == expected, command


def test_pages_have_only_blocks_that_are_run_or_plain_text():
    for page in PAGES:
        languages = {name for name, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
        assert languages <= {"python", "console", "text", "bibtex"}, page.name


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_readme_is_short_and_names_both_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 120
    assert "make demo" in text
    assert "make test" in text

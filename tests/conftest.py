"""What tests of several rooms need: a compiled search, and a browser that makes no connection of its own."""

import os
import shutil
from collections import Counter, defaultdict
from functools import cache

import pytest
import typer.main
from hypothesis import settings

from depth import deep

CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]  # Debian's

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=deep(100))
settings.load_profile("repeatable")
typer.main.get_command = cache(typer.main.get_command)  # built anew, commands cost more than most of them do


@pytest.fixture(scope="session")
def compiled():
    """The search, compiled: the first fit of a fresh checkout says that it compiles, these tests look elsewhere."""
    from crystalogic.search.learn import compile_kernels

    compile_kernels()


@pytest.fixture(scope="session")
def chromium():
    executable = shutil.which("chromium")
    if executable is None:
        message = "there is no chromium; `make test` as root installs it, or: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM)
        yield browser
        browser.close()


class Visit:
    """An opened page and all that it does besides: requests, messages on the console, errors and dialogs."""

    def __init__(self, page, path):
        self.page, self.url = page, path.as_uri()
        self.requests, self.complaints = [], []
        self._heard = {
            "request": lambda request: self.requests.append(request.url),
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "dialog": lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()),
        }
        for event, hear in self._heard.items():
            page.on(event, hear)
        page.goto(self.url)

    def end(self):
        for event, hear in self._heard.items():
            self.page.remove_listener(event, hear)
        self.page.emulate_media(media="null")


@pytest.fixture(scope="session")
def tabs(chromium):
    """Tabs by the options of their context, empty lists at first: a new one costs more than most pages."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium, tabs, tmp_path):
    """Opens a text as a page; at the end, nothing must have left it and nothing must have gone wrong in it."""
    visits, used = [], Counter()

    def opened(text, **options):
        path = tmp_path / f"report{len(visits)}.html"
        path.write_text(text, encoding="utf-8")
        kind = repr(sorted(options.items()))
        if used[kind] == len(tabs[kind]):
            tabs[kind].append(chromium.new_context(**options).new_page())
        visits.append(Visit(tabs[kind][used[kind]], path))
        used[kind] += 1
        return visits[-1].page

    yield opened
    for each in visits:
        each.end()
    for each in visits:
        assert each.requests == [each.url]
        assert each.complaints == []

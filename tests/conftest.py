"""What tests of several rooms need: a compiled search, and a browser that makes no connection of its own."""

import os
import shutil

import pytest
from hypothesis import settings

CHROMIUM = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]  # Debian's

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


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
    """An opened page and all that it did besides: requests, messages on the console, errors and dialogs."""

    def __init__(self, context, path):
        self.page = context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.url = path.as_uri()
        self.page.goto(self.url)


@pytest.fixture
def visit(chromium, tmp_path):
    """Opens a text as a page; at the end, nothing must have left it and nothing must have gone wrong in it."""
    visits, contexts = [], []

    def opened(text, **options):
        path = tmp_path / f"report{len(visits)}.html"
        path.write_text(text, encoding="utf-8")
        contexts.append(chromium.new_context(**options))
        visits.append(Visit(contexts[-1], path))
        return visits[-1].page

    yield opened
    for each in visits:
        assert each.requests == [each.url]
        assert each.complaints == []
    for context in contexts:
        context.close()

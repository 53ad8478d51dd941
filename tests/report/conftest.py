"""A browser for the tests of the page: Debian's Chromium, which makes no connection of its own."""

import os
import shutil

import pytest

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


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
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
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


@pytest.fixture(scope="session")
def heart_page():
    """The usual rule for the Heart Disease table: the model, what the table says of it, and the page."""
    from crystalogic import datasets
    from crystalogic.encoding import fit_encoding
    from crystalogic.fitting import model_of
    from crystalogic.logic.parse import parse
    from crystalogic.report import Table, report_page
    from crystalogic.report.evidence import Evidence

    heart = datasets.load("heart")
    frame = heart.frame()
    formula = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})")
    model = model_of([formula], fit_encoding(frame), "disease", ("0", "1"))
    table = Table(frame, heart.labels, "heart.csv")
    text = report_page(model, table, seconds=0, units={"cp": "type"}, made="2026-01-01")
    return model, Evidence(model, table), text

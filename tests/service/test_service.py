"""The service: what it answers is what the library says, and what it refuses it refuses in a sentence."""

import asyncio
import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

pytest.importorskip("starlette")

from crystalogic import __version__
from crystalogic.service import server
from crystalogic.service.server import make_app
from crystalogic.untrusted import SERVED
from crystalogic.words.explanations import explanation_content, reasons
from export_cases import MODELS, hostile, hostile_rows, typed_rows

JSON = (b"content-type", b"application/json")
HOST = (b"host", b"127.0.0.1:8000")
ROW = {"cp": 4, "ca": None, "thal": 6, "age": 60, "grade": None}


def ask(app, method, path, body=b"", headers=(JSON, HOST), query="", parts=None):
    """Status, headers and content of an answer; the body may come in parts."""
    messages = ({"type": "http.request", "body": each, "more_body": parts is not None} for each in parts or [body])
    found = []

    async def receive():
        return next(messages, {"type": "http.disconnect"})

    async def send(message):
        found.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": list(headers)}
    with ThreadPoolExecutor(1) as thread:  # for the loop of the browser's driver runs in this one
        thread.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    head, content = found[0], b"".join(each.get("body", b"") for each in found[1:])
    named = {name.decode(): value.decode() for name, value in head["headers"]}
    is_json = named.get("content-type") == "application/json" and content
    return head["status"], named, json.loads(content) if is_json else content


def post(app, path, content, **more):
    return ask(app, "POST", path, json.dumps(content).encode(), **more)[::2]


@pytest.fixture(scope="module")
def app():
    return make_app(MODELS["checklist"](), __version__)


@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_those_of_the_library(name):
    model = MODELS[name]()
    rows = typed_rows(40, seed=100)
    judged = [i for i, no in enumerate(model.encoding.find_refused(rows, model.names)) if not no] or [0]
    sent = [{key: cells[i] for key, cells in rows.items() if cells[i] == cells[i]} for i in judged]
    sent = [{key: None if abs(hash(cell)) == 314159 else cell for key, cell in row.items()} for row in sent]  # infinity
    sent = [{**dict.fromkeys(rows), **row} for row in sent]
    columns = {key: [row[key] for row in sent] for key in rows}
    status, found = post(make_app(model, ""), "/predict", sent, query="unknown=skip")
    assert status == 200
    told = found["predictions"]
    if model.classes is not None:
        assert [each["class"] for each in told] == model.predict(columns, unknown="skip").tolist()
    degrees = model.degrees(columns, unknown="skip")
    shown = [each["degree"] if len(model.formulas) == 1 else each["degrees"] for each in told]
    assert shown == [None if row[0] != row[0] else row[0] if len(row) == 1 else row for row in degrees.tolist()]
    if model.has_risk:
        likely = model.probabilities(columns, unknown="skip").tolist()
        shown = [each["probabilities"] if model.chain else each["probability"] for each in told]
        assert shown == [None if row[0] != row[0] else row if model.chain else row[1] for row in likely]
    if model.band is not None:
        judged = model.scores(columns, unknown="skip")[:, 0]
        if model.chain:  # of whose band the ends are no scores, but probabilities
            judged = model.probabilities(columns, unknown="skip").max(axis=1)
        asks = [bool(ask) if each == each else None for each, ask in zip(judged, model.band.asks(judged), strict=True)]
        assert [each["ask"] for each in told] == asks


def test_one_row_is_one_answer_and_an_explanation_is_the_librarys(app):
    model = MODELS["checklist"]()
    status, found = post(app, "/predict", {**ROW, "id": [1, {"of": "another column"}]})
    assert (status, found["notes"]) == (200, [])
    assert set(found["predictions"]) == {"class", "degree", "score", "probability", "ask"}
    status, told = post(app, "/explain", ROW)
    assert status == 200
    expected = explanation_content(model.explain(ROW))
    assert {key: told[key] for key in expected} == json.loads(json.dumps(expected))
    why = reasons(model, {name: [cell] for name, cell in ROW.items()}, 9)[0]
    assert [(each["words"], each["points"]) for each in told["reasons"]] == [(each.words, each.points) for each in why]
    assert told["sentence"] in told["text"]


def test_values_that_no_training_row_had_are_noted(app):
    found = post(app, "/predict", {**ROW, "cp": "9"})[1]
    assert found["notes"] == ["cp = 9 was in no training row; it equals none of the known values (1, 2, 3, 4)."]
    assert max(map(len, post(app, "/predict", {**ROW, "ca": "x" * 100_000})[1]["notes"])) == 300


def test_the_model_is_described_with_columns_facts_and_risks(app):
    model = MODELS["checklist"]()
    status, _, found = ask(app, "GET", "/model")
    assert (status, found["fingerprint"], found["certificate"]["verified"]) == (200, model.fingerprint, True)
    assert [each["name"] for each in found["columns"]] == list(model.columns)
    assert {"kind": "cut", "column": "age", "at": 55.0} in found["facts"]
    assert "at least 2" in found["rule"]
    assert found["risk_table"][0]["lines"]
    assert ask(app, "GET", "/health")[2]["fingerprint"] == model.fingerprint
    spec = ask(app, "GET", "/openapi.json")[2]
    assert list(spec["components"]["schemas"]["Row"]["properties"]) == list(model.columns)
    assert set(spec["paths"]) == {"/predict", "/explain", "/model", "/health"}
    assert post(app, "/predict", spec["components"]["schemas"]["Row"]["example"])[0] == 200


def test_a_service_of_hostile_names_stays_one():
    model = hostile()
    app = make_app(model, "")
    rows = hostile_rows(20, 100)
    status, found = post(app, "/predict", [{name: cells[i] for name, cells in rows.items()} for i in range(20)])
    assert (status, len(found["predictions"])) == (200, 20)
    assert list(ask(app, "GET", "/openapi.json")[2]["components"]["schemas"]["Row"]["properties"]) == list(
        model.columns
    )
    page = ask(app, "GET", "/")[2].decode()
    assert "<script>alert" not in page
    assert page.count("<script") == 1


LONG = b"[" + b" " * SERVED.bytes + b"]"
REFUSED = {
    "no JSON": (400, b"hello", "this is no JSON"),
    "truncated": (400, b'{"cp": 4,', "broken JSON"),
    "nothing": (400, b"", "this is no JSON"),
    "NaN": (400, b'{"cp": NaN}', "NaN is no finite number"),
    "infinity": (400, b'{"cp": 1e999}', "no finite number"),
    "a key twice": (400, b'{"cp": 1, "cp": 2}', "stands twice"),
    "deep": (400, b"[" * 50_000, "nested too deeply"),
    "digits": (400, b'{"cp": ' + b"9" * 5000 + b"}", "digits"),
    "not UTF-8": (400, b'{"cp": "\xff"}', "codec can't decode byte 0xff"),
    "long": (413, LONG, "more than 1,048,576 bytes"),
    "rows": (413, json.dumps([ROW] * (SERVED.rows + 1)).encode(), "send 1 to 1,000 at a time"),
    "no rows": (413, b"[]", "send 1 to 1,000 at a time"),
    "a number": (422, b"5", "row 0 is 5, expected an object"),
    "a list of lists": (422, b"[[1]]", "row 0 is [1], expected an object"),
    "no column": (422, b'{"CP": 4}', "row 0 has no 'cp', which the rule reads. Did you mean it by 'CP'?"),
    "a list as a cell": (422, json.dumps({**ROW, "age": [1]}).encode(), "'age' is [1], expected a text, a number"),
    "no number": (422, json.dumps({**ROW, "age": "old"}).encode(), "row 0: 'age' is 'old', expected a number"),
    "missing": (422, json.dumps([ROW, {**ROW, "age": None}]).encode(), "row 1: 'age' is missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_answered_is_refused_in_a_sentence(app, name):
    status, body, said = REFUSED[name]
    found, headers, content = ask(app, "POST", "/predict", body)
    assert (found, headers["connection"]) == (status, "close")
    assert said in content["message"]
    assert len(content["message"]) <= 1000


@pytest.mark.parametrize(
    ("status", "method", "path", "headers", "said"),
    [
        (404, "GET", "/../../etc/passwd", (HOST,), "there are /predict, /explain"),
        (404, "GET", "/" + "x" * 5000, (HOST,), "here; there are"),
        (405, "GET", "/predict", (HOST,), "use POST"),
        (405, "DELETE", "/model", (HOST,), "use GET"),
        (405, "OPTIONS", "/predict", (HOST, (b"origin", b"http://evil")), "use POST"),
        (415, "POST", "/predict", (HOST, (b"content-type", b"text/plain")), "expected plain 'application/json'"),
        (415, "POST", "/predict", (HOST, JSON, (b"content-encoding", b"gzip")), "gzip"),
        (421, "GET", "/model", ((b"host", b"evil.example"),), "ask for localhost"),
        (421, "GET", "/model", ((b"host", b"[::1"),), "ask for localhost"),
        (421, "GET", "/model", (), "ask for localhost"),
    ],
)
def test_other_paths_methods_types_and_hosts_are_refused(app, status, method, path, headers, said):
    found = ask(app, method, path, gzip.compress(b"{}"), headers)
    assert (found[0], said in found[2]["message"]) == (status, True)


def test_a_service_that_listens_elsewhere_answers_to_any_name():
    app = make_app(MODELS["checklist"](), "", "0.0.0.0")
    assert ask(app, "GET", "/health", headers=((b"host", b"rules.example"),))[0] == 200


def test_a_body_without_an_end_is_read_no_further_than_needed(app):
    def endless():
        while True:
            yield b" " * 100_000
            endless.n_read += 1

    endless.n_read = 0
    status, _, found = ask(app, "POST", "/predict", parts=endless())
    assert (status, found["message"]) == (413, "the body has more than 1,048,576 bytes. Send fewer rows at a time.")
    assert endless.n_read < 100


def test_half_a_character_is_answered(app):
    status, found = post(app, "/predict", {**ROW, "ca": "\ud800"})
    assert (status, "\ud800" in found["notes"][0]) == (200, True)
    assert ask(app, "POST", "/explain", json.dumps({**ROW, "ca": "\ud800"}).encode())[0] == 200


def test_a_list_is_not_explained_and_an_unknown_policy_is_named(app):
    assert "send one row" in post(app, "/explain", [ROW])[1]["message"]
    status, found = post(app, "/predict", ROW, query="unknown=guess")
    assert (status, found["message"]) == (422, "unknown is one of refuse, skip, false, got 'guess'.")


def test_an_answer_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(server, "SERVED", replace(SERVED, seconds=0.2))
    monkeypatch.setitem(server.VERBS, "/predict", lambda *_: time.sleep(1))
    status, found = post(make_app(MODELS["checklist"](), ""), "/predict", ROW)
    assert (status, found["message"]) == (503, "there is no answer in time; send less.")


def test_a_fault_of_the_service_shows_nothing_of_it(monkeypatch):
    def broken(*_):
        message = "secret"
        raise RuntimeError(message)

    monkeypatch.setitem(server.VERBS, "/predict", broken)
    status, found = post(make_app(MODELS["checklist"](), ""), "/predict", ROW)
    assert (status, "secret" in str(found)) == (500, False)


def test_a_client_that_leaves_ends_the_request(app):
    assert ask(app, "POST", "/predict", parts=[b"{"])[2]["error"] == "ServiceError"


def test_the_page_needs_nothing_from_elsewhere(app, chromium):
    status, headers, _ = ask(app, "GET", "/docs")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    tab, asked, said = context.new_page(), [], []
    tab.on("console", lambda message: said.append(message.text))

    def answer(route):
        asked.append(route.request.url)
        body = (route.request.post_data or "").encode()
        path = "/" + route.request.url.partition("8000/")[2]
        status, headers, content = ask(app, route.request.method, path, body)
        route.fulfill(
            status=status, headers=headers, body=content if isinstance(content, bytes) else json.dumps(content)
        )

    tab.route("**/*", answer)
    tab.goto("http://127.0.0.1:8000/")
    tab.get_by_role("button", name="Predict").click()
    tab.wait_for_selector("#answer:not([hidden])")
    assert '"probability"' in tab.inner_text("#answer")
    assert asked == ["http://127.0.0.1:8000/", "http://127.0.0.1:8000/predict"]
    assert said == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()

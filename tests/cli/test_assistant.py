"""Assistants over the Model Context Protocol: the commands are their tools, and one folder is all they reach."""

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crystalogic.cli import assistant
from crystalogic.cli.assistant import TOOLS, command_line
from crystalogic.cli.options import DESCRIBED
from crystalogic.errors import CrystalogicError, ServiceError


@pytest.fixture(autouse=True)
def own_loop(monkeypatch):
    """Loops run in a thread of their own: in this one the browser of other tests may have one."""
    start = asyncio.run
    with ThreadPoolExecutor(1) as thread:
        monkeypatch.setattr(asyncio, "run", lambda main: thread.submit(start, main).result())
        yield


@pytest.fixture
def talk(crystalogic, model, folder):
    """Send messages, get the answers."""

    def send(*messages):
        lines = [each if isinstance(each, str) else json.dumps({"jsonrpc": "2.0", **each}) for each in messages]
        code, out, err = crystalogic("mcp", "--folder", str(folder), stdin="\n".join(lines) + "\n")
        assert (code, err) == (0, "")
        return list(map(json.loads, out.splitlines()))

    return send


def call(name, **given):
    return {"id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}


def test_versions_are_agreed_on_and_notices_have_no_answer(talk):
    first, second, third = talk(
        {"id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}}},
        {"method": "notifications/initialized"},
        {"id": "b", "method": "initialize", "params": {"protocolVersion": "1999-01-01"}},
        {"id": 2, "method": "ping"},
    )
    assert first["result"]["protocolVersion"] == "2024-11-05"
    assert second["result"]["protocolVersion"] == assistant.TOLD["versions"][0]
    assert second["result"]["capabilities"] == {"tools": {}}
    assert third == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_every_question_is_a_tool_with_what_its_command_takes(talk):
    (found,) = talk({"id": 1, "method": "tools/list"})
    tools = {each["name"]: each for each in found["result"]["tools"]}
    assert len(tools) == 4 + len(DESCRIBED["ask"])
    assert tools["ask_monotone"]["inputSchema"]["required"] == ["model", "column"]
    assert tools["fit"]["inputSchema"]["required"] == ["table", "target"]
    assert tools["predict"]["inputSchema"]["properties"]["keep"]["items"] == {"type": "string"}
    assert not {"json", "scheduler", "quiet"} & set(tools["fit"]["inputSchema"]["properties"])


def test_what_is_proved_and_what_is_refuted_are_answers(talk, folder):
    answers = talk(
        call("verify", model="model.json"),
        call("ask_monotone", model="model.json", column="age"),
        call("ask_ignores", model="model.json", column="age"),
        call("explain", model="model.json", row_table="rows.csv", row=[0, 2]),
        call("predict", model="model.json", table="rows.csv", output="out.csv", unknown="skip"),
    )
    assert not any(each["result"]["isError"] for each in answers)
    told = [each["result"]["content"] for each in answers]
    assert json.loads(told[0][0]["text"])["verified"] is True
    assert [json.loads(each[0]["text"])["verdict"] for each in told[1:3]] == ["proved", "refuted"]
    assert [each["number"] for each in json.loads(told[3][0]["text"])] == [0, 2]
    assert (folder / "out.csv").read_text().startswith("[")


def test_a_command_that_fails_says_why(talk):
    (found,) = talk(call("ask_ignores", model="model.json", column="weight"))
    assert found["result"]["isError"]
    assert "weight" in found["result"]["content"][0]["text"]


def test_a_fit_stays_in_the_folder(talk, folder):
    rows = ["a,b,y", *(f"{i % 2},{i % 3},{i % 2}" for i in range(40))]
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    (found,) = talk(call("fit", table="t.csv", target="y", time=2, max_literals=1, output="new.json"))
    assert json.loads(found["result"]["content"][0]["text"])["formulas"] == ["{a=1}"]
    assert (folder / "new.json").is_file()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"table": "../t.csv", "target": "y"}, "is not in the folder"),
        ({"table": "/etc/passwd", "target": "y"}, "is not in the folder"),
        ({"table": "/**/*.csv", "target": "y"}, "is not in the folder"),
        ({"table": "link.csv", "target": "y"}, "is not in the folder"),
        ({"table": "linked", "target": "y"}, "is not in the folder"),
        ({"table": "*.csv", "target": "y"}, "is not in the folder"),
        ({"table": "a\0b", "target": "y"}, "cannot be used"),
        ({"table": "large.csv", "target": "y"}, "has more than 268,435,456 bytes"),
        ({"table": "rows.csv", "target": "y", "output": "../m.json"}, "is not in the folder"),
        ({"table": "rows.csv", "target": "y", "output": "rows.csv"}, "is there; choose another name"),
        ({"table": "rows.csv", "target": "y", "report": "/tmp/x.html"}, "is not in the folder"),
        ({"table": "rows.csv", "target": "y", "scheduler": "tcp://x"}, "takes no 'scheduler'"),
        ({"table": "rows.csv"}, "needs 'target'"),
        ({"target": "y"}, "needs 'table'"),
    ],
)
def test_nothing_outside_of_the_folder_is_reached(folder, given, said):
    (folder / "link.csv").symlink_to("/etc/passwd")
    (folder / "linked").mkdir()
    (folder / "linked" / "a.csv").symlink_to("/etc/passwd")
    with (folder / "large.csv").open("wb") as file:
        file.truncate(1 << 29)
    with pytest.raises(CrystalogicError, match=said):
        command_line(folder.resolve(), "fit", given)


def test_values_cannot_become_options(folder):
    line = command_line(folder.resolve(), "ask_ignores", {"model": "-m.json", "column": "--time"})
    assert line == ["ask", str(folder.resolve() / "-m.json"), "ignores", "--json", "--", "--time"]
    given = {"table": "--help", "target": "--output=/x", "seed": 0, "balanced": True}
    line = command_line(folder.resolve(), "fit", given)
    assert line[-2:] == ["--", str(folder.resolve() / "--help")]
    assert {"--target=--output=/x", "--seed=0", "--balanced"} < set(line)


def test_a_model_that_is_left_out_is_no_other_argument(folder):
    with pytest.raises(ServiceError, match="needs 'model'"):
        command_line(folder.resolve(), "ask_ignores", {"column": "../../secret.json"})


def test_rubbish_is_answered_and_the_next_message_too(talk):
    found = talk(
        "rubbish", "[1]", '{"id": 1}', {"id": 2, "method": "x"}, {"id": 3, "method": "ping", "params": 5}, call("x")
    )
    assert [each.get("error", {}).get("code") for each in found] == [-32700, -32700, -32601, -32601, -32700, None]
    assert "there is no tool 'x'" in found[-1]["result"]["content"][0]["text"]


def test_a_tool_that_takes_too_long_is_ended(monkeypatch):
    from dataclasses import replace

    monkeypatch.setattr(assistant, "SERVED", replace(assistant.SERVED, tool_seconds=0.01))
    with pytest.raises(ServiceError, match=r"took more than 0\.01 seconds and was ended"):
        asyncio.run(assistant._run(["datasets"]))
    monkeypatch.setattr(assistant, "SERVED", replace(assistant.SERVED, tool_seconds=60, bytes=10))
    with pytest.raises(ServiceError, match="too many to tell"):
        asyncio.run(assistant._run(["datasets"]))


def test_every_tool_has_a_schema():
    for name in TOOLS:
        assert assistant._tool(name)["description"]


def test_the_official_client_gets_on_with_it(model, folder):
    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    async def talk():
        program = {"command": sys.executable, "args": ["-m", "crystalogic", "mcp", "--folder", str(folder)]}
        parameters = mcp.StdioServerParameters(**program, env=dict(os.environ))
        async with stdio_client(parameters) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            await session.send_ping()
            listed = await session.list_tools()
            answer = await session.call_tool("ask_monotone", {"model": "model.json", "column": "age"})
            return [each.name for each in listed.tools], answer.content[0].text

    names, text = asyncio.run(asyncio.wait_for(talk(), 120))
    assert names == list(TOOLS)
    assert json.loads(text)["verdict"] == "proved"


def test_a_folder_that_is_not_there_is_refused(crystalogic):
    code, _, err = crystalogic("mcp", "--folder", str(Path("nowhere")))
    assert (code, "there is no such folder" in err) == (2, True)

"""The commands as tools of assistants: the Model Context Protocol, JSON-RPC by lines of standard input and output.

A call of a tool is its command in a process of its own, which is ended after its time. What tools take stands in
`commands.toml`, what assistants are told in `tools.toml`. Files are those of one folder.
"""

import asyncio
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crystalogic import __version__
from crystalogic.cli.options import DESCRIBED, flag_of, options_of
from crystalogic.cli.output import show_json
from crystalogic.errors import CrystalogicError, ServiceError, refuse, refuse_first
from crystalogic.files.source import files_of
from crystalogic.untrusted import CALLED, json_data, shorten, table
from crystalogic.words.tables import package_file

TOLD = tomllib.loads(package_file("cli", "tools.toml"))


def listen(folder: Path) -> None:
    """Answers the lines of standard input, one by one, until there are no more."""
    while line := sys.stdin.buffer.readline(CALLED.message):
        number = None
        try:
            message = table(json_data(line.decode("utf-8"), "message"), "the message")
            number, method = message.get("id"), message.get("method")
            found = _answer(folder, method, table(message.get("params", {}), "params"))
        except (ValueError, CrystalogicError) as error:
            found = {"error": {"code": -32700 if number is None else -32602, "message": str(error)}}
        if number is not None or "error" in found:  # what has no number wants no answer
            show_json({"jsonrpc": "2.0", "id": number, **found})


def _answer(folder: Path, method: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request, or its error."""
    if method == "tools/call":
        try:
            line = command_line(folder, params.get("name"), table(params.get("arguments", {}), "the arguments"))
            is_error, texts = asyncio.run(_run(line))
        except CrystalogicError as error:
            is_error, texts = True, [str(error)]
        return {"result": {"content": [{"type": "text", "text": text} for text in texts], "isError": is_error}}
    wanted, server = params.get("protocolVersion"), TOLD["server"]
    server = {**server, "serverInfo": {**server["serverInfo"], "version": __version__}}
    version = {"protocolVersion": wanted if wanted in TOLD["versions"] else TOLD["versions"][0]}
    known = {"initialize": {**version, **server}, "ping": {}, "tools/list": {"tools": list(map(_tool, TOLD["tools"]))}}
    if method in known or str(method).startswith("notifications/"):
        return {"result": known.get(method, {})}
    return {"error": {"code": -32601, "message": f"there is no method {shorten(method)}."}}


async def _run(line: list[str]) -> tuple[bool, list[str]]:
    """Whether a command failed, and what it printed: that something is refuted is an answer."""
    program = (sys.executable, "-P", "-m", "crystalogic", *line)  # -P: nothing of a folder is imported
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    child = await asyncio.create_subprocess_exec(*program, stdin=nothing, stdout=pipe, stderr=pipe)
    try:
        told, said = await asyncio.wait_for(child.communicate(), CALLED.seconds)
    except TimeoutError:
        refuse(ServiceError, f"{line[0]} took more than {CALLED.seconds} seconds and was ended. Ask for less.")
    finally:
        if child.returncode is None:
            child.kill()
    if len(told) > CALLED.message:
        refuse(ServiceError, f"the answer has {len(told):,} bytes, too many to tell. Write it to a file with output.")
    return bool(child.returncode and not told), [each.decode("utf-8", "replace") for each in (told, said) if each]


def _tool(name: str) -> dict[str, Any]:
    """A tool, as the protocol lists it."""
    options, questions = _options(name, DESCRIBED["ask"]), DESCRIBED["ask"] if name == "ask" else {}
    schemas, kinds = TOLD["schemas"], {key: how.get("type", "text") for key, how in options.items()}
    properties = {key: {**schemas[kinds[key]], "description": how["help"]} for key, how in options.items()}
    needed = [key for key, how in options.items() if how.get("is_needed") and (key == "model" or not questions)]
    if questions:
        listed = "; ".join(f"{key}: {each['asks']} ({each['takes']})" for key, each in questions.items())
        properties["question"] = {"enum": list(questions), "description": listed}
    schema = {"type": "object", "properties": properties, "required": needed + ["question"] * bool(questions)}
    return {"name": name, "description": TOLD["tools"][name], "inputSchema": schema}


def _options(name: str, questions: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool takes; of `ask`, what these questions do."""
    described = [{"takes": "model"}, *questions.values()] if name == "ask" else [DESCRIBED[name]]
    return {key: how for each in described for key, how in options_of(each).items() if key not in TOLD["hidden"]}


def command_line(folder: Path, name: Any, given: Mapping[str, Any]) -> list[str]:
    """The command that a call of a tool means; an error for what the tool does not take."""
    question = given.get("question") if name == "ask" else "ignores"
    if name not in TOLD["tools"] or question not in DESCRIBED["ask"]:
        refuse(ServiceError, f"there is no tool {shorten(name)}, or no question {shorten(question)} that it knows.")
    options, begin = _options(name, {question: DESCRIBED["ask"][question]}), [name]
    given = {"output": "model.json", **given} if name == "fit" else given
    if strange := [key for key in given if key not in options and (name, key) != ("ask", "question")]:
        refuse(ServiceError, f"{name} takes no {shorten(strange[0])}; it takes {', '.join(options)}.")
    flags, arguments = ["--json"], list[str]()
    for key, how in options.items():
        values = given.get(key) if isinstance(given.get(key), list) else [given.get(key)]
        for value in (each for each in values or () if each is not None and each is not False):
            text = _inside(folder, str(value), key) if key in TOLD["paths"] else str(value)
            if name == "ask" and key == "model":
                begin += [text, str(question)]
            elif how.get("is_argument"):
                arguments.append(text)
            else:
                flags.append(flag_of(key, how) + ("" if value is True else f"={text}"))
    return [*begin, *flags, "--", *arguments]


def _inside(folder: Path, path: str, what: str) -> str:
    """The path within the folder; an error for one that leads out of it, or to what is not read or replaced."""
    real, is_written = folder / path, what in TOLD["written"]
    try:
        is_outside = not real.resolve().is_relative_to(folder)
        found = [] if is_written or is_outside else list(map(Path, files_of(str(real)) or [real]))
        is_outside |= not all(each.resolve().is_relative_to(folder) for each in found)
        n_bytes = sum(each.stat().st_size for each in found if each.is_file())
    except (OSError, ValueError, RuntimeError) as error:
        refuse(ServiceError, f"{what}: {shorten(path)} cannot be used ({error}).")
    problems = {
        "is not in the folder that this server was given": is_outside,
        "is there already; choose another name": is_written and real.exists() and real.suffix not in TOLD["replaced"],
        f"has {n_bytes:,} bytes, more than {CALLED.bytes:,}": n_bytes > CALLED.bytes,
    }
    refuse_first(ServiceError, {f"{what}: {shorten(path)} {each}.": is_so for each, is_so in problems.items()})
    return str(real)

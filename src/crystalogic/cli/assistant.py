"""The commands as tools of assistants, over the Model Context Protocol: JSON-RPC, line by line.

What tools take stands in `commands.toml`, what assistants are told in `tools.toml`. Files are those of one folder.
"""

import asyncio
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crystalogic import __version__
from crystalogic.cli.options import DESCRIBED, options_of
from crystalogic.cli.output import show_json
from crystalogic.errors import CrystalogicError, ServiceError, refuse, refuse_first
from crystalogic.files.source import files_of
from crystalogic.untrusted import SERVED, json_data, shorten, table
from crystalogic.words.tables import package_file

TOLD = tomllib.loads(package_file("cli", "tools.toml"))
ASKED = {f"ask_{name.replace('-', '_')}": (name, how) for name, how in DESCRIBED["ask"].items()}
TOOLS: dict[str, Mapping[str, Any]] = {name: DESCRIBED[name] for name in TOLD["tools"]}
TOOLS |= {tool: {**how, "takes": f"model {how['takes']}"} for tool, (_, how) in ASKED.items()}


def listen(folder: Path) -> None:
    """Answers the lines of standard input, one by one, until there are no more."""
    while line := sys.stdin.buffer.readline(SERVED.bytes):
        number = None
        try:
            message = table(json_data(line.decode("utf-8"), "message"), "the message")
            number = message.get("id")
            found = _answer(folder, message.get("method"), table(message.get("params", {}), "params"))
        except (ValueError, CrystalogicError) as error:
            found = {"error": {"code": -32700, "message": str(error)}}
        if number is not None or found.get("error", {}).get("code") == -32700:  # what has no number wants no answer
            show_json({"jsonrpc": "2.0", "id": number, **found})


def _answer(folder: Path, method: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    if method == "tools/call":
        try:
            line = command_line(folder, params.get("name"), table(params.get("arguments", {}), "the arguments"))
            is_error, texts = asyncio.run(_run(line))
        except CrystalogicError as error:
            is_error, texts = True, [str(error)]
        return {"result": {"content": [{"type": "text", "text": text} for text in texts], "isError": is_error}}
    wanted, info = params.get("protocolVersion"), {"name": "crystalogic", "version": __version__}
    version = wanted if wanted in TOLD["versions"] else TOLD["versions"][0]
    known = {"initialize": {"protocolVersion": version, "serverInfo": info, **TOLD["server"]}, "ping": {}}
    known |= {"tools/list": {"tools": list(map(_tool, TOOLS))}, "notifications/initialized": {}}
    is_known, why = method in known, f"there is no method {shorten(method)}."
    return {"result": known[method]} if is_known else {"error": {"code": -32601, "message": why}}


def _tool(name: str) -> dict[str, Any]:
    options = {key: how for key, how in options_of(TOOLS[name]).items() if key not in TOLD["hidden"]}
    kinds = {key: (TOLD["schemas"][how.get("type", "text")], how["help"]) for key, how in options.items()}
    told = {key: {**kind, "description": words} for key, (kind, words) in kinds.items()}
    needed = [key for key, how in options.items() if how.get("is_needed")]
    words = TOLD["tools"].get(name) or f"{TOOLS[name]['asks']} {TOLD['answers']}"
    schema = {"type": "object", "properties": told, "required": needed}
    return {"name": name, "description": words, "inputSchema": schema}


def command_line(folder: Path, name: Any, given: Mapping[str, Any]) -> list[str]:
    """The command that a call of a tool means; an error for what the tool does not take."""
    refuse_first(ServiceError, {f"there is no tool {shorten(name)}; there are {', '.join(TOOLS)}.": name not in TOOLS})
    options, given = options_of(TOOLS[name]), {"output": "model.json", **given} if name == "fit" else given
    wrong = [f"takes no {shorten(key)}" for key in given if key not in options or key in TOLD["hidden"]]
    wrong += [f"needs {key!r}" for key, how in options.items() if how.get("is_needed") and given.get(key) is None]
    refuse_first(ServiceError, {f"{name} {each}; it takes {', '.join(options)}.": True for each in wrong})
    flags, arguments = ["--json"], list[str]()
    for key, how in options.items():
        values = given.get(key) if isinstance(given.get(key), list) else [given.get(key)]
        for value in (each for each in values or () if each is not None and each is not False):
            text = _inside(folder, str(value), key) if key in TOLD["paths"] else str(value)
            if how.get("is_argument"):
                arguments.append(text)
            else:
                flags.append(how["flag"] if value is True else f"{how['flag']}={text}")
    begin = ["ask", arguments.pop(0), ASKED[name][0]] if name in ASKED else [name]
    return [*begin, *flags, "--", *arguments]


def _inside(folder: Path, path: str, what: str) -> str:
    """The path within the folder; an error for one that leads out of it, or to what is not read or replaced."""
    real, is_written = folder / path, what in TOLD["written"]
    try:
        is_outside = not real.resolve().is_relative_to(folder)
        found = [] if is_written or is_outside else list(map(Path, files_of(str(real)) or [str(real)]))
        is_outside |= not all(each.resolve().is_relative_to(folder) for each in found)
        is_large = sum(each.stat().st_size for each in found if each.is_file()) > SERVED.table_bytes
        is_others = is_written and real.exists() and real.suffix not in TOLD["replaced"]
    except (OSError, ValueError, RuntimeError) as error:
        refuse(ServiceError, f"{what}: {shorten(path)} cannot be used ({error}).")
    told = {"is not in the folder of this server": is_outside, "is there; choose another name": is_others}
    told[f"has more than {SERVED.table_bytes:,} bytes"] = is_large
    refuse_first(ServiceError, {f"{what}: {shorten(path)} {each}.": is_so for each, is_so in told.items()})
    return str(real)


async def _run(line: list[str]) -> tuple[bool, list[str]]:
    """Whether a command failed, and what it printed: that something is refuted is an answer."""
    program = (sys.executable, "-P", "-m", "crystalogic", *line)  # -P: nothing of a folder is imported
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    child = await asyncio.create_subprocess_exec(*program, stdin=nothing, stdout=pipe, stderr=pipe)
    try:
        told, said = await asyncio.wait_for(child.communicate(), SERVED.tool_seconds)
    except TimeoutError:
        child.kill()
        await child.wait()
        refuse(ServiceError, f"{line[0]} took more than {SERVED.tool_seconds} seconds and was ended. Ask for less.")
    if len(told) > SERVED.bytes:
        refuse(ServiceError, f"the answer has {len(told):,} bytes, too many to tell. Write it to a file with output.")
    return bool(child.returncode and not told), [each.decode("utf-8", "replace") for each in (told, said) if each]

"""The service in figures: requests a second beside the bare framework, memory over time, and hostile requests.

`python benchmarks/service.py --seconds 120 --hostile 10000`. All traffic stays on 127.0.0.1; seeds are 100 and more.
"""

import argparse
import http.client
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import crystalogic as cl

BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def echo(request):
    return JSONResponse(await request.json())

app = Starlette(routes=[Route("/predict", echo, methods=["POST"]), Route("/health", lambda r: JSONResponse({}))])
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", http="h11", loop="asyncio")
"""
WAITING = ("slow client", "said to be huge")  # of which the service waits for more
HEADERS = {"content-type": "application/json"}
PATHS = (b"/../../etc/passwd", b"/%2e%2e/%00", b"//predict", b"/predict/..;/", b"/" + b"a" * 60_000)
ENCODINGS = (b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", b"")
TYPE = b"Content-Type: application/json\r\n"


def free_port():
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


def start(*program):
    child = subprocess.Popen([sys.executable, *program], stdout=subprocess.DEVNULL)
    port = int(program[-1])
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/health")
            connection.getresponse().read()
            return child, port
        except OSError:
            time.sleep(0.1)
    message = "the server did not start"
    raise SystemExit(message)


def megabytes(child):
    pages = Path(f"/proc/{child.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def load(port, body, seconds, n_clients=4, path="/predict"):
    """Requests a second, median and p99 in milliseconds, of some clients that keep their connections."""
    times, ends = [], time.perf_counter() + seconds

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        while time.perf_counter() < ends:
            begin = time.perf_counter()
            connection.request("POST", path, body, HEADERS)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            times.append(time.perf_counter() - begin)

    threads = [threading.Thread(target=client) for _ in range(n_clients)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    times.sort()
    return len(times) / seconds, 1000 * times[len(times) // 2], 1000 * times[int(len(times) * 0.99)]


def hostile_requests(row, n, seed=100):
    """What is sent, as bytes, its kind first; None at the end means that the client just stays."""
    draw = random.Random(seed)

    def post(body, path=b"/predict", more=b"", kind=TYPE, length=None):
        n_bytes = str(len(body) if length is None else length).encode()
        head = b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + kind + more
        return head + b"Content-Length: " + n_bytes + b"\r\n\r\n" + body

    def cells():
        odd = [None, True, "", "x" * draw.randrange(10_000), -1, 10**60, 1e308, [], {}, "\ud800", "NaN", "'; DROP--"]
        return {name: draw.choice(odd) for name in row}

    kinds = {
        "huge body": lambda: post(b"[" + b"1," * draw.randrange(600_000, 3_000_000)),
        "said to be huge": lambda: post(b"{}", length=10 ** draw.randrange(8, 30)),
        "deep JSON": lambda: post(draw.choice([b"[", b'{"a":']) * draw.randrange(100, 100_000)),
        "NaN and infinity": lambda: post(b'{"cp": %s}' % draw.choice([b"NaN", b"-Infinity", b"1e999", b"9" * 9999])),
        "wrong types": lambda: post(json.dumps(draw.choice([cells(), [cells()] * 50, 5, "x", None, [[]]])).encode()),
        "wrong cells explained": lambda: post(json.dumps(cells()).encode(), b"/explain"),
        "unknown columns": lambda: post(json.dumps({f"c{i}": i for i in range(draw.randrange(5000))}).encode()),
        "too many rows": lambda: post(json.dumps([row] * draw.randrange(1001, 3000)).encode()),
        "path tricks": lambda: post(
            b"{}",
            draw.choice([b"/../../etc/passwd", b"/%2e%2e/%00", b"//predict", b"/predict/..;/", b"/" + b"a" * 60_000]),
        ),
        "wrong methods": lambda: (
            draw.choice([b"PUT", b"DELETE", b"TRACE", b"CONNECT", b"FOO", b"GET"])
            + b" /predict HTTP/1.1\r\nHost: localhost\r\n\r\n"
        ),
        "wrong encodings": lambda: post(
            draw.randbytes(200),
            more=draw.choice([b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", b""]),
        ),
        "wrong type of content": lambda: post(json.dumps(row).encode(), kind=b"Content-Type: text/plain\r\n"),
        "another host": lambda: b"GET /model HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "no HTTP": lambda: draw.randbytes(draw.randrange(1, 5000)) + b"\r\n\r\n",
        "pipelined": lambda: post(json.dumps(row).encode()) * 20,
        "huge head": lambda: b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * draw.randrange(10_000, 300_000) + b"\r\n\r\n",
        "slow client": lambda: draw.choice([b"", b"GET / HT", post(b"{", length=50)]),
    }
    names = [name for name in kinds for _ in range(1 if name in WAITING else 6)]
    for _ in range(n):
        name = draw.choice(names)
        yield name, kinds[name]()


def attack(port, row, n, n_clients=4):
    """How each hostile request ended, of some clients at once."""
    found = [Counter() for _ in range(n_clients)]
    each = partial(_attack, port, row)
    parts = [range(start, n, n_clients) for start in range(n_clients)]
    threads = [threading.Thread(target=each, args=(len(part), 100 + i, found[i])) for i, part in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(found, Counter())


def _attack(port, row, n, seed, found):
    """A slow client is left alone while others go on."""
    slow = []
    for name, text in hostile_requests(row, n, seed):
        client = socket.create_connection(("127.0.0.1", port), timeout=30)
        if name in WAITING:
            client.sendall(text)
            slow.append((name, client))
            if len(slow) > 15:
                earlier, waited = slow.pop(0)
                found[earlier, ending(waited)] += 1
            continue
        try:
            client.sendall(text)
        except OSError:
            pass
        found[name, ending(client)] += 1
    for name, client in slow:
        found[name, ending(client)] += 1


def ending(client):
    """The status of the answer, or how the connection ended; "hangs" where there was nothing for 30 seconds."""
    try:
        begin = client.recv(1 << 12)
        return begin[9:12].decode("latin-1") if begin.startswith(b"HTTP/") else "closed"
    except TimeoutError:
        return "hangs"
    except OSError:
        return "closed"
    finally:
        client.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120, help="how long memory is watched under load")
    parser.add_argument("--burst", type=float, default=10, help="how long each rate is measured")
    parser.add_argument("--hostile", type=int, default=10_000)
    asked = parser.parse_args()
    heart = cl.datasets.load("heart")
    rule = cl.LukasiewiczClassifier(random_state=100).fit(heart.frame(), heart.labels)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        rule.save(path)
        model = cl.load(path)
        frame = heart.frame().astype(object)
        rows = [{name: str(frame[name].iloc[i % len(frame)]) for name in model.columns} for i in range(1000)]
        one, many = json.dumps(rows[0]), json.dumps(rows)
        bare, bare_port = start("-c", BARE, str(free_port()))
        child, port = start("-m", "crystalogic", "serve", str(path), "--port", str(free_port()))
        for name, where, body, route in (
            ("bare framework, echo of a row", bare_port, one, "/predict"),
            ("/predict, one row", port, one, "/predict"),
            ("/explain", port, one, "/explain"),
            ("bare framework, echo of 1,000 rows", bare_port, many, "/predict"),
            ("/predict, 1,000 rows", port, many, "/predict"),
        ):
            rate, middle, late = load(where, body, asked.burst, path=route)
            print(f"{name:36} {rate:8.0f} requests/s   median {middle:7.1f} ms   p99 {late:7.1f} ms", flush=True)
        bare.terminate()
        bare.wait()
        print(f"memory before: {megabytes(child):.0f} MB", flush=True)
        ends, n_parts = asked.seconds / 6, 6
        for part in range(n_parts):
            rate, _, late = load(port, one, ends)
            shown = f"{(part + 1) * ends:5.0f} s: {megabytes(child):.0f} MB, {rate:.0f} requests/s, p99 {late:.1f} ms"
            print(shown, flush=True)
        before, begin = megabytes(child), time.perf_counter()
        found = attack(port, rows[0], asked.hostile)
        seconds = time.perf_counter() - begin
        for name in sorted({name for name, _ in found}):
            ends_in = {end: n for (each, end), n in sorted(found.items()) if each == name}
            print(f"{name:24} {ends_in}")
        harmful = sum(n for (_, end), n in found.items() if end in ("500", "hangs"))
        is_alive = child.poll() is None and load(port, one, 1)[0] > 0
        print(f"{sum(found.values()):,} hostile requests in {seconds:.0f} s: {harmful} harmful; alive: {is_alive}")
        print(f"memory: {before:.0f} MB before, {megabytes(child):.0f} MB after", flush=True)
        child.send_signal(2)
        print(f"exit code on Ctrl-C: {child.wait(timeout=30)}")


if __name__ == "__main__":
    main()

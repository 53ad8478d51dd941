"""The service as a process: it listens here alone, outlives clients that dawdle, and ends on Ctrl-C."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import time

import pytest

pytest.importorskip("uvicorn")

from crystalogic.service import server
from export_cases import MODELS

IMPATIENT = """
import sys
from dataclasses import replace
from crystalogic.service import server
server.SERVED = replace(server.SERVED, seconds=1)
from crystalogic.cli import main
sys.argv = ["crystalogic", *sys.argv[1:]]
main()
"""
ROW = {"cp": 4, "ca": None, "thal": 6, "age": 60, "grade": None}


def free_port():
    with socket.socket() as here:
        here.bind(("127.0.0.1", 0))
        return here.getsockname()[1]


def request(port, method="GET", path="/health", body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, body, {"content-type": "application/json"})
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


@pytest.fixture
def service(tmp_path):
    """A service that waits for one second, and its port."""
    MODELS["checklist"]().save(tmp_path / "m.json")
    port = free_port()
    program = [sys.executable, "-c", IMPATIENT, "serve", str(tmp_path / "m.json"), "--port", str(port)]
    child = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(300):
        try:
            request(port)
            break
        except OSError:
            time.sleep(0.1)
    yield child, port
    child.kill()
    child.communicate()


def is_ended(client):
    """Whether the other side ends the connection within some seconds."""
    client.settimeout(15)
    with client:
        try:
            while client.recv(1 << 16):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            return False
    return True


def test_clients_that_dawdle_are_left_and_others_answered(service):
    child, port = service
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
    for place, client in enumerate(slow):
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        begun = (b"", b"GET /hea", head + b"Content-Length: 10\r\n\r\n{")[place % 3]
        client.sendall(begun)
    assert request(port, "POST", "/predict", json.dumps(ROW))[0] == 200
    assert all(map(is_ended, slow))
    assert request(port)[1]["status"] == "ok"
    assert child.poll() is None


def test_what_is_no_http_is_refused_and_nothing_more(service):
    child, port = service
    for text in (b"\x00\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(text)
            assert is_ended(client)
    assert request(port)[0] == 200
    assert child.poll() is None


def test_ctrl_c_ends_it_and_another_on_its_port_is_refused(service, tmp_path):
    child, port = service
    again = [sys.executable, "-m", "crystalogic", "serve", str(tmp_path / "m.json"), "--port", str(port)]
    done = subprocess.run(again, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"ServiceError: 127.0.0.1:{port} cannot be listened on. Is it in use?" in done.stderr
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (0, "")
    assert out.endswith("Ctrl-C stops it.\nStopped.\n")


def test_a_signal_to_end_is_no_fault_of_the_port(service):
    child, _ = service
    child.terminate()
    _, err = child.communicate(timeout=30)
    assert (child.returncode in (143, -signal.SIGTERM), err) == (True, "")


def test_a_model_whose_certificate_does_not_hold_is_not_served(monkeypatch):
    from dataclasses import replace

    from crystalogic.errors import CertificateError
    from crystalogic.logic.parse import parse

    model = replace(MODELS["facts_only"](), written=(parse("{cp=4}"),))
    monkeypatch.setattr(server.uvicorn, "run", lambda *_, **__: pytest.fail("it is served"))
    with pytest.raises(CertificateError):
        server.serve(model, "", "127.0.0.1", 8000)


def test_the_command_says_what_to_install(monkeypatch, tmp_path, capsys):
    from crystalogic.cli.app import run

    MODELS["checklist"]().save(tmp_path / "m.json")
    monkeypatch.setitem(sys.modules, "crystalogic.service.server", None)
    assert run(["serve", str(tmp_path / "m.json")]) == 1
    assert "pip install 'crystalogic[serve]'" in capsys.readouterr().err

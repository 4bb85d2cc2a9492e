"""The program under test, from outside: started, killed, asked over HTTP; and who takes its pushes.

CARILLON_PROGRAM names the program, `.build/debug/carillon` without it.
"""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from urllib.parse import urlencode

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("CARILLON_PROGRAM", str(ROOT / ".build/debug/carillon"))
SECONDS = 20


class Failed(Exception):
    pass


def until(check, what, seconds=SECONDS, pause=0.05):
    """What `check` gives as soon as it gives something."""
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"{what() if callable(what) else what}: not within {seconds} s")
        time.sleep(pause)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)


def request(port, method, path, body=None, headers=(), form=None, seconds=SECONDS):
    """One request. `body` goes as JSON unless it is bytes, `form` as a form."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    headers = dict(headers)
    if form is not None:
        body = urlencode(form).encode()
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    elif body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    with contextlib.closing(connection):
        connection.request(method, path, body, headers)
        return Answer(connection.getresponse())


class Receiver:
    """Takes webhooks. Devices named in `refused` are answered 410: nobody of that name."""

    def __init__(self):
        self.pushes = []
        self.refused = set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.pushes.append(body)
                self.send_response(400 if any(name in body for name in receiver.refused) else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http.server_port}/push"


class Server:
    """A Carillon with the example's configuration and a data directory that is thrown away."""

    def __init__(self, **options):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="carillon-console-"))
        self.data = self.folder / "data"
        self.receiver = Receiver()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.options = {
            "push/customhttp.url": self.receiver.url,
            "support.app.demo/webhook_url": self.receiver.url,
            "service.request-chat/_client_timeout_notification": "1",
            "service.callback-voice/_wait_for_user_confirm": "false",
        } | options
        self.tokens = {}
        self.process = None

    def __enter__(self):
        self.token("boss", "supervisor")
        self.token("root", "admin")
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.kill()
        self.receiver.http.shutdown()
        if kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            print(f"the server's log and data stay in {self.folder}")

    def settings(self, *names):
        """What the command line says of these options, or of all."""
        return [word for name, value in self.options.items() if not names or name in names
                for word in ("--set", f"{name}={value}")]

    def start(self):
        command = [PROGRAM, "serve", "--config", str(ROOT / "Sources/App/carillon.example.yaml"),
                   "--data-directory", str(self.data), "--host", "127.0.0.1", "--port", str(self.port)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command + self.settings(), stdout=log, stderr=log)
        until(self.is_ready, lambda: f"the server: {(self.folder / 'log').read_text()[-2000:]}")

    def is_ready(self):
        if self.process.poll() is not None:
            raise Failed(f"the server ended: {(self.folder / 'log').read_text()[-2000:]}")
        with contextlib.suppress(OSError):
            return request(self.port, "GET", "/health/ready").status == 200

    def kill(self):
        """As `kill -9` does: what is not on the disk is gone."""
        self.process.kill()
        self.process.wait()

    def command(self, *words):
        done = subprocess.run([PROGRAM, *words, "--data-directory", str(self.data)], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"carillon {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def token(self, name, role, *more):
        file = self.folder / f"{name}.token"
        self.command("token", "create", name, "--role", role, "--out", str(file), *more)
        self.tokens[name] = file.read_text().strip()

    def link(self, name):
        """The one-time link of somebody, at a host of their own: each has cookies of their own in one browser."""
        printed = self.command(
            "token", "link", name, "--base-url", f"http://{name}.localhost:{self.port}", *self.settings("server/console.path"))
        return next(word for word in printed.split() if "#code=" in word)

    def ask(self, method, path, body=None, by="boss", headers=(), **more):
        """What the API says to a token, whose answer has to be good."""
        mine = {"Authorization": f"Bearer {self.tokens[by]}"} if by else {}
        answer = request(self.port, method, path, body, mine | dict(headers), **more)
        if not 200 <= answer.status < 300:
            raise Failed(f"{method} {path}: {answer.status} {answer.text}")
        return answer.json if answer.text else None

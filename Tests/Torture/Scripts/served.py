"""A server to be hurt, and a good chat on it whose answers are timed. The standard library alone.

What a script finds goes to standard output, one JSON object a line: {"violation": TEXT}, {"remark": TEXT}, and at its end {"count": CASES}.
"""

import ctypes
import http.client
import json
import os
import resource
import signal
import subprocess
import threading
import time
import urllib.parse

START_SECONDS = 60
COMET = "/genesys/cometd"
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def say(**event):
    print(json.dumps(event), flush=True)


def with_all_descriptors():
    """As many open files as the system lets this process have, and those that it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Server:
    """`carillon serve` with these options of its section `server`."""

    def __init__(self, executable, directory, options):
        os.makedirs(directory, exist_ok=True)
        self.log_file = directory + "/server.log"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
        data = directory + "/data"
        made = subprocess.run([executable, "token", "create", "--name", "k", "--role", "agent", "--data-directory", data],
                              env=environment, capture_output=True, text=True, check=True)
        self.token = next(word for word in made.stdout.split() if word.startswith("car_"))
        options = {"host": "127.0.0.1", "data_directory": data, "journal.segment_size": "4MiB", **options}
        with open(directory + "/carillon.yaml", "w") as file:
            file.write("server:\n" + "".join(f'  {name}: "{value}"\n' for name, value in options.items()))
            file.write("service.request-chat: {}\n")
        libc = ctypes.CDLL(None)
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [executable, "serve", "--config", directory + "/carillon.yaml", "--port", "0"], env=environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=lambda: libc.prctl(DIES_WITH_PARENT, signal.SIGKILL))
        self.port = self.ready_port()

    def ready_port(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self.log().splitlines():
                if '"address":"' in line and "is ready on" in line:
                    return int(json.loads(line)["address"].rpartition(":")[2])
            time.sleep(0.02)
        raise SystemExit(f"the server does not start: {self.log()[-2000:]}")

    def log(self):
        with open(self.log_file) as log:
            return log.read()

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def sockets(self):
        """How many it has open: a client's that is left over is one."""
        folder, count = f"/proc/{self.process.pid}/fd", 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(f"{folder}/{name}").startswith("socket:")
            except FileNotFoundError:
                pass  # closed meanwhile
        return count

    def end(self):
        """Ends it, and says what is wrong with its end."""
        crash = self.process.poll()
        if crash is not None:
            return f"the server ended with {crash}: {self.log()[-1500:]}"
        self.process.terminate()
        try:
            status = self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "the server does not end"
        return f"the server ended with {status}" if status else None


class GoodChat:
    """A customer with a held connect and an agent who writes: how long it takes until what is written is there."""

    LIMIT = 30

    def __init__(self, server):
        self.token = server.token
        self.customer, self.agent = (http.client.HTTPConnection("127.0.0.1", server.port, timeout=self.LIMIT) for _ in range(2))
        self.session = self.comet(channel="/meta/handshake", version="1.0", supportedConnectionTypes=["long-polling"])[0]["clientId"]
        self.connect(0)
        self.comet(channel="/meta/subscribe", clientId=self.session, subscription="/_genesys")
        service = self.ask(self.customer, "/genesys/1/service/request-chat", "", "application/json")["_id"]
        form = urllib.parse.urlencode({"notify_by": "comet", "userDisplayName": "Good"})
        self.chat = self.ask(self.customer, f"/genesys/1/service/{service}/ixn/chat", form, "application/x-www-form-urlencoded")["chatSessionId"]
        self.act("join", nickname="Agent K")
        while len(self.connect(0)) > 1:
            pass

    def ask(self, connection, path, body, kind):
        who = {"Authorization": f"Bearer {self.token}"} if connection is self.agent else {"gms_user": "good"}
        connection.request("POST", path, body, {"Content-Type": kind, **who})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} was answered {answer.status}: {text[:300]}")
        return json.loads(text)

    def comet(self, **message):
        return self.ask(self.customer, COMET, json.dumps([message]), "application/json")

    def connect(self, timeout=None):
        advice = {} if timeout is None else {"advice": {"timeout": timeout}}
        return self.comet(channel="/meta/connect", clientId=self.session, connectionType="long-polling", **advice)

    def act(self, what, **body):
        return self.ask(self.agent, f"/agent/1/chats/{self.chat}/{what}", json.dumps(body), "application/json")

    def round(self):
        """Seconds from the agent's request to the customer's answer."""
        heard, failures = [], []

        def hold():
            try:
                while len(self.connect()) < 2:
                    pass
                heard.append(time.monotonic())
            except Exception as error:
                failures.append(error)

        holder = threading.Thread(target=hold)
        holder.start()
        time.sleep(0.005)
        begun = time.monotonic()
        self.act("messages", text="still here")
        holder.join()
        if failures:
            raise failures[0]
        return heard[0] - begun


def p99(seconds):
    return sorted(seconds)[max(0, -(-len(seconds) * 99 // 100) - 1)]

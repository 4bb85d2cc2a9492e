"""nghttpx and haproxy in front of a server, each with HTTP/1.1 and with HTTP/2 behind it: what has to come through, and what must not.

Usage: proxy_table.py PORT CERTIFICATE KEY TOKEN DIRECTORY

The server speaks HTTP/1.1 and, by prior knowledge, HTTP/2 at PORT of loopback, in the clear; TOKEN is an agent's. The proxies speak TLS. They
keep their files in DIRECTORY, and end with this script. Prints a line for each row, {"row", "passed", "saw"}, and ends with 1 if one did not
pass.

Through a proxy a message of smuggling_table.py may be refused, or taken for what that proxy takes it for: some forgive a message, and read
two requests in it. What counts is that the server has seen no second request that the proxy's log does not have as one.
"""

import contextlib
import gzip
import json
import os
import socket
import struct
import subprocess
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.exceptions

import http2_table as http2
import smuggling_table as smuggling

COMET = "/genesys/cometd"
USER = ("gms_user", "proxied")
FORM = ("content-type", "application/x-www-form-urlencoded")
JSON = ("content-type", "application/json")
# What is said at once is here by then; what is held is not.
HELD = 0.3
AT_ONCE = 2.0
PATIENCE = 20.0
LARGE = 2 << 20


# MARK: The proxies


class Proxy:
    """A program in front of the server, and what it says of each request that it has handed on."""

    def __init__(self, name, port, log, command):
        self.name, self.port, self.log = name, port, log
        with open(log + ".errors", "wb") as errors, open(log, "ab") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)

    def wait(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(self.log + ".errors") as errors:
                        raise SystemExit(f"{self.name} does not start: {errors.read()}")
                time.sleep(0.02)

    def canaries(self):
        """Canaries that it has handed on, for requests of their own. A line is: METHOD TARGET STATUS SERVER."""
        with open(self.log) as log:
            lines = [line.split() for line in log]
        return sum(len(line) == 4 and line[0] == "GET" and "/api/v2/requests" in line[1] and line[3] not in ("-", "<NOSRV>")
                   for line in lines)

    def end(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def haproxy(server, certificate, key, directory, version):
    port, path = free_port(), f"{directory}/haproxy-{version}"
    with open(certificate) as chain, open(key) as secret, open(path + ".pem", "w") as both:
        both.write(chain.read() + secret.read())
    with open(path + ".cfg", "w") as file:
        file.write(f"""
global
  log stdout format raw local0
defaults
  mode http
  log global
  log-format "%HM %HU %ST %s"
  timeout connect 5s
  timeout http-request 10s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
  http-reuse always
frontend clients
  bind 127.0.0.1:{port} ssl crt {path}.pem alpn h2,http/1.1
  default_backend servers
backend servers
  server carillon 127.0.0.1:{server}{' proto h2' if version == 2 else ''}
""")
    return Proxy(f"haproxy with HTTP/{version} behind it", port, path + ".log", ["haproxy", "-db", "-f", path + ".cfg"])


def nghttpx(server, certificate, key, directory, version):
    port, path = free_port(), f"{directory}/nghttpx-{version}"
    command = [
        "nghttpx", "--conf=/dev/null", "--single-process", "--workers=1", "--no-ocsp", f"--frontend=127.0.0.1,{port}",
        f"--backend=127.0.0.1,{server}{';;proto=h2' if version == 2 else ''}", f"--accesslog-file={path}.log",
        "--accesslog-format=$method $path $status $backend_host", f"--errorlog-file={path}.log.errors", key, certificate,
    ]
    return Proxy(f"nghttpx with HTTP/{version} behind it", port, path + ".log", command)


# MARK: A client of HTTP/2


class Client:
    """A connection by TLS, one thread, many streams."""

    def __init__(self, port):
        self.sock = http2.context("h2").wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
        assert self.sock.selected_alpn_protocol() == "h2", "h2 was not chosen"
        self.machine = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.machine.initiate_connection()
        self.heads, self.bodies, self.ended = {}, {}, set()
        self.flush()

    def close(self):
        self.sock.close()

    def flush(self):
        self.sock.settimeout(PATIENCE)
        self.sock.sendall(self.machine.data_to_send())

    def pump(self, seconds):
        """Takes what comes within that time; false if nothing does."""
        self.sock.settimeout(max(seconds, 0.001))
        try:
            data = self.sock.recv(1 << 18)
        except TimeoutError:
            return False
        assert data, "the proxy has closed the connection"
        for event in self.machine.receive_data(data):
            match event:
                case h2.events.ResponseReceived():
                    self.heads[event.stream_id] = dict(event.headers)
                case h2.events.DataReceived():
                    self.bodies[event.stream_id] += event.data
                    self.machine.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                case h2.events.StreamEnded() | h2.events.StreamReset():
                    self.ended.add(event.stream_id)
        self.flush()
        return True

    def until(self, holds, seconds=PATIENCE):
        """Whether it comes to hold within that time."""
        deadline = time.monotonic() + seconds
        while not holds():
            rest = deadline - time.monotonic()
            if rest <= 0 or not self.pump(rest) and not holds():
                return False
        return True

    def begin(self, method, path, *fields, body=b"", pseudo=(), is_open=False):
        """Sends a request, as far as the other side takes its body."""
        stream = self.machine.get_next_available_stream_id()
        self.bodies[stream] = bytearray()
        head = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
        self.machine.send_headers(stream, head[:1] + list(pseudo) + head[1:] + list(fields), end_stream=not body and not is_open)
        self.flush()
        self.send(stream, body, ends=not is_open)
        return stream

    def send(self, stream, body, ends=False):
        while body and stream not in self.ended:
            size = min(self.machine.local_flow_control_window(stream), self.machine.max_outbound_frame_size, len(body))
            if size == 0:
                assert self.pump(PATIENCE), "no window is opened"
                continue
            self.machine.send_data(stream, body[:size], end_stream=ends and size == len(body))
            body = body[size:]
            self.flush()

    def answer(self, stream):
        """Its status and body."""
        assert self.until(lambda: stream in self.ended), f"no answer to {stream}"
        return int(self.heads.get(stream, {}).get(":status", 0)), bytes(self.bodies[stream])

    def ask(self, method, path, *fields, body=b""):
        return self.answer(self.begin(method, path, *fields, body=body))

    def json(self, path, *fields, body=b""):
        status, answer = self.ask("POST", path, *fields, body=body)
        assert status == 200, f"{path}: {status} {answer[:200]}"
        return json.loads(answer)

    def comet(self, message, *fields):
        return self.json(COMET, USER, JSON, *fields, body=json.dumps([message]).encode())


# MARK: What has to come through


def chat(client, agent):
    """A customer with a session, in a chat with an agent: the session's id and the chat's."""
    session = client.comet({"channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["long-polling"]})[0]["clientId"]
    client.comet(connect(session))
    client.comet({"channel": "/meta/subscribe", "clientId": session, "subscription": "/_genesys"})
    service = client.json("/genesys/1/service/request-chat", USER)["_id"]
    started = client.json(f"/genesys/1/service/{service}/ixn/chat", USER, FORM, body=b"notify_by=comet&userDisplayName=Proxied")["chatSessionId"]
    client.json(f"/agent/1/chats/{started}/join", agent, JSON, body=b'{"nickname":"Agent K"}')
    while client.comet(connect(session, {"timeout": 0}))[0]["channel"] != "/meta/connect":
        pass
    return session, started


def connect(session, advice=None):
    return {"channel": "/meta/connect", "clientId": session, "connectionType": "long-polling", **({"advice": advice} if advice else {})}


def comet_and_events(client, agent):
    """A connect and a stream of events are held, and both have what is said at once."""
    session, started = chat(client, agent)
    events = client.begin("GET", "/agent/1/events", agent)
    poll = client.begin("POST", COMET, USER, JSON, body=json.dumps([connect(session)]).encode())
    assert client.until(lambda: client.heads.get(events, {}).get(":status") == "200"), "no stream of events"
    assert not client.until(lambda: poll in client.ended, HELD), f"the connect is not held: {client.bodies[poll]}"
    client.json(f"/agent/1/chats/{started}/messages", agent, JSON, body=b'{"text":"through the proxy"}')
    assert client.until(lambda: poll in client.ended, AT_ONCE), "the held connect is not answered"
    assert b"through the proxy" in client.bodies[poll], bytes(client.bodies[poll])
    assert client.until(lambda: b"through the proxy" in client.bodies[events], AT_ONCE), bytes(client.bodies[events])
    client.machine.reset_stream(events)
    client.flush()


def packed(client, agent):
    """A body that is gzip is read."""
    body = gzip.compress(b'[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]}]')
    reply = client.json(COMET, JSON, ("content-encoding", "gzip"), body=body)
    assert reply[0]["successful"] is True, reply


def large(client, agent):
    """A file of two megabytes goes up and comes down, every byte."""
    file = os.urandom(LARGE)
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n' + file + b"\r\n--x--\r\n"
    stored = client.json("/genesys/1/storage/600", USER, ("content-type", "multipart/form-data; boundary=x"), body=body)["id"]
    status, answer = client.ask("GET", f"/genesys/1/storage/binary/{stored}/file", USER)
    assert status == 200 and answer == file, f"{status}, {len(answer)} bytes of {len(file)}"


def too_large(client, agent):
    """A body that is too large is refused, and the connection goes on."""
    status, _ = client.ask("POST", COMET, JSON, body=b" " * (3 << 20))
    assert status == 413, status
    assert client.ask("GET", "/health/live")[0] == 200


def tunnelled(client, agent):
    """A WebSocket on a stream. Spec: RFC 8441."""
    assert client.until(lambda: client.machine.remote_settings.enable_connect_protocol == 1), "no extended CONNECT is offered"
    stream = client.begin("CONNECT", COMET, ("sec-websocket-version", "13"), pseudo=[(":protocol", "websocket")], is_open=True)
    assert client.until(lambda: stream in client.heads), "no answer to CONNECT"
    assert client.heads[stream][":status"] == "200", client.heads[stream]

    def exchange(frame):
        client.bodies[stream].clear()
        client.send(stream, frame)
        assert client.until(lambda: has_frame(client.bodies[stream])), "no frame comes"
        return bytes(client.bodies[stream])

    talk(exchange)


def upgraded(port):
    """A WebSocket by an upgrade of HTTP/1.1."""
    sock = http2.context("http/1.1").wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
    with sock:
        sock.sendall(
            b"GET /genesys/cometd HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while b"\r\n\r\n" not in head:
            more = sock.recv(1)
            assert more, head
            head += more
        assert b" 101 " in head.split(b"\r\n")[0] and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head, head

        def exchange(frame):
            sock.sendall(frame)
            answer = bytearray()
            while not has_frame(answer):
                more = sock.recv(65536)
                assert more, bytes(answer)
                answer += more
            return bytes(answer)

        talk(exchange)


def talk(exchange):
    """Bayeux over a WebSocket, to its end."""
    handshake = text_frame([{"channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["websocket"]}])
    session = payload(exchange(handshake))[0]["clientId"]
    # A message of two hundred kilobytes.
    message = {"channel": "/meta/connect", "clientId": session, "connectionType": "websocket", "ext": {"x": "y" * 200_000}}
    reply = payload(exchange(text_frame([message])))
    assert reply[0]["successful"] is True, reply
    end = exchange(frame(8, struct.pack("!H", 1000)))
    assert end[0] == 0x88, end


def frame(kind, data):
    length = len(data)
    start = bytes([0x80 | kind]) + (bytes([0x80 | length]) if length < 126 else
                                    b"\xfe" + struct.pack("!H", length) if length < 65536 else b"\xff" + struct.pack("!Q", length))
    mask = os.urandom(4)
    return start + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


def text_frame(messages):
    return frame(1, json.dumps(messages).encode())


def extent(data):
    """Where the payload of the first frame begins and ends."""
    if len(data) < 2 or (data[1] & 127) == 126 and len(data) < 4:
        return None
    return (4, 4 + struct.unpack("!H", data[2:4])[0]) if data[1] & 127 == 126 else (2, 2 + (data[1] & 127))


def has_frame(data):
    found = extent(data)
    return found is not None and len(data) >= found[1]


def payload(data):
    begin, end = extent(data)
    return json.loads(data[begin:end])


ROWS = [comet_and_events, packed, large, too_large, tunnelled]


# MARK: The judgement


def report(proxy, row, passed, saw=""):
    print(json.dumps({"row": f"{proxy.name}: {row}", "passed": passed, "saw": str(saw)}), flush=True)
    return passed


def goes_through(proxy, agent):
    """Each row of what has to come through."""
    for act in ROWS + [upgraded]:
        try:
            if act is upgraded:
                act(proxy.port)
            else:
                with contextlib.closing(Client(proxy.port)) as client:
                    act(client, agent)
            yield report(proxy, act.__doc__.splitlines()[0], True)
        except (AssertionError, OSError, KeyError, ValueError, h2.exceptions.ProtocolError) as error:
            yield report(proxy, act.__doc__.splitlines()[0], False, repr(error)[:500])


def excess(metrics, proxies, attempts):
    """How many canaries the server has seen that no proxy says it has handed on, or requests beyond one of each message and those."""
    def now():
        return metrics.settled(), sum(proxy.canaries() for proxy in proxies)

    (requests, canaries), logged = now()
    smuggling.at_once(attempts)
    # A log may come late.
    deadline = time.monotonic() + AT_ONCE
    while True:
        seen, handed_on = now()
        count = max(seen[1] - canaries - (handed_on - logged), seen[0] - requests - len(attempts) - (handed_on - logged))
        if count <= 0 or time.monotonic() > deadline:
            return count


def lets_nothing_through(metrics, proxies):
    for proxy in proxies:
        first = smuggling.control(proxy.port, False, proxy.name)
        yield first.report(smuggling.is_control_counted(first, metrics))
    ways = [smuggling.attempts(proxy.port, False, smuggling.PROXY_PATIENCE, proxy.name) for proxy in proxies]
    attempts = [attempt for way in ways for attempt in way]
    culprit = smuggling.culprit(attempts, lambda some: excess(metrics, proxies, some) > 0)
    for attempt in attempts:
        yield attempt.report(attempt is not culprit, smuggling.REMARK if attempt is culprit else "")
    # What a message had left on a connection would be answered to somebody else.
    for proxy in proxies:
        with contextlib.closing(Client(proxy.port)) as client:
            answers = {client.ask("GET", "/health/live") for _ in range(20)}
        yield report(proxy, "nobody has an answer that is another's", answers == {(200, b'{"status":"live"}')}, answers)


def main(server, certificate, key, token, directory):
    agent = ("authorization", f"Bearer {token}")
    proxies = [start(server, certificate, key, directory, version) for start in (haproxy, nghttpx) for version in (1, 2)]
    try:
        for proxy in proxies:
            proxy.wait()
        passed = [one for proxy in proxies for one in goes_through(proxy, agent)]
        passed += lets_nothing_through(smuggling.Metrics(server), proxies)
    finally:
        for proxy in proxies:
            proxy.end()
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))

"""Clients that take for ever, many of each kind at a time; each has to be cut at its limit, and to leave nothing behind.

Usage: slow_clients.py SERVER DIRECTORY COUNT GOOD_SECONDS WAVES KIND

SERVER is the program, COUNT how many clients of each kind come in each of WAVES, GOOD_SECONDS the longest that a good chat may wait meanwhile for a message,
KIND the number of the one kind that comes, or all.
"""

import collections
import multiprocessing
import socket
import struct
import subprocess
import sys
import time

from served import GoodChat, Server, say, with_all_descriptors

# The limits that cut them, as an operator sets them.
LIMITS = {
    "limits.head_seconds": 1, "limits.body_seconds": 1, "limits.body_bytes_per_second": 100_000, "limits.idle_seconds": 1, "limits.write_seconds": 1,
    "limits.websocket_ping_seconds": 1, "http2.cleartext": "true",
}
# What a limit of a second may take where thousands of clients come at once and the machine is busy.
CUT_SECONDS = 30
DRIP_SECONDS = 0.25
# Every client left something in the allocator's pools once: that much remains of the first wave, and nothing of the second.
FIRST_BYTES = 64 << 20
LATER_BYTES = 32 << 20
SETTLE_SECONDS = 30
# The good chat's own, which may be opened anew.
GOOD_SOCKETS = 2

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


def frame(kind, flags, stream, payload):
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def head2():
    """A head of HTTP/2, each field by its name in the static table and its value in letters."""
    text = lambda value: bytes([len(value)]) + value
    return b"\x83\x86" + b"\x04" + text(b"/genesys/cometd") + b"\x01" + text(b"localhost")


UPGRADE = (b"GET /genesys/cometd HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
FRAGMENT = b"\x01\x81\0\0\0\0["
CONTINUATION = b"\x00\x81\0\0\0\0 "


class Kind:
    """How a client begins, and what it goes on with; what it may be told before the end does not matter."""

    def __init__(self, name, limit, begin, drip=b"", reads=True, is_tls=False):
        self.name, self.limit, self.begin, self.drip, self.reads, self.is_tls = name, limit, begin, drip, reads, is_tls


KINDS = [
    Kind("a head", "limits.head_seconds", b"GET /health/live HTTP/1.1\r\nX: ", b"x"),
    Kind("a body", "limits.body_seconds", b"POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n", b" "),
    Kind("a chunked body", "limits.body_seconds", b"POST /genesys/cometd HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    Kind("answers that are not read", "limits.write_seconds", b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 16, reads=False),
    Kind("a connection without a request", "limits.idle_seconds", b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"),
    Kind("fragments without an end", "WebSocketFragmentsMaximum", UPGRADE + FRAGMENT, CONTINUATION * 16),
    Kind("a fragment, and no answer to a ping", "limits.websocket_ping_seconds", UPGRADE + FRAGMENT),
    Kind("a handshake of TLS", "limits.head_seconds", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00", is_tls=True),
    Kind("a handshake of TLS that has not begun", "limits.head_seconds", b"", is_tls=True),
    Kind("HTTP/2 without a request", "limits.head_seconds", PREFACE),
    Kind("a stream of HTTP/2", "limits.body_seconds", PREFACE + frame(1, 4, 1, head2()), frame(0, 0, 1, b" ")),
    Kind("a head of HTTP/2", "limits.head_seconds", PREFACE + frame(1, 0, 1, head2()[:2])),
]


class Client:
    def __init__(self, kind, number, server, secure):
        self.kind = kind
        self.sock = socket.socket()
        if not kind.reads:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Many addresses, or a machine runs out of ports.
        self.sock.bind((f"127.0.1.{1 + number % 100}", 0))
        self.sock.connect(("127.0.0.1", (secure if kind.is_tls else server).port))
        self.sock.setblocking(False)
        self.begun = time.monotonic()
        self.write(kind.begin)

    def fileno(self):
        return self.sock.fileno()

    def write(self, data):
        """False once the server has cut it."""
        try:
            if data:
                self.sock.send(data)
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def is_cut(self):
        try:
            return not self.sock.recv(65536)
        except BlockingIOError:
            return False
        except OSError:
            return True


def wave(kinds, count, server, secure):
    """Opens them all, and waits until they are cut.

    One that does not read cannot see its end, because that is behind all that waits for it: the server's sockets tell.

    Returns the seconds that each kind took at most; how many never were cut; those that do not read, still open."""
    clients = [Client(kind, number, server, secure) for number in range(count) for kind in kinds]
    deaf = [client for client in clients if not client.kind.reads]
    hearing = {client for client in clients if client.kind.reads}
    longest, last = {}, max(client.begun for client in clients)
    while hearing and time.monotonic() < last + CUT_SECONDS:
        begun = time.monotonic()
        for client in list(hearing):
            if client.is_cut() or not client.write(client.kind.drip):
                longest[client.kind.name] = max(longest.get(client.kind.name, 0), time.monotonic() - client.begun)
                hearing.discard(client)
                client.sock.close()
        time.sleep(max(0, DRIP_SECONDS - (time.monotonic() - begun)))
    left = collections.Counter(client.kind for client in hearing)
    for client in hearing:
        client.sock.close()
    return longest, left, deaf


def good_chat(server, results, is_over):
    chat = GoodChat(server)
    results.put("ready")
    longest, count = 0.0, 0
    while not is_over.is_set():
        longest, count = max(longest, chat.round()), count + 1
        time.sleep(0.05)
    results.put((longest, count))


def excess(servers, sockets, limit):
    """What they have that they had not before, once that does not become less; nothing if they have given all back."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        now, memory = sum(server.sockets() for server in servers), sum(server.resident_bytes() for server in servers)
        if now <= sockets + GOOD_SOCKETS and memory <= limit:
            return None
        if time.monotonic() > deadline:
            return f"{sockets} sockets have become {now}, and {memory >> 20} MiB are there, where {limit >> 20} may be"
        time.sleep(0.1)


def is_seen(server, servers, sockets):
    """Whether it is noticed where clients stay, until they are cut: else nobody knows that it looks."""
    clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(GOOD_SOCKETS + 1)]
    deadline = time.monotonic() + SETTLE_SECONDS
    while sum(one.sockets() for one in servers) <= sockets + GOOD_SOCKETS and time.monotonic() < deadline:
        time.sleep(0.01)
    seen = time.monotonic() < deadline
    for client in clients:
        client.close()
    return seen


def certificate(directory):
    key, chain = directory + "/key.pem", directory + "/chain.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", chain], check=True, capture_output=True)
    return {"tls.certificate": chain, "tls.key": key}


def main(executable, directory, count, good_seconds, waves, kinds):
    with_all_descriptors()
    server = Server(executable, directory + "/clear", LIMITS)
    secure = Server(executable, directory + "/secure", {**LIMITS, "http2.cleartext": "false", **certificate(directory)})
    servers = [server, secure]
    results, is_over = multiprocessing.Queue(), multiprocessing.Event()
    chat = multiprocessing.Process(target=good_chat, args=(server, results, is_over), daemon=True)
    chat.start()
    results.get(timeout=60)
    sockets = sum(one.sockets() for one in servers)
    memory = sum(one.resident_bytes() for one in servers)
    if not is_seen(server, servers, sockets):
        say(violation="clients that are there are not counted: nothing here means anything")
    # The first wave fills pools that stay; behind a second there is no more than behind the first.
    for allowance in [FIRST_BYTES] + [LATER_BYTES] * (waves - 1):
        longest, left, deaf = wave(kinds, count, server, secure)
        for kind, number in left.items():
            say(violation=f"{kind.name}: {number} of {count} clients were not cut by {kind.limit} within {CUT_SECONDS} s")
        wrong = excess(servers, sockets, memory + allowance)
        if wrong:
            say(violation=f"what slow clients had is not given back, or those that do not read are not cut: {wrong}")
        for client in deaf:
            client.sock.close()
        memory = sum(one.resident_bytes() for one in servers)
    is_over.set()
    waited, rounds = results.get(timeout=60)
    if waited > good_seconds:
        say(violation=f"a good chat waited {waited:.2f} s for a message, more than {good_seconds} s")
    for one in servers:
        end = one.end()
        if end:
            say(violation=end)
    say(remark=f"cut after at most: {', '.join(f'{name} {seconds:.1f} s' for name, seconds in longest.items())}")
    say(remark=f"{rounds} messages of a good chat meanwhile, the slowest in {waited * 1000:.0f} ms; {memory >> 20} MiB in two servers")
    say(count=waves * count * len(kinds))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]),
         KINDS if sys.argv[6] == "all" else [KINDS[int(sys.argv[6])]])

"""Messages that two readers of HTTP may cut in two different ways, each with a second request inside that must not be one.

Usage: smuggling_table.py PORT [--clear]

Sends each to 127.0.0.1, in HTTP/1.1 in the clear or in TLS, and in HTTP/2 by ALPN or prior knowledge, on a connection of its own. Prints
a line for each row, {"row", "form", "passed", "saw"}, and ends with 1 if one did not pass. The second request asks for what nobody
else asks for: the server's own metrics say whether it was seen. A row that sends it openly shows that they would.

A row is refused: one answer of those that it names, and the end of the connection; in HTTP/2 a reset stream or a 4xx answer. Or it is taken
as the one request that it is.
"""

import functools
import json
import re
import socket
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import hpack

import http2_table as http2

TARGET = "/genesys/cometd"
CANARY_SURFACE = "support"
CANARY = b"GET /api/v2/requests HTTP/1.1\r\nHost: localhost\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked"
LAST = b"0\r\n\r\n"
CONTROL = (b"POST /genesys/cometd HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n[]"
           + CANARY[:-2] + b"Connection: close\r\n\r\n")
# The server ends each connection by itself. A proxy may wait for more of a body, or for another request.
SERVER_PATIENCE = 20.0
PROXY_PATIENCE = 3.0
WIDTH = 32
REMARK = ", and its second request was seen"

ROWS = []
ROWS2 = []


def post(*fields, start=b"POST /genesys/cometd HTTP/1.1", body=b"", end=b"\r\n", host=b"Host: localhost"):
    return b"".join([line + end for line in [start, *([host] if host else []), *fields]]) + end + body


def length(count):
    return b"Content-Length: " + (count if isinstance(count, bytes) else str(count).encode())


def row(form, text, data, *statuses):
    """A message that is refused, with 400 where nothing else is said."""
    ROWS.append((form, text, data, statuses or (400,)))


def row2(form, text, *fields, data=b"", **head):
    ROWS2.append((form, text, head, fields, data))


# Two lengths: which one counts?
WHOLE = LAST + CANARY
row("CL.TE", "a length and chunks", post(length(len(WHOLE)), CHUNKED, body=WHOLE))
row("CL.TE", "a length and chunks, in capitals", post(length(len(WHOLE)), b"TRANSFER-ENCODING: CHUNKED", body=WHOLE))
row("CL.TE", "a length of one chunk more", post(length(6), CHUNKED, body=LAST + b"G" + CANARY))
row("TE.CL", "chunks and a length", post(CHUNKED, length(4), body=b"%x\r\n" % len(CANARY) + CANARY + b"\r\n" + LAST))
row("TE.CL", "chunks and a length of nothing", post(CHUNKED, length(0), body=WHOLE))
row("TE.CL", "chunks in HTTP/1.0", post(CHUNKED, length(4), start=b"POST /genesys/cometd HTTP/1.0", body=WHOLE))
row("TE.CL", "chunks in HTTP/1.0 alone", post(CHUNKED, start=b"POST /genesys/cometd HTTP/1.0", body=WHOLE))
row("TE.0", "chunks of OPTIONS, and a length", post(CHUNKED, length(0), start=b"OPTIONS /genesys/cometd HTTP/1.1", body=WHOLE))
for first, second in [(0, len(CANARY)), (len(CANARY), 0), (len(CANARY), len(CANARY))]:
    row("CL.CL", f"the lengths {first} and {second}", post(length(first), length(second), body=CANARY))
row("CL.CL", "two lengths in a list", post(length(b"0, %d" % len(CANARY)), body=CANARY))
row("CL.CL", "twice the same length in a list", post(length(b"2, 2"), body=b"[]" + CANARY))
for value in [b"+0", b"-0", b"0x0", b"0 0", b"0;", b"0.0", b"\x0b0", b"0\x0b", b"0\x00", b"zero", b"", b"18446744073709551616", b"0_0", b"\xb2"]:
    row("CL", f"the length {value!r}", post(length(value), body=CANARY))
row("CL", "a length with a blank before its colon", post(b"Content-Length : 5", body=CANARY))
row("CL", "a length in a folded line", post(b"Content-Length:", b" %d" % len(CANARY), body=CANARY))
row("CL", "a length behind a bare line feed", post(b"X: y\nContent-Length: %d" % len(CANARY), body=CANARY))
row("CL", "a length behind a bare carriage return", post(b"X: y\rContent-Length: %d" % len(CANARY), body=CANARY))
# Codings that one of the two does not know.
for value in [b"xchunked", b"chunked, identity", b"identity, chunked", b"gzip, chunked", b"chunked;q=1", b"\"chunked\"", b"identity", b"cow", b""]:
    row("TE.TE", f"the coding {value!r}", post(b"Transfer-Encoding: " + value, body=WHOLE), 400, 501)
for value in [b"chunked, chunked", b"\x0bchunked", b"chunked\x00", b"chunked\x0b", b",chunked", b"chunked,"]:
    row("TE.TE", f"the coding {value!r}", post(b"Transfer-Encoding: " + value, body=WHOLE), 400, 501)
row("TE.TE", "two codings in two fields", post(CHUNKED, b"Transfer-Encoding: identity", length(4), body=WHOLE), 400, 501)
row("TE.TE", "chunks twice", post(CHUNKED, CHUNKED, body=WHOLE), 400, 501)
row("TE.TE", "a coding with a blank before its colon", post(b"Transfer-Encoding : chunked", length(4), body=WHOLE))
row("TE.TE", "a coding with a tab before its colon", post(b"Transfer-Encoding\t: chunked", length(4), body=WHOLE))
row("TE.TE", "a coding in a folded line", post(b"Transfer-Encoding:", b" chunked", length(4), body=WHOLE))
row("TE.TE", "a coding in the line of another field", post(b"X: y", b" Transfer-Encoding: chunked", length(4), body=WHOLE))
row("TE.TE", "a coding behind a bare line feed", post(b"X: y\nTransfer-Encoding: chunked", length(4), body=WHOLE))
row("TE.TE", "a coding behind a bare carriage return", post(b"X: y\rTransfer-Encoding: chunked", length(4), body=WHOLE))
row("TE.TE", "a coding behind a NUL", post(b"X: y\x00\r\nTransfer-Encoding: chunked", length(4), body=WHOLE))
row("TE.TE", "a coding with a blank before its name", post(b" Transfer-Encoding: chunked", length(4), body=WHOLE))
# Chunks that are cut in two ways.
for size in [b"+0", b"-0", b"0x0", b" 0", b"0 ", b"g", b"", b"0\t", b"10000000000000000", b"0;a=\"", b"0;a\nb"]:
    row("chunks", f"the size {size!r}", post(CHUNKED, body=size + b"\r\n\r\n" + CANARY), 400, 431)
row("chunks", "a size behind a bare line feed", post(CHUNKED, body=b"2\n[]\r\n" + WHOLE))
row("chunks", "an extension behind a bare line feed", post(CHUNKED, body=b"2;\n%x\r\n[]\r\n0\r\n\r\n" % 2 + CANARY))
row("chunks", "a chunk that is longer than its size", post(CHUNKED, body=b"1\r\n[]\r\n" + WHOLE))
row("chunks", "a chunk that ends with a bare line feed", post(CHUNKED, body=b"2\r\n[]\n" + WHOLE))
row("chunks", "a chunk that ends with two other bytes", post(CHUNKED, body=b"2\r\n[]XX" + WHOLE))
row("chunks", "a last chunk without its second line", post(CHUNKED, body=b"0\r\n" + CANARY + b"X"))
row("chunks", "a length in the trailer with a blank before it", post(CHUNKED, body=b"0\r\n Content-Length: 3\r\n\r\n" + CANARY))
# Heads that are cut in two ways.
row("head", "a bare line feed at each end of a line", post(length(0), end=b"\n", body=CANARY), 400, 505)
row("head", "a bare carriage return at each end of a line", post(length(0), end=b"\r", body=CANARY))
row("head", "a field without a colon", post(b"X", length(len(CANARY)), body=CANARY))
row("head", "a name with a blank in it", post(b"X Y: z", length(0), body=CANARY))
row("head", "a request line with three blanks", post(length(0), start=b"POST /genesys/cometd x HTTP/1.1", body=CANARY))
row("head", "a request line without a version", b"GET /genesys/cometd\r\n" + CANARY, 400, 505)
row("head", "another version", post(length(0), start=b"POST /genesys/cometd HTTP/1.9", body=CANARY), 400, 505)
row("head", "no host", post(length(0), host=None, body=CANARY))
row("head", "two hosts", post(b"Host: other", length(0), body=CANARY))
row("head", "another host in the target", post(length(0), start=b"POST http://other/genesys/cometd HTTP/1.1", body=CANARY))
row("head", "a host with a blank in it", post(length(0), host=b"Host: a b", body=CANARY))
row("head", "a tunnel", post(start=b"CONNECT localhost:80 HTTP/1.1", body=CANARY), 400, 405, 501)

# HTTP/2: what becomes a head of HTTP/1.1 in a proxy, and a body whose length is said twice.
SMUGGLED = CANARY.decode()
for value in ["x\r\nTransfer-Encoding: chunked", "x\r\nContent-Length: 0", "x\r\n\r\n" + SMUGGLED, "x\nTransfer-Encoding: chunked", "x\rTransfer-Encoding: chunked", "x\0y"]:
    row2("CRLF", f"a value with {value[1:12]!r}", ("x-name", value), data=WHOLE)
for name in ["x\r\ntransfer-encoding", "x: y\r\ntransfer-encoding", "transfer-encoding\r\nx", "x: y\r\n\r\n" + SMUGGLED.lower() + "x", "x\ny", "x:y", "x y", ""]:
    row2("CRLF", f"the name {name[:24]!r}", (name, "chunked"), data=WHOLE)
row2("CRLF", "a path with a whole request in it", path=TARGET + " HTTP/1.1\r\nHost: localhost\r\n\r\n" + SMUGGLED)
row2("CRLF", "a path with a blank and a version", path=TARGET + " HTTP/1.1")
row2("CRLF", "a path with a line feed", path=TARGET + "\nX: y")
row2("CRLF", "a method with a whole request in it", method="GET /api/v2/requests HTTP/1.1\r\nHost: x\r\n\r\nPOST")
row2("CRLF", "a method with a blank", method="POST /api/v2/requests")
row2("CRLF", "an authority with a whole request in it", (":authority", "localhost\r\n\r\n" + SMUGGLED), without=[":authority"])
row2("CRLF", "a scheme with a whole request in it", (":scheme", "http\r\n\r\n" + SMUGGLED), without=[":scheme"])
row2("H2.TE", "chunks", ("transfer-encoding", "chunked"), data=WHOLE)
row2("H2.TE", "chunks, and a length", ("transfer-encoding", "chunked"), ("content-length", str(len(WHOLE))), data=WHOLE)
row2("H2.TE", "chunks in a trailer's announcement", ("te", "chunked"), data=WHOLE)
for name, value in [("connection", "transfer-encoding"), ("connection", "keep-alive"), ("keep-alive", "timeout=5"), ("proxy-connection", "keep-alive"), ("upgrade", "h2c")]:
    row2("H2", f"the field {name}: {value} of a connection", (name, value), data=WHOLE)
for value in [0, 5, len(WHOLE) - 1, len(WHOLE) + 1]:
    row2("H2.CL", f"the length {value} of {len(WHOLE)} bytes", ("content-length", str(value)), data=WHOLE)
row2("H2.CL", "two lengths", ("content-length", "0"), ("content-length", str(len(WHOLE))), data=WHOLE)
row2("H2.CL", "a length with a sign", ("content-length", f"+{len(WHOLE)}"), data=WHOLE)
row2("H2.CL", "a length of a request without a body", ("content-length", "5"))
row2("host", "another host than the authority", ("host", "other"), data=b"[]")
row2("host", "two hosts, one of them the authority", ("host", "localhost"), ("host", "other"), data=b"[]")
row2("host", "two authorities", (":authority", "other"), data=b"[]")
row2("host", "an authority with a path", (":authority", "localhost/x"), without=[":authority"], data=b"[]")


class Metrics:
    """What the server has answered, but for those who ask for its metrics and its health."""

    def __init__(self, port, context=None):
        self.url, self.context = f"http{'s' if context else ''}://127.0.0.1:{port}/metrics", context

    def read(self):
        """All requests that were answered, and the canaries of them."""
        with urllib.request.urlopen(self.url, timeout=20, context=self.context) as answer:
            lines = answer.read().decode().splitlines()
        counts = [(line.split('surface="')[1].split('"')[0], float(line.split()[-1])) for line in lines
                  if line.startswith("carillon_http_responses_total{") and 'status="1xx"' not in line]
        return (int(sum(count for surface, count in counts if surface != "operation")),
                int(sum(count for surface, count in counts if surface == CANARY_SURFACE)))

    def settled(self):
        """The same, once nothing is under way any more."""
        before = self.read()
        while True:
            time.sleep(0.05)
            now = self.read()
            if now == before:
                return now
            before = now


class Seen:
    """What came of a row: the statuses of its answers, resets and ends, and whether the connection ended."""

    def __init__(self, statuses, has_ended, resets=()):
        self.statuses, self.has_ended, self.resets = statuses, has_ended, list(resets)

    def __repr__(self):
        return f"{self.statuses}{' reset ' + str(self.resets) if self.resets else ''}{' end' if self.has_ended else ''}"


def send(port, clear, patience, data):
    """The answers to these bytes of HTTP/1.1."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=20)
    if not clear:
        sock = http2.context("http/1.1").wrap_socket(sock)
    answer, has_ended = b"", False
    with sock:
        try:
            sock.sendall(data)
        except OSError:
            pass  # it has been refused already
        sock.settimeout(patience)
        try:
            while not has_ended:
                more = sock.recv(65536)
                answer, has_ended = answer + more, not more
        except TimeoutError:
            pass
        except OSError:
            has_ended = True
    return Seen([int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)], has_ended)


def send2(port, clear, patience, head, fields, data):
    """What comes of this one stream of HTTP/2."""
    connection = http2.Connection(port, clear)
    with connection.sock:
        flags = http2.END_HEADERS | (0 if data else http2.END_STREAM)
        connection.write(http2.get(1, *fields, flags=flags, **{"method": "POST", "path": TARGET, **head}))
        if data:
            connection.write(http2.frame(http2.DATA, http2.END_STREAM, 1, data))
        events, goes_on = connection.probe()
        deadline = time.monotonic() + patience
        while goes_on and not any(stream for _, stream, _ in events) and time.monotonic() < deadline:
            time.sleep(0.01)
            more, goes_on = connection.probe()
            events += more
    return Seen([code for what, _, code in events if what == "answer"], not goes_on,
                [code for what, _, code in events if what in ("stream", "connection")])


class Attempt:
    """A row at a port: what it is, how it is sent, and the answers that refuse it in HTTP/1.1."""

    def __init__(self, way, form, text, act, statuses):
        self.way, self.form, self.text, self.act, self.statuses = way, form, text, act, statuses
        self.seen = None

    def make(self):
        self.seen = self.act()
        return self

    @property
    def is_refused(self):
        if self.statuses is None:
            codes = self.seen.statuses
            return bool(self.seen.resets) or self.seen.has_ended or any(400 <= code < 500 or code == 501 for code in codes)
        return len(self.seen.statuses) == 1 and self.seen.statuses[0] in self.statuses and self.seen.has_ended

    def report(self, passed, remark=""):
        text = f"{self.way}, {self.text}" if self.way else self.text
        print(json.dumps({"row": text, "form": self.form, "passed": passed, "saw": f"{self.seen}{remark}"}), flush=True)
        return passed


def attempts(port, clear, patience, way=""):
    """All rows."""
    for form, text, data, statuses in ROWS:
        yield Attempt(way, form, text, functools.partial(send, port, clear, patience, data), statuses)
    for form, text, head, fields, data in ROWS2:
        yield Attempt(way, form, "HTTP/2: " + text, functools.partial(send2, port, clear, patience, head, fields, data), None)


def control(port, clear, way=""):
    """Two requests that nobody hides: both are counted, or no row means anything."""
    return Attempt(way, "control", "two requests that nobody hides",
                   functools.partial(send, port, clear, PROXY_PATIENCE, CONTROL), None)


def at_once(attempts):
    """Makes them all, many at a time."""
    with ThreadPoolExecutor(WIDTH) as pool:
        list(pool.map(Attempt.make, attempts))


def culprit(attempts, fails):
    """One of them that fails where all are made at once, found by halving; none if none does."""
    found = attempts if fails(attempts) else []
    while len(found) > 1:
        half = found[:len(found) // 2]
        found = half if fails(half) else found[len(found) // 2:]
    return found[0] if found else None


def is_control_counted(attempt, metrics):
    before = metrics.settled()
    attempt.make()
    after = metrics.settled()
    return (after[0] - before[0], after[1] - before[1]) == (2, 1)


def main(port, clear):
    metrics = Metrics(port, None if clear else http2.context("http/1.1"))

    def is_seen(attempts):
        before = metrics.settled()
        at_once(attempts)
        return metrics.settled()[1] != before[1]

    first = control(port, clear)
    passed = [first.report(is_control_counted(first, metrics))]
    made = list(attempts(port, clear, SERVER_PATIENCE))
    seen = culprit(made, is_seen)
    passed += [attempt.report(attempt.is_refused and attempt is not seen, REMARK if attempt is seen else "") for attempt in made]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), "--clear" in sys.argv))

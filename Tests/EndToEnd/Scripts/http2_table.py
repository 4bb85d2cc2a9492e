"""The MUSTs of RFC 9113 for a server, each driven by raw frames on a connection of its own.

Usage: http2_table.py PORT [--clear]

Connects to 127.0.0.1 by TLS (whoever signed it) with ALPN, or in the clear with prior knowledge. Prints a line for each row,
{"row", "section", "passed", "saw"}, and ends with 1 if one did not pass. Frames are hyperframe's or written by hand, heads
hpack's; nothing of a client's protocol is in between.

What a row expects is one of:

    stream CODE…      RST_STREAM with one of these codes, or a 4xx answer, and the connection goes on
    connection CODE…  GOAWAY with one of these codes, or just the end of the connection
    answer STATUS     that answer
    on                the connection answers a request behind it
"""

import functools
import json
import socket
import ssl
import struct
import sys
import time

import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM = ACK = 1
END_HEADERS, PADDED, PRIORITIZED = 4, 8, 32
NO, PROTOCOL, INTERNAL, FLOW, TIMEOUT, CLOSED, SIZE, REFUSED, CANCEL, COMPRESSION, CONNECT, CALM = range(12)
TARGET = "/health/live"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def number(value):
    return struct.pack("!I", value)


def setting(name, value):
    return struct.pack("!HI", name, value)


def head(*fields, method="GET", path=TARGET, without=()):
    pseudo = [(":method", method), (":scheme", "https"), (":authority", "localhost"), (":path", path)]
    return hpack.Encoder().encode([field for field in pseudo if field[0] not in without] + list(fields), huffman=False)


def get(stream, *fields, flags=END_STREAM | END_HEADERS, **more):
    return frame(HEADERS, flags, stream, head(*fields, **more))


@functools.cache
def context(*protocols):
    """TLS with whomever, for these protocols."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(list(protocols))
    return context


class Connection:
    def __init__(self, port, clear, preface=PREFACE + frame(SETTINGS)):
        sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        if not clear:
            sock = context("h2", "http/1.1").wrap_socket(sock)
            assert sock.selected_alpn_protocol() == "h2", "h2 was not chosen"
        self.sock = sock
        self.bytes = b""
        self.decoder = hpack.Decoder()
        self.write(preface)

    def write(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            pass  # it has ended: what was read before tells why

    def read(self):
        """The next frame; None at the end."""
        while True:
            if len(self.bytes) >= 9:
                length = int.from_bytes(self.bytes[:3], "big")
                if len(self.bytes) >= 9 + length:
                    kind, flags = self.bytes[3], self.bytes[4]
                    stream = int.from_bytes(self.bytes[5:9], "big") & 0x7FFFFFFF
                    payload, self.bytes = self.bytes[9:9 + length], self.bytes[9 + length:]
                    return kind, flags, stream, payload
            try:
                more = self.sock.recv(65536)
            except TimeoutError:
                raise
            except OSError:
                return None
            if not more:
                return None
            self.bytes += more

    def probe(self):
        """What happened before the answer to a PING: events, and whether that answer came."""
        mark = b"the mark"
        self.write(frame(PING, 0, 0, mark))
        events = []
        while True:
            got = self.read()
            if got is None:
                return events, False
            kind, flags, stream, payload = got
            if kind == PING and flags & ACK and payload == mark:
                return events, True
            if kind == HEADERS:
                fields = dict(self.decoder.decode(payload))
                events.append(["answer", stream, int(fields[":status"])])
            elif kind == RST:
                events.append(["stream", stream, int.from_bytes(payload, "big")])
            elif kind == GOAWAY:
                events.append(["connection", 0, int.from_bytes(payload[4:8], "big")])
            elif kind == SETTINGS and flags & ACK:
                events.append(["acknowledged", 0, 0])
            elif kind == PING:
                events.append(["ping", 0, int(flags & ACK)])


def is_as_expected(expected, events, goes_on):
    kind, *codes = expected
    if kind == "connection":
        ends = [code for what, _, code in events if what == "connection"]
        return not goes_on and all(code in codes for code in ends)
    if not goes_on:
        return False
    if kind == "stream":
        return any((what == "stream" and code in codes) or (what == "answer" and 400 <= code < 500)
                   for what, _, code in events)
    if kind == "answer":
        return any(what == "answer" and code == codes[0] for what, _, code in events)
    return kind == "on"


ROWS = []


def row(section, text, expected, data, **options):
    ROWS.append((section, text, expected, data, options))


# 3.4: the preface
row("3.4", "a preface that is none", ("connection", PROTOCOL), b"", preface=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
row("3.4", "a first frame that is no SETTINGS", ("connection", PROTOCOL), b"", preface=PREFACE + frame(PING, payload=bytes(8)))
row("3.4", "requests before the server's preface", ("answer", 200), b"", preface=PREFACE + frame(SETTINGS) + get(1))
# 4.1, 4.2: frames
row("4.1", "a frame of an unknown type is ignored", ("answer", 200), frame(0xFA, 0xFF, 7, b"what") + get(1))
row("4.1", "unknown flags are ignored", ("answer", 200), frame(PING, 0xFE & ~ACK, 0, bytes(8)) + get(1))
row("4.1", "the reserved bit is ignored", ("answer", 200), frame(HEADERS, END_STREAM | END_HEADERS, 0x80000001, head()))
row("4.2", "DATA beyond the largest frame", ("connection", SIZE, FLOW), get(1, method="POST", flags=END_HEADERS) + frame(DATA, 0, 1, bytes(16385)))
row("4.2", "HEADERS beyond the largest frame", ("connection", SIZE), frame(HEADERS, END_HEADERS, 1, bytes(16385)))
row("4.3", "a head that cannot be decompressed", ("connection", COMPRESSION, PROTOCOL), frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff\xff\xff\xff\xff"))
row("4.3", "an index that the table does not have", ("connection", COMPRESSION, PROTOCOL), frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xfe"))
row("4.3", "another frame between HEADERS and CONTINUATION", ("connection", PROTOCOL), get(1, flags=END_STREAM) + frame(PING, payload=bytes(8)))
row("4.3", "CONTINUATION of another stream", ("connection", PROTOCOL), get(1, flags=END_STREAM) + frame(CONTINUATION, END_HEADERS, 3))
row("4.3", "HEADERS in two frames", ("answer", 200), frame(HEADERS, END_STREAM, 1, head()[:3]) + frame(CONTINUATION, END_HEADERS, 1, head()[3:]))
# 5.1: states of streams
row("5.1", "DATA on an idle stream", ("connection", PROTOCOL), frame(DATA, END_STREAM, 1, b"x"))
row("5.1", "RST_STREAM on an idle stream", ("connection", PROTOCOL), frame(RST, 0, 1, number(CANCEL)))
row("5.1", "WINDOW_UPDATE on an idle stream", ("connection", PROTOCOL), frame(WINDOW, 0, 1, number(1)))
row("5.1", "CONTINUATION without HEADERS", ("connection", PROTOCOL), frame(CONTINUATION, END_HEADERS, 1, head()))
row("5.1", "PRIORITY on an idle stream", ("answer", 200), frame(PRIORITY, 0, 5, number(0) + b"\x10") + get(7))
row("5.1", "DATA behind the end of the stream", ("either", CLOSED, PROTOCOL), get(1) + frame(DATA, END_STREAM, 1, b"x"))
row("5.1", "HEADERS behind the end of the stream", ("either", CLOSED, PROTOCOL), get(1) + get(1))
row("5.1", "WINDOW_UPDATE behind RST_STREAM", ("on",), get(1) + frame(RST, 0, 1, number(CANCEL)) + frame(WINDOW, 0, 1, number(1)))
row("5.1", "RST_STREAM behind RST_STREAM", ("on",), get(1) + frame(RST, 0, 1, number(CANCEL)) * 2)
row("5.1.1", "a stream with an even number", ("connection", PROTOCOL), get(2))
row("5.1.1", "a stream with a lower number than before", ("connection", PROTOCOL, CLOSED), get(5) + get(3))
row("5.1.2", "more streams than are allowed", ("either", REFUSED, PROTOCOL), b"".join(get(2 * n + 1, flags=END_HEADERS, method="POST") for n in range(129)), acknowledges=True)
row("5.3.1", "a stream that depends on itself", ("either", PROTOCOL), frame(PRIORITY, 0, 1, number(1) + b"\x10"))
# 6: frames
row("6.1", "DATA of the connection", ("connection", PROTOCOL), frame(DATA, 0, 0, b"x"))
row("6.1", "DATA with more padding than payload", ("connection", PROTOCOL), get(1, method="POST", flags=END_HEADERS) + frame(DATA, PADDED, 1, b"\x05abc"))
row("6.1", "DATA with padding", ("answer", 405), get(1, method="POST", flags=END_HEADERS) + frame(DATA, PADDED | END_STREAM, 1, b"\x02ab\0\0"))
row("6.2", "HEADERS of the connection", ("connection", PROTOCOL), get(0))
row("6.2", "HEADERS with more padding than payload", ("connection", PROTOCOL), frame(HEADERS, PADDED | END_HEADERS | END_STREAM, 1, b"\xff" + head()))
row("6.2", "HEADERS with padding and a priority", ("answer", 200), frame(HEADERS, PADDED | PRIORITIZED | END_HEADERS | END_STREAM, 1, b"\x01" + number(0) + b"\x10" + head() + b"\0"))
row("6.3", "PRIORITY of the connection", ("connection", PROTOCOL), frame(PRIORITY, 0, 0, number(1) + b"\x10"))
row("6.3", "PRIORITY of a wrong length", ("either", SIZE), frame(PRIORITY, 0, 1, b"abc"))
row("6.4", "RST_STREAM of the connection", ("connection", PROTOCOL), frame(RST, 0, 0, number(CANCEL)))
row("6.4", "RST_STREAM of a wrong length", ("connection", SIZE), get(1) + frame(RST, 0, 1, b"abc"))
row("6.5", "SETTINGS are acknowledged", ("acknowledged",), frame(SETTINGS, 0, 0, setting(4, 100)))
row("6.5", "an acknowledgement with a payload", ("connection", SIZE), frame(SETTINGS, ACK, 0, setting(4, 100)))
row("6.5", "SETTINGS of a stream", ("connection", PROTOCOL), frame(SETTINGS, 0, 1))
row("6.5", "SETTINGS of a wrong length", ("connection", SIZE), frame(SETTINGS, 0, 0, b"abcde"))
row("6.5.2", "ENABLE_PUSH that is no bit", ("connection", PROTOCOL), frame(SETTINGS, 0, 0, setting(2, 2)))
row("6.5.2", "a window that is too large", ("connection", FLOW), frame(SETTINGS, 0, 0, setting(4, 1 << 31)))
row("6.5.2", "a largest frame that is too small", ("connection", PROTOCOL), frame(SETTINGS, 0, 0, setting(5, 16383)))
row("6.5.2", "a largest frame that is too large", ("connection", PROTOCOL), frame(SETTINGS, 0, 0, setting(5, 1 << 24)))
row("6.5.2", "a setting that nobody knows", ("answer", 200), frame(SETTINGS, 0, 0, setting(0xFF, 1)) + get(1))
row("6.6", "PUSH_PROMISE of a client", ("connection", PROTOCOL), get(1) + frame(PUSH, END_HEADERS, 1, number(2) + head()))
row("6.7", "PING is answered", ("pinged",), frame(PING, 0, 0, b"12345678"))
row("6.7", "an answer to PING is not", ("on",), frame(PING, ACK, 0, b"12345678"))
row("6.7", "PING of a stream", ("connection", PROTOCOL), frame(PING, 0, 1, bytes(8)))
row("6.7", "PING of a wrong length", ("connection", SIZE), frame(PING, 0, 0, b"abc"))
row("6.8", "GOAWAY of a stream", ("connection", PROTOCOL), frame(GOAWAY, 0, 1, number(0) + number(0)))
row("6.9", "WINDOW_UPDATE of nothing, of the connection", ("connection", PROTOCOL), frame(WINDOW, 0, 0, number(0)))
row("6.9", "WINDOW_UPDATE of nothing, of a stream", ("either", PROTOCOL), get(1, method="POST", flags=END_HEADERS) + frame(WINDOW, 0, 1, number(0)))
row("6.9", "WINDOW_UPDATE of a wrong length", ("connection", SIZE), frame(WINDOW, 0, 0, b"abc"))
row("6.9.1", "a window of the connection that overflows", ("connection", FLOW), frame(WINDOW, 0, 0, number(0x7FFFFFFF)) * 2)
row("6.9.1", "a window of a stream that overflows", ("either", FLOW), get(1, method="POST", flags=END_HEADERS) + frame(WINDOW, 0, 1, number(0x7FFFFFFF)) * 2)
row("6.9.2", "SETTINGS that let a stream's window overflow", ("connection", FLOW), get(1, method="POST", flags=END_HEADERS) + frame(WINDOW, 0, 1, number(0x7FFFFFFF - 65535)) + frame(SETTINGS, 0, 0, setting(4, 65536)))
row("6.10", "CONTINUATION of the connection", ("connection", PROTOCOL), get(1, flags=END_STREAM) + frame(CONTINUATION, END_HEADERS, 0))
row("6.10", "CONTINUATION behind the end of the head", ("connection", PROTOCOL), get(1) + frame(CONTINUATION, END_HEADERS, 1, head()))
# 8: requests
row("8.1", "trailers that do not end the stream", ("either", PROTOCOL), get(1, method="POST", flags=END_HEADERS) + frame(HEADERS, END_HEADERS, 1, hpack.Encoder().encode([("x", "y")])))
row("8.1", "trailers with a pseudo-field", ("either", PROTOCOL), get(1, method="POST", flags=END_HEADERS) + get(1))
row("8.1.1", "a body that is shorter than it says", ("stream", PROTOCOL), get(1, ("content-length", "5"), method="POST", flags=END_HEADERS) + frame(DATA, END_STREAM, 1, b"abc"))
row("8.1.1", "a body that is longer than it says", ("stream", PROTOCOL), get(1, ("content-length", "2"), method="POST", flags=END_HEADERS) + frame(DATA, END_STREAM, 1, b"abc"))
row("8.1.1", "two lengths", ("stream", PROTOCOL), get(1, ("content-length", "2"), ("content-length", "3"), method="POST", flags=END_HEADERS) + frame(DATA, END_STREAM, 1, b"abc"))
row("8.2", "a name with a capital letter", ("stream", PROTOCOL), get(1, ("X-Name", "y")))
for name, value in [("a\0b", "c"), ("a b", "c"), ("a:b", "c"), ("a", "b\0c"), ("a", "b\rc"), ("a", "b\nc"), ("a", " b"), ("a", "b\t")]:
    row("8.2.1", f"the field {name!r}: {value!r}", ("stream", PROTOCOL), get(1, (name, value)))
for name, value in [("connection", "close"), ("keep-alive", "1"), ("proxy-connection", "x"), ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("te", "gzip")]:
    row("8.2.2", f"the field {name} of HTTP/1.1", ("stream", PROTOCOL), get(1, (name, value)))
row("8.2.2", "the field te that is allowed", ("answer", 200), get(1, ("te", "trailers")))
row("8.3", "a pseudo-field behind another one", ("stream", PROTOCOL), get(1, ("a", "b"), (":path", "/"), without=[":path"]))
row("8.3", "an unknown pseudo-field", ("stream", PROTOCOL), frame(HEADERS, END_STREAM | END_HEADERS, 1, hpack.Encoder().encode([(":x", "y")]) + head()))
row("8.3", "a pseudo-field of answers", ("stream", PROTOCOL), frame(HEADERS, END_STREAM | END_HEADERS, 1, hpack.Encoder().encode([(":status", "200")]) + head()))
for name in [":method", ":scheme", ":path"]:
    row("8.3.1", f"no {name}", ("stream", PROTOCOL), get(1, without=[name]))
    row("8.3.1", f"{name} twice", ("stream", PROTOCOL), frame(HEADERS, END_STREAM | END_HEADERS, 1, hpack.Encoder().encode([(name, "/")]) + head()))
row("8.3.1", "an empty path", ("stream", PROTOCOL), get(1, path=""))
row("8.3.1", "another host than the authority", ("stream", PROTOCOL), get(1, ("host", "other")))
row("8.3.1", "a host in place of the authority", ("answer", 200), get(1, ("host", "localhost"), without=[":authority"]))
row("8.3.1", "no server at all", ("stream", PROTOCOL), get(1, without=[":authority"]))
row("8.5", "a tunnel with a path", ("stream", PROTOCOL), get(1, method="CONNECT"))
row("8.5", "a tunnel", ("answer", 501), get(1, method="CONNECT", without=[":scheme", ":path"]))
row("10.5", "a head that is far too large", ("connection", PROTOCOL, COMPRESSION, CALM), b"".join([frame(HEADERS, END_STREAM, 1, head())] + [frame(CONTINUATION, 0, 1, hpack.Encoder().encode([(f"n{n}", "x" * 16000)], huffman=False)) for n in range(5)]), acknowledges=True)


def expectation(expected, events, goes_on):
    if expected[0] == "either":  # of the stream or of the connection, as the server likes
        codes = expected[1:]
        return (is_as_expected(("stream", *codes), events, goes_on)
                or is_as_expected(("connection", *codes), events, goes_on)
                # An answer that had left already is one that nobody can take back.
                or (goes_on and any(what == "answer" for what, _, _ in events) and codes[0] == CLOSED))
    if expected[0] == "acknowledged":
        return goes_on and sum(what == "acknowledged" for what, _, _ in events) == 2
    if expected[0] == "pinged":
        return goes_on and ["ping", 0, 1] in events
    return is_as_expected(expected, events, goes_on)


def main(port, clear):
    failed = 0
    for section, text, expected, data, options in ROWS:
        connection = Connection(port, clear, options.get("preface", PREFACE + frame(SETTINGS)))
        if options.get("acknowledges"):
            connection.probe()
            connection.write(frame(SETTINGS, ACK))
        connection.write(data)
        events, goes_on = connection.probe()
        passed = expectation(expected, events, goes_on)
        # A connection answers a PING by itself: what a handler says may come behind it.
        patience = time.monotonic() + 10
        while goes_on and not passed and time.monotonic() < patience:
            time.sleep(0.02)
            more, goes_on = connection.probe()
            events += more
            passed = expectation(expected, events, goes_on)
        failed += not passed
        print(json.dumps({"row": text, "section": section, "passed": passed, "saw": events + ([] if goes_on else ["end"])}))
        connection.sock.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), "--clear" in sys.argv))

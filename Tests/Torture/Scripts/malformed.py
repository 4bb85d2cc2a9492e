"""Malformed Bayeux messages, by HTTP/1.1 and WebSockets, against a server that has to refuse each at once and go on.

Usage: malformed.py SERVER DIRECTORY COUNT SEED ANSWER_SECONDS CHAT_SECONDS

SERVER is the program. Each answer has to be there within ANSWER_SECONDS. A good chat's 99th percentile stays within twice its own, or within CHAT_SECONDS,
which a busy machine may take by itself. A violation names the seed and the bytes.
"""

import json
import multiprocessing
import random
import re
import socket
import struct
import sys
import time

from served import COMET, GoodChat, Server, p99, say, with_all_descriptors

WORKERS = 2
# Of a hundred messages; the others go over HTTP/1.1.
BY_WEBSOCKET = 35
VIOLATIONS = 5
SHOWN_BYTES = 400
GROWTH_BYTES = 64 << 20
CHAT_ROUNDS = 40
DEPTH_MAXIMUM = 64
OPTIONS = {"cometd.maxInterval": 5000}

NOBODY = "nobodysclient00000000000000"
GOOD = [
    {"id": "1", "channel": "/meta/handshake", "version": "1.0", "minimumVersion": "1.0", "supportedConnectionTypes": ["long-polling", "websocket"],
     "advice": {"timeout": 60000, "interval": 0}, "ext": {"gms_user": "x", "ack": True}},
    {"id": "2", "channel": "/meta/connect", "clientId": NOBODY, "connectionType": "long-polling", "advice": {"timeout": 0}},
    {"id": "3", "channel": "/meta/subscribe", "clientId": NOBODY, "subscription": "/_genesys"},
    {"id": "4", "channel": "/meta/subscribe", "clientId": NOBODY, "subscription": ["/a", "/b/*", "/c/**"]},
    {"id": "5", "channel": "/meta/unsubscribe", "clientId": NOBODY, "subscription": "/_genesys"},
    {"id": "6", "channel": "/news/sport", "clientId": NOBODY, "data": {"text": "T\u00f6r"}},
    {"id": "7", "channel": "/meta/disconnect", "clientId": NOBODY, "ext": {"transcriptPosition": "1"}},
]
OTHERS = [None, True, -1, 0, 1.5, 1e308, 2**63, "", "x", "/", "/*", "\u0000", "\ud800", [], [[]], {}, {"": {}}, "x" * 5000]
# Whoever has one of these wrong is told so; what is wrong in the others is passed over.
REQUIRED = {"channel", "clientId", "subscription", "supportedConnectionTypes", "connectionType"}


class Message:
    """What is sent, and whether it has to be refused."""

    def __init__(self, body, must_be_refused):
        self.body, self.must_be_refused = body, must_be_refused


def text(value):
    return json.dumps(value).encode()


def wrong_type(random):
    """One member is something else than it may be."""
    message = dict(random.choice(GOOD))
    name = random.choice([*message, "data", "ext", "advice", "id"])
    message[name] = random.choice(OTHERS)
    return Message(text([message]), name in REQUIRED and not isinstance(message[name], (str, list)))


def mutation(random):
    """Bytes of a good message that were flipped, dropped, doubled or moved."""
    body = bytearray(text(random.sample(GOOD, random.randint(1, 3))))
    for _ in range(random.choice([1, 1, 2, 5, 30])):
        at = random.randrange(len(body))
        match random.randrange(5):
            case 0:
                body[at] = random.randrange(256)
            case 1:
                del body[at:at + random.randint(1, 10)]
            case 2:
                body[at:at] = body[at:at + random.randint(1, 20)]
            case 3:
                body[at:at] = bytes([random.choice(b'[]{}",:\\\0\n\xff0-eE.tfn')])
            case _:
                body = body[:at]
        if not body:
            break
    return Message(bytes(body), is_no_json(bytes(body)))


def noise(random):
    body = random.randbytes(random.choice([1, 2, 10, 100, 2000]))
    return Message(body, is_no_json(body))


def duplicates(random):
    """A member that is there twice."""
    message = text(random.choice(GOOD))
    name = random.choice(re.findall(rb'"(\w+)":', message))
    return Message(b"[" + message[:-1] + b', "' + name + b'": ' + text(random.choice(OTHERS)) + b"}]", False)


def surrogate(random):
    """A half of a pair of surrogates: escaped, or as bytes that are no UTF-8."""
    half = random.choice([b"\\ud800", b"\\udfff", b"\\udc00\\ud800", b"\\ud83dx", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80"])
    message = text([random.choice(GOOD)]).replace(b'"id": "', b'"id": "' + half, 1)
    return Message(message, not half.startswith(b"\\"))


def deep(random):
    """Ten thousand arrays or objects in each other."""
    depth = random.choice([DEPTH_MAXIMUM + 1, 1000, 10_000])
    start, end = random.choice([(b"[", b"]"), (b'{"a":', b"}")])
    inside = start * depth + b"1" + end * random.choice([depth, depth - 1, 0])
    return Message(random.choice([inside, b'[{"channel":"/meta/handshake","ext":' + inside + b"}]"]), True)


def number(random):
    """A megabyte of digits."""
    digits = bytes([random.choice(b"123456789")]) * random.choice([1 << 10, 100_000, 1_000_000])
    value = random.choice([digits, b"0." + digits, b"-" + digits, b"1e" + digits])
    return Message(b'[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"x":' + value + b"}]", True)


# How often of a thousand each is made.
KINDS = [(mutation, 480), (wrong_type, 250), (noise, 120), (duplicates, 80), (surrogate, 50), (deep, 18), (number, 2)]


def is_no_json(body):
    """Whether nobody may take it for messages."""
    try:
        value = json.loads(body.decode(), parse_constant=lambda _: 1 / 0)
    except (ValueError, RecursionError, ZeroDivisionError):
        return True
    return not (isinstance(value, dict) or isinstance(value, list) and value and all(isinstance(one, dict) for one in value))


def flaw(message, answer, seconds, seconds_maximum):
    """What is wrong with an answer (status and text); nil if it is as it has to be."""
    status, body = answer
    if seconds > seconds_maximum:
        return f"answered after {seconds * 1000:.0f} ms"
    if status in (400, 413):
        return None
    if status != 200:
        return f"answered {status}: {body[:200]!r}"
    try:
        replies = json.loads(body)
        successes = [reply["successful"] for reply in replies if "successful" in reply]
    except (ValueError, TypeError, KeyError):
        return f"an answer that is no Bayeux: {body[:200]!r}"
    if not successes:
        return f"an answer that says nothing: {body[:200]!r}"
    if message.must_be_refused and all(successes):
        return f"taken: {body[:200]!r}"
    return None


class Wire:
    """Two connections, made anew when the server has ended them."""

    def __init__(self, port, number):
        self.port, self.number, self.count = port, number, 0
        self.http = self.socket = None

    def open(self):
        # Many addresses, or a machine runs out of ports.
        self.count += 1
        return socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(f"127.0.2.{1 + (self.count + 100 * self.number) % 200}", 0))

    def post(self, body):
        if self.http is None:
            self.http, self.buffer = self.open(), b""
        try:
            self.http.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (COMET.encode(), len(body)) + body)
        except ConnectionError:
            pass  # refused before it was read to its end: that is told
        while b"\r\n\r\n" not in self.buffer:
            self.receive()
        head, _, rest = self.buffer.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        length = int(length[1]) if length else 0
        while len(rest) < length:
            self.receive()
            rest = self.buffer.partition(b"\r\n\r\n")[2]
        self.buffer = rest[length:]
        if re.search(rb"(?i)connection: close", head):
            self.http.close()
            self.http = None
        return int(head[9:12]), rest[:length]

    def receive(self):
        more = self.http.recv(65536)
        if not more:
            raise ConnectionError("closed without an answer")
        self.buffer += more

    def say(self, body):
        """By WebSocket: a text, or a close, which refuses."""
        if self.socket is None:
            self.socket = self.open()
            self.socket.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % COMET.encode())
            self.frames = b""
            while b"\r\n\r\n" not in self.frames:
                self.hear()
            self.frames = self.frames.partition(b"\r\n\r\n")[2]
        size = len(body)
        length = bytes([128 | size]) if size < 126 else b"\xfe" + struct.pack("!H", size) if size < 65536 else b"\xff" + struct.pack("!Q", size)
        try:
            self.socket.sendall(b"\x81" + length + b"\0\0\0\0" + body)
        except ConnectionError:
            pass
        try:
            first, size = self.take(2)
            size = struct.unpack("!H", self.take(2))[0] if size == 126 else struct.unpack("!Q", self.take(8))[0] if size == 127 else size
            payload = self.take(size)
        except ConnectionResetError:
            first, payload = 0x88, b""
        if first != 0x88:
            return 200, payload
        self.socket.close()
        self.socket = None
        return 400, payload

    def take(self, count):
        while len(self.frames) < count:
            self.hear()
        data, self.frames = self.frames[:count], self.frames[count:]
        return data

    def hear(self):
        more = self.socket.recv(65536)
        if not more:
            raise ConnectionResetError("closed")
        self.frames += more


def work(port, number, count, seed, seconds_maximum, results):
    """Sends its share, and tells what is wrong and how long the slowest took."""
    generator = random.Random(f"{seed}/{number}")
    makers, weights = zip(*KINDS)
    wire, violations, slowest = Wire(port, number), [], 0.0
    for index in range(count):
        message = generator.choices(makers, weights)[0](generator)
        by_socket = generator.randrange(100) < BY_WEBSOCKET
        begun = time.monotonic()
        try:
            answer = (wire.say if by_socket else wire.post)(message.body)
            seconds = time.monotonic() - begun
            wrong = flaw(message, answer, seconds, seconds_maximum)
            slowest = max(slowest, seconds)
        except OSError as error:
            wrong = f"not answered: {error!r}"
            wire.http = wire.socket = None
        if wrong:
            shown = message.body[:SHOWN_BYTES].hex() + ("" if len(message.body) <= SHOWN_BYTES else f"… of {len(message.body)} bytes")
            violations.append(f"seed {seed}, worker {number}, message {index}{' by WebSocket' if by_socket else ''}: {wrong}: {shown}")
            if len(violations) == VIOLATIONS:
                break
    results.put((violations, slowest))


def judge_is_awake():
    """A judge that takes all for well is no judge: it has to mind each of these."""
    refused, ok = Message(b"[", True), b'[{"channel":"/meta/connect","successful":true}]'
    return (all(flaw(refused, answer, seconds, 1) for answer, seconds in
                [((200, ok), 0), ((500, b""), 0), ((200, b"x"), 0), ((200, b"[]"), 0), ((400, b""), 2)])
            and flaw(refused, (400, b""), 0, 1) is None and flaw(Message(b"", False), (200, ok), 0, 1) is None
            and is_no_json(b"[NaN]") and is_no_json(b"17") and not is_no_json(b'[{"a":1}]'))


def main(executable, directory, count, seed, answer_seconds, chat_seconds):
    if not judge_is_awake():
        say(violation="the judge of answers minds nothing")
    with_all_descriptors()
    server = Server(executable, directory, OPTIONS)
    chat = GoodChat(server)
    own = p99([chat.round() for _ in range(CHAT_ROUNDS)])
    results = multiprocessing.Queue()

    def run(seed, count):
        """Sends so many; the seconds of the good chat's rounds meanwhile."""
        workers = [multiprocessing.Process(target=work, args=(server.port, number, count // WORKERS, seed, answer_seconds, results)) for number in range(WORKERS)]
        for worker in workers:
            worker.start()
        rounds = []
        while any(worker.is_alive() for worker in workers):
            if server.process.poll() is not None:
                break
            rounds.append(chat.round())
            if results.qsize() == WORKERS:
                break
        outcomes = [results.get(timeout=60) for _ in workers]
        for worker in workers:
            worker.join()
        for violations, _ in outcomes:
            for violation in violations:
                say(violation=violation)
        return rounds, max(slowest for _, slowest in outcomes)

    # The first tenth fills pools and caches that stay.
    run(f"{seed}/first", count // 10)
    before = server.resident_bytes()
    rounds, slowest = run(seed, count - count // 10)
    growth = server.resident_bytes() - before
    if growth > GROWTH_BYTES:
        say(violation=f"the server has grown by {growth >> 20} MiB, more than {GROWTH_BYTES >> 20}")
    if p99(rounds) > max(2 * own, chat_seconds):
        say(violation=f"a good chat's 99th percentile was {p99(rounds) * 1000:.0f} ms, by itself {own * 1000:.0f} ms")
    end = server.end()
    if end:
        say(violation=end)
    say(remark=f"slowest answer {slowest * 1000:.0f} ms; a good chat's 99th percentile {own * 1000:.0f} ms alone, "
               f"{p99(rounds) * 1000:.0f} ms meanwhile ({len(rounds)} messages); grown by {growth / (1 << 20):.1f} MiB")
    say(count=count)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6]))

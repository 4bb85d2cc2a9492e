"""An HTTP/2 server that misbehaves on order, for the tests of HTTP2Client.

A request says in its header `x-fault` what is to happen to it (`key=value;key`):

    status=N, body=N (bytes), delay=MS, hold (until {"release": true}), silent, info (103 first), trailers, badlength,
    broken (a field that HTTP/2 has not), early (answered before its body was read), rst=CODE, refuse (RST 7, not
    processed), cut (processed, connection aborted), goaway=refuse|answer|lost|notice with code=N and word=TEXT

`--rules` and lines on standard input rule connections:

    {"limit": N}          SETTINGS_MAX_CONCURRENT_STREAMS, now and for new ones (null: none is named)
    {"goaway": {...}}     on all connections: last ("max", "zero", "current"), code, word, close
    {"cut": true}         abort all; {"close": true} ends them by FIN
    {"freeze": BOOL}      neither reads nor writes, not even PING answers
    {"release": true}     answers what is held; {"reset_held": CODE} resets it
    {"released": BOOL}    answers what is held, and holds nothing from now on
    {"goaway_first": true} each connection is sent away at its first request, not processed
    {"cut_at_once": true} each connection ends after SETTINGS
    {"chaos": {"seed", "every"}}  about every N requests one of: cut, GOAWAY of each kind, refused, reset
    {"report": true}      prints {"report": …}

It prints one line for each request, {"request": ID of header x-id, "connection", "stream", "open", "total",
"processed"}:
`processed` is the truth that the client's classification is held against. Other lines have "event".
"""

import argparse
import asyncio
import datetime
import ipaddress
import json
import random
import ssl
import sys

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from h2.settings import SettingCodes
from hyperframe.frame import GoAwayFrame

P12_PASSWORD = "for tests only"


def say(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Authority:
    """A certificate authority of its own, and what it signs."""

    def __init__(self, directory, name):
        self.directory = directory
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.certificate = self.sign(self.name, self.key.public_key(), [(x509.BasicConstraints(True, None), True)])
        self.path = f"{directory}/{name}.pem"
        self.write(self.path, self.certificate.public_bytes(serialization.Encoding.PEM))

    def write(self, path, data):
        with open(path, "wb") as file:
            file.write(data)

    def sign(self, subject, public_key, extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(public_key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=90))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, name, extensions):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        certificate = self.sign(subject, key.public_key(), extensions)
        chain, key_path = f"{self.directory}/{name}-cert.pem", f"{self.directory}/{name}-key.pem"
        self.write(chain, certificate.public_bytes(serialization.Encoding.PEM))
        self.write(key_path, key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return certificate, key, chain, key_path


class Server:
    def __init__(self, rules):
        self.rules = rules
        self.connections = []
        self.made = 0
        self.total_open = 0
        self.peak = 0
        self.peak_per_connection = 0
        self.requests = 0
        self.random = random.Random(rules.get("chaos", {}).get("seed", 0))

    def command(self, line):
        if "limit" in line:
            for connection in self.connections:
                connection.set_limit(line["limit"])
        if "goaway" in line:
            for connection in list(self.connections):
                connection.go_away(**line["goaway"])
        if "cut" in line:
            for connection in list(self.connections):
                connection.abort()
        if "close" in line:
            for connection in list(self.connections):
                connection.transport.close()
        if "freeze" in line:
            for connection in list(self.connections):
                connection.freeze(line["freeze"])
        if line.get("release") or line.get("released"):
            for connection in list(self.connections):
                connection.release()
        if "reset_held" in line:
            for connection in list(self.connections):
                connection.reset_held(line["reset_held"])
        if "report" in line:
            say(report=line["report"], connections=len(self.connections), made=self.made, open=self.total_open,
                peak=self.peak, peakPerConnection=self.peak_per_connection, requests=self.requests)
            self.peak = self.peak_per_connection = 0
        for key in ("limit", "goaway_first", "cut_at_once", "chaos", "freeze", "released"):
            if key in line:
                self.rules[key] = line[key]


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server = server
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8", validate_outbound_headers=False))
        self.faults = {}  # stream -> (fault, id)
        self.held = []
        self.bodies = {}  # stream -> (bytes left, trailers)
        self.open = set()
        self.last_allowed = None
        self.highest = 0  # the last stream that was processed: a GOAWAY below it would be a lie
        self.close_when_done = False
        self.is_frozen = False
        self.is_gone = False
        self.spoke = False

    # The socket.

    def connection_made(self, transport):
        self.transport = transport
        self.server.made += 1
        self.number = self.server.made
        self.server.connections.append(self)
        tls = transport.get_extra_info("ssl_object")
        peer = (tls.getpeercert() or {}) if tls else {}
        names = [value for part in peer.get("subject", ()) for key, value in part if key == "commonName"]
        say(event="connected", connection=self.number, peer=names[0] if names else None)
        limit = self.server.rules.get("limit", 100)
        values = {SettingCodes.ENABLE_PUSH: 0}
        if limit is not None:
            values[SettingCodes.MAX_CONCURRENT_STREAMS] = limit
        self.h2.local_settings = h2.settings.Settings(client=False, initial_values=values)
        self.h2.initiate_connection()
        if self.server.rules.get("freeze"):
            return self.freeze(True)
        self.flush()
        if self.server.rules.get("cut_at_once"):
            transport.close()

    def connection_lost(self, error):
        self.is_gone = True
        if self in self.server.connections:
            self.server.connections.remove(self)
        self.server.total_open -= len(self.open)
        self.open.clear()
        say(event="closed", connection=self.number)

    def flush(self):
        if self.is_gone or self.is_frozen:
            return
        data = self.h2.data_to_send()
        if data:
            self.transport.write(data)

    def abort(self):
        self.flush()
        self.transport.abort()
        self.is_gone = True

    def freeze(self, on):
        self.is_frozen = on
        (self.transport.pause_reading if on else self.transport.resume_reading)()
        self.flush()

    def data_received(self, data):
        if self.is_gone:
            return
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            say(event="violation", connection=self.number, error=type(error).__name__)
            self.flush()
            self.transport.close()
            return
        for event in events:
            if self.is_gone:
                return
            self.happened(event)
        self.flush()
        self.close_if_done()

    # The protocol.

    def happened(self, event):
        if isinstance(event, h2.events.RequestReceived):
            headers = dict(event.headers)
            fault = dict((part.split("=", 1) + [""])[:2] for part in headers.get("x-fault", "").split(";") if part)
            self.faults[event.stream_id] = (fault, headers.get("x-id", ""), headers)
            self.opened(event.stream_id)
            if "early" in fault:
                self.arrived(event.stream_id)
        elif isinstance(event, h2.events.DataReceived):
            fault = self.faults.get(event.stream_id, ({},))[0]
            if "early" in fault:
                # Only the connection's window opens again: the rest of this body is not wanted.
                self.h2.increment_flow_control_window(event.flow_controlled_length)
            else:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            fault = self.faults.get(event.stream_id, ({},))[0]
            if "early" not in fault:
                self.arrived(event.stream_id)
            else:
                self.ended(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            say(event="reset", connection=self.number, stream=event.stream_id, code=int(event.error_code))
            self.bodies.pop(event.stream_id, None)
            self.ended(event.stream_id)
        elif isinstance(event, h2.events.WindowUpdated):
            for stream in list(self.bodies):
                self.send_body(stream)
        elif isinstance(event, h2.events.PingReceived):
            say(event="ping", connection=self.number)
        elif isinstance(event, h2.events.ConnectionTerminated):
            say(event="goaway", connection=self.number, code=int(event.error_code))

    def opened(self, stream):
        self.open.add(stream)
        server = self.server
        server.total_open += 1
        server.peak = max(server.peak, server.total_open)
        server.peak_per_connection = max(server.peak_per_connection, len(self.open))

    def ended(self, stream):
        if stream in self.open:
            self.open.discard(stream)
            self.server.total_open -= 1
        self.close_if_done()

    def close_if_done(self):
        if self.close_when_done and not self.open and not self.is_gone:
            self.flush()
            self.transport.close()
            self.is_gone = True

    def log(self, stream, processed):
        _, name, headers = self.faults[stream]
        if processed:
            self.highest = max(self.highest, stream)
        say(request=name, connection=self.number, stream=stream, open=len(self.open), total=self.server.total_open,
            processed=processed, method=headers.get(":method"), path=headers.get(":path"),
            authority=headers.get(":authority"), scheme=headers.get(":scheme"))

    def arrived(self, stream):
        """A whole request is here: its fate."""
        fault, _, _ = self.faults[stream]
        server = self.server
        server.requests += 1
        if self.last_allowed is not None and stream > self.last_allowed:
            self.log(stream, False)
            return self.ended(stream)
        if server.rules.get("goaway_first"):
            self.log(stream, False)
            self.go_away(last="zero", close=True)
            return self.ended(stream)
        chaos = server.rules.get("chaos")
        if chaos and server.random.randrange(chaos["every"]) == 0:
            fault = server.random.choice([
                {"cut": ""}, {"cut": ""}, {"goaway": "refuse"}, {"goaway": "answer"}, {"goaway": "lost"},
                {"goaway": "notice"}, {"refuse": ""}, {"rst": "8"}, {"cutfirst": ""}])
        if "refuse" in fault:
            self.log(stream, False)
            return self.reset(stream, 7)
        if "cutfirst" in fault:
            self.log(stream, False)
            return self.abort()
        goaway = fault.get("goaway")
        if goaway == "refuse" and self.highest > stream:
            goaway = "answer"
        if goaway:
            code, word = int(fault.get("code", "0")), fault.get("word")
            self.log(stream, goaway != "refuse")
            if goaway == "refuse":
                self.go_away(last=stream - 2, code=code, word=word, close=True)
                return self.ended(stream)
            if goaway == "notice":
                self.go_away(last="max", code=code, word=word)
                asyncio.get_running_loop().call_later(0.01, self.go_away, stream, code, word, True)
                return asyncio.get_running_loop().call_later(0.02, self.answer, stream)
            self.go_away(last=stream, code=code, word=word, close=goaway == "answer")
            if goaway == "lost":
                return self.abort()
            return asyncio.get_running_loop().call_later(0.01, self.answer, stream)
        self.log(stream, True)
        if "cut" in fault:
            self.abort()
        elif "rst" in fault:
            self.reset(stream, int(fault["rst"]))
        elif "silent" in fault:
            pass
        elif "hold" in fault and not server.rules.get("released"):
            self.held.append(stream)
        elif "delay" in fault:
            asyncio.get_running_loop().call_later(int(fault["delay"]) / 1000, self.answer, stream)
        else:
            self.answer(stream)

    def reset(self, stream, code):
        self.h2.reset_stream(stream, code)
        self.flush()
        self.ended(stream)

    def release(self):
        held, self.held = self.held, []
        for stream in held:
            self.answer(stream)

    def reset_held(self, code):
        held, self.held = self.held, []
        for stream in held:
            self.reset(stream, code)

    def answer(self, stream):
        if self.is_gone or stream not in self.open:
            return
        fault, name, _ = self.faults.pop(stream)
        if "early" in fault:
            self.faults[stream] = (fault, name, {})
        headers = [(":status", fault.get("status", "200")), ("x-id", name)]
        if "broken" in fault:
            headers.append(("no token", "1"))
        size = int(fault.get("body", "0"))
        try:
            if "info" in fault:
                self.h2.send_headers(stream, [(":status", "103"), ("link", "</a>")])
            if "badlength" in fault:
                self.h2.send_headers(stream, headers + [("content-length", "5")])
                self.h2.send_data(stream, b"123456789", end_stream=True)
            elif size or "trailers" in fault:
                self.h2.send_headers(stream, headers)
                self.bodies[stream] = (size, "trailers" in fault)
                return self.send_body(stream)
            else:
                self.h2.send_headers(stream, headers, end_stream=True)
        except h2.exceptions.ProtocolError:
            return
        self.flush()
        # Without its whole body the request's side is open still: the client must reset it.
        if "early" not in fault:
            self.ended(stream)

    def send_body(self, stream):
        left, trailers = self.bodies[stream]
        try:
            while left:
                size = min(left, self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if size <= 0:
                    break
                left -= size
                self.h2.send_data(stream, b"x" * size, end_stream=left == 0 and not trailers)
        except h2.exceptions.ProtocolError:
            self.bodies.pop(stream, None)
            return
        self.bodies[stream] = (left, trailers)
        if left == 0:
            self.bodies.pop(stream)
            if trailers:
                self.h2.send_headers(stream, [("x-trailer", "1")], end_stream=True)
            self.flush()
            return self.ended(stream)
        self.flush()

    def set_limit(self, limit):
        self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: limit})
        self.flush()

    def go_away(self, last="current", code=0, word=None, close=False):
        """By hand: the state machine would take its own GOAWAY for the end of everything."""
        if self.is_gone:
            return
        ids = {"max": 2**31 - 1, "zero": 0, "current": max(self.open, default=0)}
        number = ids[last] if isinstance(last, str) else last
        number = max(number, self.highest)
        self.last_allowed = number
        frame = GoAwayFrame(0)
        frame.last_stream_id, frame.error_code = max(0, number), code
        frame.additional_data = json.dumps({"reason": word}).encode() if word else b""
        self.flush()
        self.transport.write(frame.serialize())
        for stream in [stream for stream in self.open if stream > number and stream not in self.faults]:
            self.ended(stream)
        for stream in [stream for stream in self.open if stream > number]:
            self.ended(stream)
        if close:
            self.close_when_done = True
            self.close_if_done()


async def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--directory", required=True)
    arguments.add_argument("--mode", default="h2", choices=["h2", "noalpn", "http1", "plain", "mtls"])
    arguments.add_argument("--name-only", action="store_true", help="the certificate does not have the address")
    arguments.add_argument("--rules", default="{}")
    options = arguments.parse_args()
    server = Server(json.loads(options.rules))
    authority, other = Authority(options.directory, "ca"), Authority(options.directory, "other-ca")
    names = [x509.DNSName("localhost")]
    if not options.name_only:
        names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    _, _, chain, key = authority.issue("localhost", [(x509.SubjectAlternativeName(names), False)])
    client, client_key, client_chain, client_key_path = authority.issue("client", [])
    p12 = f"{options.directory}/client.p12"
    authority.write(p12, pkcs12.serialize_key_and_certificates(
        b"client", client_key, client, None, serialization.BestAvailableEncryption(P12_PASSWORD.encode())))
    context = None
    if options.mode != "plain":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        if options.mode != "noalpn":
            context.set_alpn_protocols(["http/1.1"] if options.mode == "http1" else ["h2"])
        if options.mode == "mtls":
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(authority.path)
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0, ssl=context, backlog=1024)
    say(ready=listener.sockets[0].getsockname()[1], ca=authority.path, otherCA=other.path, clientChain=client_chain,
        clientKey=client_key_path, clientP12=p12, clientP12Password=P12_PASSWORD, serverChain=chain, serverKey=key,
        clientExpiry=int(client.not_valid_after_utc.timestamp()))
    reader = asyncio.StreamReader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        server.command(json.loads(line))


asyncio.run(main())

"""What the stand-ins for POST-only services share: an authority of their own, an HTTP/1.1 server with or without TLS,
answers by rule, and one JSON line for each request.

Commands on standard input, each answered with {"done": true}:

    {"answers": [{"status": 429, "headers": {"Retry-After": "7"}, "body": "…"}, {"close": true}, {"delay": 0.5}]}
        what the next requests get, one each, instead of the service's own answer

    {"reset": true}
        as it was in the beginning

Other members are the service's own settings.
"""

import argparse
import datetime
import ipaddress
import json
import os
import socket
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HOSTS = ["localhost", "receiver.test", "other.test"]


def make_authority(directory):
    """Writes ca.pem, server.pem and server.key; the server's certificate is for 127.0.0.1 and HOSTS but other.test."""

    def name(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = datetime.datetime.now(datetime.timezone.utc)

    def certificate(subject, issuer, key, signer, extensions):
        builder = (
            x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = certificate(
        "stand-in authority", "stand-in authority", authority_key, authority_key,
        [(x509.BasicConstraints(ca=True, path_length=0), True)])
    key = ec.generate_private_key(ec.SECP256R1())
    names = [x509.DNSName(host) for host in HOSTS if host != "other.test"]
    server = certificate(
        "stand-in", "stand-in authority", key, authority_key,
        [(x509.SubjectAlternativeName(names + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False),
         (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)])
    paths = {name: os.path.join(directory, name) for name in ("ca.pem", "server.pem", "server.key")}
    with open(paths["ca.pem"], "wb") as file:
        file.write(authority.public_bytes(serialization.Encoding.PEM))
    with open(paths["server.pem"], "wb") as file:
        file.write(server.public_bytes(serialization.Encoding.PEM))
    with open(paths["server.key"], "wb") as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return paths


class Service:
    """One service; subclasses say what a good request gets."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--directory", required=True)
        parser.add_argument("--plain", action="store_true", help="without TLS")
        self.arguments = parser.parse_args()
        self.answers = []
        self.lock = threading.Lock()

    def hello(self):
        """Members of the ready line."""
        return {}

    def command(self, command):
        """A command of the service's own; settings are class attributes that it hides."""

    def reset(self):
        self.answers = []
        for name in [name for name in vars(self) if hasattr(type(self), name)]:
            delattr(self, name)

    def answer(self, request):
        """(status, headers, body, members for the log line)"""
        raise NotImplementedError

    def say(self, line):
        with self.lock:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()

    def run(self):
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = {"method": self.command, "path": self.path, "headers": headers, "body": body}
                status, answer_headers, answer, extra = service.answer(request)
                with service.lock:
                    rule = service.answers.pop(0) if service.answers else {}
                service.say({
                    "path": self.path, "headers": headers, "text": body.decode("utf-8", "replace"),
                    "client": self.client_address[0], **extra})
                time.sleep(rule.get("delay", 0))
                if rule.get("close"):
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if "status" in rule:
                    status, answer_headers, answer = rule["status"], rule.get("headers", {}), rule.get("body", "")
                body = answer.encode()
                self.send_response_only(status)
                for name, value in answer_headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST

            def log_message(self, *arguments):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass  # a client that does not trust us goes away in the middle

        server = Server(("127.0.0.1", 0), Handler)
        paths = make_authority(self.arguments.directory)
        if not self.arguments.plain:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(paths["server.pem"], paths["server.key"])
            # The handshake belongs to the connection's own thread.
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.say({"ready": server.server_address[1], "ca": paths["ca.pem"], **self.hello()})
        for line in sys.stdin:
            command = json.loads(line)
            if command.get("reset"):
                self.reset()
            with self.lock:
                self.answers += command.get("answers", [])
            self.command(command)
            self.say({"done": True})

"""An identity provider: signs tokens with PyJWT and serves its key set.

Writes into the directory, for each of its keys `rsa`, `rsa-next`, `rsa-small`, `ec` and `p384`, NAME.pem (public) and NAME-private.pem, and
keys.json, the key set of `rsa`, `ec` and one for encryption. GET /keys.json answers with what is being served.

Commands on standard input, each answered with one line:

    {"sign": {CLAIM: …}, "key": "rsa", "alg": "RS256", "kid": "rsa", "header": {…}}      {"token": "…"}
        `now+N` and `now-N` as a claim's value are seconds from now. Without `kid` the header has none. The key `none` signs
        nothing, `secret:TEXT` is a shared secret, `public:NAME` the public key in PEM as a secret.
    {"serve": ["rsa", "ec"]}                                                            {"done": true}
        the keys of the key set from now on; `secret` and `private` are what nobody should serve
    {"answer": {"status": 503, "body": "…", "date": "…"}}                               {"done": true}
        the answer to all who ask for the key set; {} is the key set again
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

arguments = argparse.ArgumentParser()
arguments.add_argument("--directory", required=True)
directory = arguments.parse_args().directory

keys = {
    "rsa": rsa.generate_private_key(65537, 2048),
    "rsa-next": rsa.generate_private_key(65537, 2048),
    "rsa-small": rsa.generate_private_key(65537, 1024),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "p384": ec.generate_private_key(ec.SECP384R1()),
}


def public_pem(name):
    return keys[name].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def jwk(name, private=False):
    algorithm = RSAAlgorithm if name.startswith("rsa") else ECAlgorithm
    key = algorithm.to_jwk(keys[name] if private else keys[name].public_key(), as_dict=True)
    key.pop("key_ops", None)
    return {**key, "kid": name, "use": "sig"}


def key_set(names):
    found = []
    for name in names:
        if name == "secret":
            found.append({"kty": "oct", "kid": "secret", "k": base64.urlsafe_b64encode(b"s" * 32).decode().rstrip("=")})
        elif name == "private":
            found.append(jwk("rsa", private=True))
        elif name == "encryption":
            found.append({**jwk("rsa-next"), "kid": "encryption", "use": "enc"})
        else:
            found.append(jwk(name))
    return json.dumps({"keys": found})


state = {"set": key_set(["rsa", "ec", "encryption"]), "answer": {}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        answer = state["answer"]
        body = answer.get("body", state["set"]).encode()
        self.send_response_only(answer.get("status", 200))
        self.send_header("Date", answer.get("date") or formatdate(usegmt=True))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if "location" in answer:
            self.send_header("Location", answer["location"])
        self.end_headers()
        self.wfile.write(body)
        say({"asked": self.path})

    def log_message(self, *_):
        pass


lock = threading.Lock()


def say(line):
    with lock:
        print(json.dumps(line), flush=True)


def plain(part):
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def claim(value):
    if isinstance(value, str) and value[:4] in ("now+", "now-"):
        return int(time.time()) + int(value[3:])
    return value


def sign(command):
    claims = {name: claim(value) for name, value in command["sign"].items()}
    name, algorithm = command.get("key", "rsa"), command.get("alg", "RS256")
    header = dict(command.get("header", {}))
    if "kid" in command:
        header["kid"] = command["kid"]
    if name == "none":
        return jwt.encode(claims, None, algorithm="none", headers=header)
    if name.startswith("secret:"):
        return jwt.encode(claims, name[len("secret:"):], algorithm=algorithm, headers=header)
    if name.startswith("public:"):
        # PyJWT knows better than to do this.
        text = plain({"alg": algorithm, "typ": "JWT", **header}) + "." + plain(claims)
        mac = hmac.new(public_pem(name[len("public:"):]), text.encode(), hashlib.sha256).digest()
        return text + "." + base64.urlsafe_b64encode(mac).decode().rstrip("=")
    return jwt.encode(claims, keys[name], algorithm=algorithm, headers=header)


for name, key in keys.items():
    with open(os.path.join(directory, name + ".pem"), "wb") as file:
        file.write(public_pem(name))
    with open(os.path.join(directory, name + "-private.pem"), "wb") as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
with open(os.path.join(directory, "keys.json"), "w") as file:
    file.write(state["set"])

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
say({"ready": server.server_address[1]})
for line in sys.stdin:
    command = json.loads(line)
    if "sign" in command:
        say({"token": sign(command)})
        continue
    if "serve" in command:
        state["set"] = key_set(command["serve"])
    if "answer" in command:
        state["answer"] = command["answer"]
    say({"done": True})

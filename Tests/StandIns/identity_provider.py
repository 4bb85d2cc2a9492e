"""An identity provider: signs tokens with PyJWT and serves its key set; an OpenID provider too.

Writes into the directory, for each of its keys `rsa`, `rsa-next`, `rsa-small`, `ec`, `p384` and `ed`, NAME.pem (public) and NAME-private.pem, and
keys.json, the key set of `rsa`, `ec` and one for encryption. GET /keys.json answers with what is being served.

Commands on standard input, each answered with one line:

    {"sign": {CLAIM: …}, "key": "rsa", "alg": "RS256", "kid": "rsa", "header": {…}}      {"token": "…"}
        `now+N` and `now-N` as a claim's value are seconds from now. Without `kid` the header has none. The key `none` signs
        nothing, `secret:TEXT` is a shared secret, `public:NAME` the public key in PEM as a secret.
    {"serve": ["rsa", "ec"]}                                                            {"done": true}
        the keys of the key set from now on; `secret` and `private` are what nobody should serve
    {"answer": {"status": 503, "body": "…", "date": "…"}}                               {"done": true}
        the answer to all who ask for the key set; {} is the key set again
    {"openid": {"claims": {CLAIM: …}, "key": …, "alg": …, "kid": …, "header": {…}, "secret": "…",
                "discovery": ANSWER, "discovered": {MEMBER: …}, "token": ANSWER, "tokens": {MEMBER: …},
                "without": [NAME, …], "deny": ERROR, "back": {PARAMETER: …}}}                                      {"done": true}
        how it plays the OpenID provider from now on; {} is by the book. Claims and members take the place of its own,
        `without` takes some away; `back` goes with the browser. With a secret it knows its client by HTTP Basic. An ANSWER is {"status": …, "body": "…", "delay": …}
        or {"drip": SECONDS}: a body that comes byte by byte.

As an OpenID provider (client `console`) it has /.well-known/openid-configuration, /authorize, which signs in at once whoever
comes, and /token, which takes a code once, from the client and with the verifier that it was made for.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import secrets
import sys
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

arguments = argparse.ArgumentParser()
arguments.add_argument("--directory", required=True)
directory = arguments.parse_args().directory

keys = {
    "rsa": rsa.generate_private_key(65537, 2048),
    "rsa-next": rsa.generate_private_key(65537, 2048),
    "rsa-small": rsa.generate_private_key(65537, 1024),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "p384": ec.generate_private_key(ec.SECP384R1()),
    "ed": ed25519.Ed25519PrivateKey.generate(),
}


def public_pem(name):
    return keys[name].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def jwk(name, private=False):
    algorithm = RSAAlgorithm if name.startswith("rsa") else OKPAlgorithm if name == "ed" else ECAlgorithm
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


state = {"set": key_set(["rsa", "ec", "encryption"]), "answer": {}, "openid": {}}
codes = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urlsplit(self.path).path
        if path == "/.well-known/openid-configuration":
            self.play("discovery", discovery())
        elif path == "/authorize":
            self.authorize({name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()})
        else:
            self.answer_key_set()

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        status, body = token({name: values[0] for name, values in form.items()}, self.headers.get("Authorization"))
        self.play("token", body, status)

    def play(self, part, body, status=200):
        """As it is by the book, unless a command says otherwise."""
        answer = state["openid"].get(part, {})
        time.sleep(answer.get("delay", 0))
        body = answer.get("body", json.dumps(body)).encode()
        self.send_response_only(answer.get("status", status))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if "location" in answer:
            self.send_header("Location", answer["location"])
        self.end_headers()
        try:
            for byte in body if "drip" in answer else []:
                self.wfile.write(bytes([byte]))
                time.sleep(answer["drip"])
            if "drip" not in answer:
                self.wfile.write(body)
        except OSError:
            self.close_connection = True
        say({"asked": self.path})

    def authorize(self, asked):
        back = {"state": asked["state"]}
        if "deny" in state["openid"]:
            back["error"] = state["openid"]["deny"]
        else:
            code = secrets.token_urlsafe(16)
            codes[code] = asked
            back["code"] = code
        back.update(state["openid"].get("back", {}))
        self.send_response_only(302)
        self.send_header("Location", asked["redirect_uri"] + "?" + urlencode(back))
        self.send_header("Content-Length", "0")
        self.end_headers()
        say({"asked": self.path})

    def answer_key_set(self):
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


def changed(members, changes):
    without = state["openid"].get("without", [])
    return {name: value for name, value in {**members, **changes}.items() if name not in without}


def issuer():
    return "http://127.0.0.1:%d" % server.server_address[1]


def discovery():
    return changed({
        "issuer": issuer(), "authorization_endpoint": issuer() + "/authorize", "token_endpoint": issuer() + "/token",
        "jwks_uri": issuer() + "/keys.json", "response_types_supported": ["code"], "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA"],
        "code_challenge_methods_supported": ["plain", "S256"],
    }, state["openid"].get("discovered", {}))


def hashed(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def is_client(form, authorization):
    secret = state["openid"].get("secret")
    if secret is None:
        return authorization is None and form.get("client_id") == "console"
    if not (authorization or "").startswith("Basic ") or "client_id" in form:
        return False
    name, _, password = base64.b64decode(authorization[len("Basic "):]).decode().partition(":")
    return unquote(name) == "console" and unquote(password) == secret


def token(form, authorization):
    """RFC 6749, 4.1.3; RFC 7636, 4.6."""
    asked = codes.pop(form.get("code"), None)
    if not is_client(form, authorization):
        return 401, {"error": "invalid_client"}
    if (asked is None or form.get("grant_type") != "authorization_code" or form.get("redirect_uri") != asked["redirect_uri"]
            or asked.get("code_challenge_method") != "S256" or hashed(form.get("code_verifier", "")) != asked["code_challenge"]):
        return 400, {"error": "invalid_grant"}
    part = state["openid"]
    access = secrets.token_urlsafe(16)
    digest = hashlib.sha512 if part.get("alg") == "EdDSA" else hashlib.sha256
    half = digest(access.encode()).digest()
    claims = changed({
        "iss": issuer(), "sub": "sub-1", "aud": "console", "exp": "now+300", "iat": "now-1", "nonce": asked["nonce"],
        "at_hash": base64.urlsafe_b64encode(half[: len(half) // 2]).decode().rstrip("="),
        "preferred_username": "anna", "groups": ["staff", "support"],
    }, part.get("claims", {}))
    signed = sign({"sign": claims, "key": part.get("key", "rsa"), "alg": part.get("alg", "RS256"),
                   "kid": part.get("kid", part.get("key", "rsa")), "header": part.get("header", {})})
    return 200, changed(
        {"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": signed}, part.get("tokens", {}))


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
    if "openid" in command:
        state["openid"] = command["openid"]
    say({"done": True})

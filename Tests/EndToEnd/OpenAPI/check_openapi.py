"""Checks /openapi.json with tools of others: the document itself, and the running server against it.

Usage: check_openapi.py CARILLON [--examples N] [--seed N] [--keep DIRECTORY]

Starts the program CARILLON with a token for each role, validates its description with openapi-spec-validator, looks at
the streams, and lets schemathesis call every other operation. Prints a summary; its status is 0 if nothing
was found.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import requests
from openapi_spec_validator import OpenAPIV31SpecValidator

from carillon_client import Receiver, server

HERE = os.path.dirname(os.path.abspath(__file__))

# Never ends by itself, so no tool that waits for the end of an answer can call it: `streams` looks at them.
STREAMS = {
    "/agent/1/events": ("agent", "text/event-stream"),
    "/admin/1/messages/stream": ("admin", "text/event-stream"),
    "/admin/1/channel-stream": ("channels", "text/event-stream"),
    "/admin/1/timeline/stream": ("admin", "text/event-stream"),
    "/admin/1/standby/stream": ("admin", "application/octet-stream"),
}
# What one of them has to be asked.
QUERIES = {
    "/admin/1/timeline/stream": "?subject=anybody",
    "/admin/1/standby/stream": "?standby=check&segment=1&offset=0&chain=" + 64 * "0",
}
# An answer of these is no HTTP any more (101); what is refused is looked at by the tests of sockets.
SOCKETS = [("get", "/genesys/cometd"), ("get", "/device/1/socket"), ("get", "/agent/1/socket")]

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "unsupported_method", "ignored_auth",
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("program")
    arguments.add_argument("--examples", default="1")
    arguments.add_argument("--seed", default="20260301")
    arguments.add_argument("--keep", help="keeps logs and reports here")
    options = arguments.parse_args()
    options.program = os.path.abspath(options.program)
    directory = options.keep or tempfile.mkdtemp(prefix="carillon-openapi-")
    os.makedirs(directory, exist_ok=True)
    try:
        with Receiver() as receiver, server(options.program, directory, receiver.url) as (carillon, log):
            document = carillon.call("GET", "/openapi.json")
            OpenAPIV31SpecValidator(document).validate()
            count = sum(len(item) for item in document["paths"].values())
            print(f"openapi-spec-validator: valid; {count} operations on {len(document['paths'])} paths")
            streams(carillon)
            carillon.make_dead_letters(receiver, 12)
            carillon.supporter()
            status = schemathesis(carillon, directory, options)
            carillon.call("GET", "/health/ready")
            status = status or complaints(log)
    finally:
        if not options.keep:
            shutil.rmtree(directory, ignore_errors=True)
    sys.exit(status)


def streams(carillon):
    """Each begins at once, is what it says, and is closed to others."""
    for path, (role, expected) in STREAMS.items():
        headers = {"Authorization": f"Bearer {carillon.tokens[role]}"}
        url = carillon.url + path + QUERIES.get(path, "")
        with requests.get(url, headers=headers, stream=True, timeout=10) as answer:
            kind = answer.headers["Content-Type"]
            if answer.status_code != 200 or not kind.startswith(expected):
                sys.exit(f"{path}: {answer.status_code} {kind}")
        if requests.get(url, timeout=10).status_code != 401:
            sys.exit(f"{path} is open to everybody")
    print(f"streams: {len(STREAMS)} looked at by hand")


def schemathesis(carillon, directory, options):
    identity = carillon.identity()
    configuration = os.path.join(directory, "schemathesis.toml")
    with open(configuration, "w") as file:
        file.write(settings(carillon.tokens, identity))
    environment = {
        **os.environ,
        "PYTHONPATH": HERE,
        "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
        "CARILLON_URL": carillon.url,
        "CARILLON_SERVICE_ACCOUNT": carillon.account,
        "CARILLON_IDENTITY": identity,
        **{f"CARILLON_{role.upper()}": token for role, token in carillon.tokens.items()},
    }
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", configuration, "run", f"{carillon.url}/openapi.json",
        "--max-examples", options.examples, "--seed", options.seed,
        "--continue-on-failure", "--request-timeout", "40", "--no-color",
        "--report", "junit,ndjson", "--report-dir", os.path.join(directory, "report"),
    ]
    return subprocess.run(command, env=environment, cwd=directory).returncode


def settings(tokens, identity):
    # JSON's texts are TOML's as well.
    keys = {
        "agentToken": ("bearer", tokens["agent"]),
        "adminToken": ("bearer", tokens["admin"]),
        "publisherToken": ("bearer", tokens["publisher"]),
        "channelsToken": ("bearer", tokens["channels"]),
        "senderToken": ("bearer", tokens["sender"]),
        "supportToken": ("bearer", tokens["supporter"]),
        "senderKey": ("api_key", f"key={tokens['sender']}"),
        "deviceLogin": ("api_key", identity),
    }
    # Two for all that a path may not have: every method of every path is looked at by tests of their own.
    lines = ["[phases.coverage]", 'unexpected-methods = ["PUT", "TRACE"]']
    lines += ["[checks]", "enabled = false"]
    lines += [f"{check}.enabled = true" for check in CHECKS]
    lines += ["[auth.openapi]"]
    lines += [f"{name} = {{ {kind} = {json.dumps(value)} }}" for name, (kind, value) in keys.items()]
    for method, path in [("get", path) for path in STREAMS] + SOCKETS:
        name = json.dumps(f"{method.upper()} {path}")
        lines += ["[[operations]]", f"include-name = {name}", "enabled = false"]
    # Its protocol answers with 200 and `Error=AUTHENTICATION_FAILED` (GCM D3.4).
    lines += ["[[operations]]", 'include-name = "POST /c2dm/register3"', "checks.ignored_auth.enabled = false"]
    return "\n".join(lines) + "\n"


def complaints(log):
    """What the server has logged as unexpected."""
    with open(log) as file:
        lines = [line for line in file if '"a route failed"' in line]
    for line in lines[:20]:
        print(line.strip())
    print(f"the server's log: {len(lines)} routes failed")
    return 1 if lines else 0


if __name__ == "__main__":
    main()

"""How every script here talks to the test that started it: JSON lines, both ways; and which authority it trusts.

Import this before any library: some read the variables below only once, when they are imported.
"""

import asyncio
import json
import os
import sys
from argparse import ArgumentParser


def say(**event):
    print(json.dumps(event), flush=True)


def failed(kind, error, trace):
    """An error that nobody expected goes to the test too."""
    say(failed=f"{kind.__name__}: {error}")
    sys.__excepthook__(kind, error, trace)


sys.excepthook = failed


def arguments(doc, *options, **defaults):
    """The command line: `--ca FILE`, the named options (all needed), and those with a default."""
    parser = ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument("--ca", help="the authority to trust, PEM; not needed for http")
    for option in options:
        parser.add_argument(f"--{option}", required=True)
    for option, default in defaults.items():
        parser.add_argument(f"--{option.replace('_', '-')}", default=default)
    parsed = parser.parse_args()
    if parsed.ca:
        for variable in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"]:
            os.environ[variable] = parsed.ca
    return parsed


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def commands():
    """The commands of the test, for scripts that do one thing at a time."""
    return map(json.loads, sys.stdin)


async def commands_async():
    """The commands of the test, for scripts that do other things meanwhile."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)

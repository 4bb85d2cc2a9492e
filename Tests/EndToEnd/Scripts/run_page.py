"""Runs the command blocks of a page as they are printed, one after the other, as somebody would who reads it.

    run_page.py PAGE --carillon EXECUTABLE --root REPOSITORY

A fenced block with the language `sh` is a command block; any other is only shown. What follows the language says how it
is run:

    sh            in the page's terminal; each command has to succeed
    sh beside     in a terminal of its own, which goes on beside the next blocks (a server, a receiver)
    sh fails      in the page's terminal; the last command has to fail
    yaml NAME     a file of this name, which is written to the directory

A heading of the second level begins anew: other terminals, an empty directory. `<!-- goes on -->` behind it keeps both.
The directory looks like a fresh clone that has been built; `make` is not run again (the tests of CI are `make test`, and
the demo has tests of its own).

Where it is allowed to, it runs in a network namespace of its own, so that the ports that pages name are free.
Ends with 0 if all went well, with 1 and the block's line and output otherwise, with 77 if a port is taken.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

BLOCK_SECONDS = 60
SILENCE_SECONDS = 6
QUIET_SECONDS = 2

# An answer of 4xx or 5xx is not what a page promises.
CURL = """#!/bin/sh
exec {curl} --fail-with-body "$@"
"""

MAKE = """#!/bin/sh
case "$1" in
  build|demo|demo-console|test|bench) exit 0 ;;
  *) echo "no page has said make $1 before" >&2; exit 2 ;;
esac
"""


class Failure(Exception):
    pass


def isolate():
    """A loopback of our own; nothing if that is not allowed."""
    new_network, new_user = 0x40000000, 0x10000000
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_network) != 0 and libc.unshare(new_user | new_network) != 0:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        import fcntl
        up = struct.pack("16sh", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(handle, 0x8914, up.ljust(40, b"\0"))  # SIOCSIFFLAGS


def listening():
    """How many sockets are listened on."""
    count = 0
    for name in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        try:
            lines = open(name).read().splitlines()[1:]
        except OSError:
            continue
        count += sum(line.split()[3] == "0A" for line in lines)
    return count


class Block:
    def __init__(self, line, manner, text, begins):
        self.line, self.manner, self.text, self.begins = line, manner, text, begins


def blocks(page):
    """The command blocks of a page; `begins`: the section is another than that of the block before."""
    found, inside, begins = [], None, True
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if inside is not None:
            if line.startswith("```"):
                if inside[1] is not None:
                    found.append(Block(inside[0], inside[1], "\n".join(inside[2]) + "\n", begins))
                    begins = False
                inside = None
            else:
                inside[2].append(line)
        elif line.startswith("```"):
            words = line[3:].split()
            manner = words[1:] if words[:1] == ["sh"] else None
            if words[:1] == ["yaml"] and len(words) == 2:
                manner = ["file", words[1]]
            inside = (number, manner, [])
        elif line.startswith("## "):
            begins = True
        elif line.strip() == "<!-- goes on -->":
            begins = False
    return found


class Terminal:
    """A shell that goes on from block to block, as a person's does."""

    def __init__(self, directory, environment):
        self.log = tempfile.NamedTemporaryFile(mode="w+", suffix=".log", delete=False)
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=directory, env=environment, stdin=subprocess.PIPE,
            stdout=self.log, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.count = 0

    def output(self):
        return open(self.log.name, errors="replace").read()

    def type(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def run(self, block, directory):
        """Types the block; its commands read nothing from the keyboard."""
        self.count += 1
        script = directory / f".block-{self.count}"
        result = directory / f".result-{self.count}"
        script.write_text(block.text)
        # In this very shell, so that variables stay; a command that fails ends the block and is named.
        self.type(
            f"failed=; set -o pipefail; trap 'failed=\"${{failed:-$BASH_COMMAND}}\"' ERR\n"
            f". {script} < /dev/null; status=$?; trap - ERR\n"
            f"printf '%s\\n%s\\n' \"$status\" \"$failed\" > {result}.new; mv {result}.new {result}\n")
        end = time.monotonic() + BLOCK_SECONDS
        while not result.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"the block has not come to its end\n{self.output()}")
            time.sleep(0.02)
        status, failed = result.read_text().split("\n")[:2]
        if "fails" in block.manner:
            if status == "0":
                raise Failure(f"the last command was to fail\n{self.output()}")
        elif failed or status != "0":
            raise Failure(f"status {status} of: {failed}\n{self.output()}")

    def begin(self, block, directory):
        """Starts the block and waits until it listens, has nothing more to say, or is silent for long."""
        before = listening()
        self.count += 1
        script = directory / f".beside-{id(self)}"
        ended = directory / f".ended-{id(self)}"
        script.write_text(block.text)
        self.type(f". {script} < /dev/null; touch {ended}\n")
        end = time.monotonic() + SILENCE_SECONDS
        said, since = "", time.monotonic()
        # curl shows its progress for ever where nobody looks.
        last = since + 2 * SILENCE_SECONDS
        while time.monotonic() < min(end, last):
            if ended.exists() or self.process.poll() is not None:
                raise Failure(f"it has ended\n{self.output()}")
            if listening() > before:
                self.await_readiness(block, ended)
                return
            now = self.output()
            if now != said:
                said, since = now, time.monotonic()
                end = since + SILENCE_SECONDS
            elif said and time.monotonic() - since > QUIET_SECONDS:
                return
            time.sleep(0.05)

    def await_readiness(self, block, ended):
        """A server listens before it has read its journal; whoever sees its log waits for the line that says so."""
        end = time.monotonic() + BLOCK_SECONDS
        while "carillon serve" in block.text and " is ready on " not in self.output():
            if ended.exists() or time.monotonic() > end:
                raise Failure(f"it does not become ready\n{self.output()}")
            time.sleep(0.05)
        time.sleep(0.3)

    def close(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                continue
        os.unlink(self.log.name)


class Section:
    """A directory like a built clone, and the terminals in it."""

    def __init__(self, options):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="carillon-page-"))
        for name in ("Sources", "Makefile", "README.md", "Journal/Evidence"):
            (self.directory / name).parent.mkdir(exist_ok=True)
            (self.directory / name).symlink_to(options.root / name)
        release = self.directory / ".build" / "release"
        release.mkdir(parents=True)
        (release / "carillon").symlink_to(options.carillon)
        tools = self.directory / ".tools"
        tools.mkdir()
        (tools / "carillon").symlink_to(options.carillon)
        for name, text in (("make", MAKE), ("curl", CURL.format(curl=shutil.which("curl")))):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
        environment["PATH"] = f"{tools}:{pathlib.Path(sys.executable).parent}:{environment['PATH']}"
        environment["PS1"] = ""
        self.environment = environment
        self.terminal = Terminal(self.directory, environment)
        self.beside = []

    def run(self, block):
        if block.manner[:1] == ["file"]:
            (self.directory / block.manner[1]).write_text(block.text)
        elif "beside" in block.manner:
            terminal = Terminal(self.directory, self.environment)
            self.beside.append(terminal)
            terminal.begin(block, self.directory)
        else:
            self.terminal.run(block, self.directory)

    def logs(self):
        return "".join(f"--- beside it:\n{terminal.output()[-3000:]}\n" for terminal in self.beside)

    def close(self):
        for terminal in [self.terminal, *self.beside]:
            terminal.close()
        # What a shell has put into the background is in its session: it is gone with the group.
        shutil.rmtree(self.directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--carillon", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--section", help="only from this heading's line on", type=int, default=0)
    options = parser.parse_args()
    isolate()
    found = [block for block in blocks(options.page) if block.line >= options.section]
    if not found:
        print(f"{options.page} has no command block")
        return 1
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 8080))
        except OSError:
            print("port 8080 is taken")
            return 77
    section = None
    try:
        for block in found:
            if section is None or block.begins:
                if section is not None:
                    section.close()
                section = Section(options)
            try:
                section.run(block)
            except Failure as failure:
                print(f"{options.page}:{block.line}: {failure}\n{section.logs()}")
                return 1
    finally:
        if section is not None:
            section.close()
    print(f"{options.page}: {len(found)} blocks")
    return 0


sys.exit(main())

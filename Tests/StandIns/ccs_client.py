"""An unmodified XMPP client of the end-to-end tests: makes the server's certificate, waits until the server is there, and
becomes the script that is asked for.

The ready line has `authority`, `certificate`, `key` and `spki` of gcm_certificate.py. The first line of standard input is
{"run": SCRIPT, "arguments": [...]}; SCRIPT lies in Tests/EndToEnd/Scripts and says in its head what comes after that.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "EndToEnd" / "Scripts"

parser = argparse.ArgumentParser()
parser.add_argument("--directory", required=True)
directory = parser.parse_args().directory

made = subprocess.run(
    [sys.executable, SCRIPTS / "gcm_certificate.py", directory], check=True, capture_output=True, text=True)
print(json.dumps({"ready": 0} | json.loads(made.stdout)), flush=True)

# Byte by byte: what comes behind the line is the script's.
line = b""
while not line.endswith(b"\n"):
    byte = os.read(0, 1)
    if not byte:
        sys.exit()
    line += byte
command = json.loads(line)
sys.stdout.flush()
os.execv(sys.executable, [sys.executable, "-B", "-u", str(SCRIPTS / command["run"]), *command["arguments"]])

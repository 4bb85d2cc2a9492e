"""One request over TLS, by Python's own client.

Usage: https_look.py PORT PATH [NAME=VALUE ...]

Sends GET PATH with these header fields to 127.0.0.1 and prints one line: {"status", "headers" (names in small letters),
"body", "certificate" (SHA-256 of what the server showed)}. Who signed it is not looked at.
"""

import hashlib
import http.client
import json
import ssl
import sys


def main(port, path, *fields):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", int(port), timeout=20, context=context)
    connection.connect()
    certificate = hashlib.sha256(connection.sock.getpeercert(binary_form=True)).hexdigest()
    connection.request("GET", path, headers=dict(field.split("=", 1) for field in fields))
    response = connection.getresponse()
    body = response.read().decode()
    headers = {name.lower(): value for name, value in response.getheaders()}
    print(json.dumps({"status": response.status, "headers": headers, "body": body, "certificate": certificate}))
    connection.close()


main(*sys.argv[1:])

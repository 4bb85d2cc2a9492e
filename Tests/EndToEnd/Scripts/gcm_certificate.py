"""A private authority and a server's certificate for loopback, made new for one test.

Usage: gcm_certificate.py DIRECTORY [NAME ...]

Writes authority.pem, server.pem (leaf and authority) and server.key there and prints one line: {"authority",
"certificate", "key", "spki"}; `spki` is for Chromium's --ignore-certificate-errors-spki-list. Besides localhost and
127.0.0.1 the certificate has the names that clients insist on whatever address they are sent to: push-receiver checks
mtalk.google.com, the XMPP clients their stream's domain.
"""

import base64
import datetime
import hashlib
import ipaddress
import json
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAMES = ["localhost", "mtalk.google.com", "gcm.googleapis.com", "fcm.googleapis.com"]


def name(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def certificate(subject, key, issuer, issuer_key, *extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject))
        .issuer_name(name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, hashes.SHA256())


def main(directory, *names):
    directory = pathlib.Path(directory)
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    usage = dict.fromkeys(
        ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
         "encipher_only", "decipher_only"], False)
    authority = certificate(
        "Carillon's test authority", authority_key, "Carillon's test authority", authority_key,
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), True),
        (x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), False),
    )
    leaf = certificate(
        "localhost", key, "Carillon's test authority", authority_key,
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), False),
        (x509.SubjectAlternativeName(
            [x509.DNSName(text) for text in [*NAMES, *names]] + [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
         False),
    )
    pem = serialization.Encoding.PEM
    spki = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    files = {
        "authority": authority.public_bytes(pem),
        "certificate": leaf.public_bytes(pem) + authority.public_bytes(pem),
        "key": key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    }
    paths = {"authority": "authority.pem", "certificate": "server.pem", "key": "server.key"}
    for part, data in files.items():
        (directory / paths[part]).write_bytes(data)
    print(json.dumps({part: str(directory / file) for part, file in paths.items()}
                     | {"spki": base64.b64encode(hashlib.sha256(spki).digest()).decode()}))


if __name__ == "__main__":
    main(*sys.argv[1:])

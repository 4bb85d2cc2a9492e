"""Shows the samples of Sources/Push/WebhookSamples webhooks that somebody else's library has signed, and forged ones.

The sample in Swift, which needs swift-crypto, stands among its tests: Tests/Push/PushProvidersTests/Webhooks.
"""

import base64
import datetime
import pathlib
import subprocess
import sys
import tempfile

from standardwebhooks import Webhook

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "Sources/Push/WebhookSamples"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"somebody else's secret").decode()
BODY = '{"message":"größer \\u0000","serviceId":"1-2"}\n'
SECONDS = 120


def commands(folder):
    """How each is called; what has to be built is."""
    go = folder / "verify_webhook"
    subprocess.run(["go", "build", "-o", str(go), str(SAMPLES / "verify_webhook.go")], check=True, timeout=SECONDS)
    subprocess.run(["javac", "-encoding", "UTF-8", "-d", str(folder), str(SAMPLES / "VerifyWebhook.java")],
                   check=True, timeout=SECONDS)
    return {
        "Go": [str(go)],
        "Java": ["java", "-cp", str(folder), "VerifyWebhook"],
        "JavaScript": ["node", str(SAMPLES / "verify_webhook.mjs")],
        "Python": [sys.executable, str(SAMPLES / "verify_webhook.py")],
    }


def cases():
    """What is shown, and whether it is genuine: id, time, signatures, body."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def signed(secret, moment=now, text=BODY):
        return Webhook(secret).sign("msg_1", moment, text)

    def seconds(moment):
        return str(int(moment.timestamp()))

    early, late = (now + datetime.timedelta(seconds=distance) for distance in (-3_600, 3_600))
    good = signed(SECRET)
    return {
        "genuine": (("msg_1", seconds(now), good, BODY), True),
        "while the secret is changed": (("msg_1", seconds(now), f"{signed(OTHER)} {good}", BODY), True),
        "beside a signature of another kind": (("msg_1", seconds(now), f"v1a,AAAA {good}", BODY), True),
        "without a body": (("msg_1", seconds(now), signed(SECRET, text=""), ""), True),
        "another body": (("msg_1", seconds(now), good, BODY + " "), False),
        "another id": (("msg_2", seconds(now), good, BODY), False),
        "another time": (("msg_1", str(int(now.timestamp()) - 1), good, BODY), False),
        "another secret": (("msg_1", seconds(now), signed(OTHER), BODY), False),
        "too old": (("msg_1", seconds(early), signed(SECRET, early), BODY), False),
        "of the future": (("msg_1", seconds(late), signed(SECRET, late), BODY), False),
        "no time": (("msg_1", "now", good, BODY), False),
        "a time without an end": (("msg_1", "9" * 400, good, BODY), False),
        "no signature": (("msg_1", seconds(now), "", BODY), False),
        "a signature of another version": (("msg_1", seconds(now), good.replace("v1,", "v2,"), BODY), False),
        "the beginning of a signature": (("msg_1", seconds(now), good[:20], BODY), False),
    }


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for language, command in commands(pathlib.Path(folder)).items():
            for name, ((identifier, moment, signatures, body), expected) in cases().items():
                done = subprocess.run([*command, SECRET, identifier, moment, signatures], input=body.encode(),
                                      capture_output=True, timeout=SECONDS)
                said = done.stdout.decode().strip()
                if (done.returncode, said) != ((0, "genuine") if expected else (1, "not genuine")):
                    failed += 1
                    print(f"{language}, {name}: {done.returncode} {said} {done.stderr.decode()[-500:]}")
            print(f"{language}: {len(cases())} webhooks")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""An unmodified Chromium as a device: chrome.gcm, chrome.instanceID and Web Push, driven by the DevTools protocol.

Usage: chromium_gcm.py --server URL --mcs HOST:PORT --ca FILE [--chromium PROGRAM] [--headful yes] [--log FILE]

Prints {"ready": true, "extension": ID}, then what the browser is told by its events:
  {"message": {"data", "from"?, "collapseKey"?}} {"messagesDeleted": true} {"sendError": {...}} {"push": TEXT} …
and an answer to each command, a JSON line on standard input; {"failed": TEXT} is one too:
  {"do": "register", "senders": [ID, …]}                   {"registered": TOKEN}
  {"do": "unregister"}                                     {"unregistered": true}
  {"do": "token", "sender": ID, "scope"?: "GCM"}           {"token": TOKEN}
  {"do": "deleteToken", "sender": ID, "scope"?: "GCM"}     {"deleted": true}
  {"do": "instance"}                                       {"instance": ID}
  {"do": "deleteInstance"}                                 {"deleted": true}
  {"do": "send", "to": SENDER, "id": ID, "data": {…}, "ttl"?: SECONDS}     {"sent": ID}
  {"do": "subscribe", "key": VAPID PUBLIC KEY}             {"subscription": {"endpoint", "keys"}}
  {"do": "unsubscribe"}                                    {"unsubscribed": true}
  {"do": "stop"} {"do": "kill"}                            {"stopped": true}   the profile stays
  {"do": "start"}                                          {"started": true}
Ends when standard input does, and takes the profile with it.
"""

import asyncio
import base64
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

sys.dont_write_bytecode = True  # no __pycache__ among the sources
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Scripts"))

from json_lines import address, arguments, commands_async, say

import aiohttp
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import serialization

EXTENSION = "lbpjficefihdagnaobpemfjghibnfidd"  # follows from the key in the manifest
START_SECONDS = 30
STOP_SECONDS = 10
COMMAND_SECONDS = 60  # the browser tries a registration again and again for longer


class Failed(Exception):
    pass


def key_hash(at, authority):
    """What --ignore-certificate-errors-spki-list wants, of a server whose certificate has passed the check here."""
    pem = ssl.get_server_certificate(at, ca_certs=authority)
    key = x509.load_pem_x509_certificate(pem.encode()).public_key()
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


class Browser:
    """Chromium with its DevTools connection, as often as it is started; `sessions` are attached targets by URL."""

    def __init__(self, options, profile, page):
        self.options = options
        self.profile = profile
        self.page = page
        self.process = self.client = self.reading = None

    def command_line(self):
        server = urlsplit(self.options.server)
        hosts = [(server.hostname, server.port), address(self.options.mcs)]
        keys = ",".join(dict.fromkeys(key_hash(at, self.options.ca) for at in hosts))
        return [
            self.options.chromium,
            f"--user-data-dir={self.profile}",
            "--remote-debugging-port=0",
            f"--load-extension={HERE / 'extension'}",
            f"--gcm-checkin-url={self.options.server}/checkin",
            f"--gcm-registration-url={self.options.server}/c2dm/register3",
            f"--gcm-mcs-endpoint=https://{self.options.mcs}",
            # Chromium on Linux asks NSS for private authorities; this is what needs no certutil and no other HOME.
            f"--ignore-certificate-errors-spki-list={keys}",
            # Nothing but loopback: no other service of Google may answer, or be waited for.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-component-update",
            "--disable-sync",
            "--disable-gpu",
            "--password-store=basic",
            *([] if self.options.headful else ["--headless=new"]),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
            *(["--enable-logging=stderr", "--vmodule=*gcm*=1,*mcs*=1,connection_*=1"] if self.options.log else []),
            "about:blank",
        ]

    async def start(self):
        self.numbers = itertools.count(1)
        self.answers, self.sessions = {}, {}
        self.attached = asyncio.Event()
        port_file = self.profile / "DevToolsActivePort"
        port_file.unlink(missing_ok=True)
        with open(self.options.log or os.devnull, "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.command_line(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        async with asyncio.timeout(START_SECONDS):
            while not port_file.exists() or port_file.read_text().count("\n") == 0:
                if self.process.returncode is not None:
                    raise Failed(f"{self.options.chromium} ended with {self.process.returncode}")
                await asyncio.sleep(0.05)
            port, path = port_file.read_text().split("\n")[:2]
            self.client = aiohttp.ClientSession()
            self.socket = await self.client.ws_connect(f"ws://127.0.0.1:{port}{path}", max_msg_size=0)
            self.reading = asyncio.create_task(self.read())
            await self.call("Browser.grantPermissions", origin=self.page, permissions=["notifications"])
            await self.call("Target.setDiscoverTargets", discover=True)
            await self.session(f"chrome-extension://{EXTENSION}/")
            await self.call("Target.createTarget", url=self.page + "/index.html")
            # The tab can be talked to before its document is there.
            while not await self.evaluate(self.page + "/index.html", "typeof subscribe == 'function'"):
                await asyncio.sleep(0.05)

    async def end(self, kill=False):
        if self.process and self.process.returncode is None:
            if not kill:
                self.process.terminate()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.process.wait(), STOP_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
        if self.reading:
            self.reading.cancel()
        if self.client:
            await self.client.close()

    async def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        answer = self.answers[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": parameters}
        await self.socket.send_json(message | ({"sessionId": session} if session else {}))
        return await answer

    async def read(self):
        attaching = set()
        async for text in self.socket:
            message = json.loads(text.data)
            if "id" in message:
                answer = self.answers.pop(message["id"])
                if "error" in message:
                    answer.set_exception(Failed(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])
            elif message["method"] in ("Target.targetCreated", "Target.targetInfoChanged"):
                target = message["params"]["targetInfo"]
                ours = target["url"].startswith((f"chrome-extension://{EXTENSION}/", self.page))
                if ours and target["targetId"] not in attaching:
                    attaching.add(target["targetId"])
                    asyncio.create_task(self.attach(target))
            elif message["method"] == "Runtime.consoleAPICalled":
                self.told(message["params"]["args"])
            elif message["method"] == "Target.detachedFromTarget":
                gone = message["params"]["sessionId"]
                self.sessions = {url: session for url, session in self.sessions.items() if session != gone}

    async def attach(self, target):
        session = (await self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True))["sessionId"]
        self.sessions[target["url"]] = session
        await self.call("Runtime.enable", session)
        self.attached.set()

    def told(self, values):
        try:
            say(**json.loads(values[0]["value"]))
        except (IndexError, KeyError, TypeError, ValueError):
            print("console:", values, file=sys.stderr)

    async def session(self, start):
        """The session of a target whose URL starts so; waits for it."""
        async with asyncio.timeout(START_SECONDS):
            while True:
                for url, session in self.sessions.items():
                    if url.startswith(start):
                        return session
                self.attached.clear()
                await self.attached.wait()

    async def evaluate(self, where, expression):
        result = await self.call(
            "Runtime.evaluate", await self.session(where), expression=expression,
            awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failed(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    async def extension(self, function, *values):
        given = ", ".join(json.dumps(value) for value in values)
        return await self.evaluate(f"chrome-extension://{EXTENSION}/", f"chrome.{function}({given})")

    async def on_page(self, function, *values):
        given = ", ".join(json.dumps(value) for value in values)
        return await self.evaluate(self.page + "/index.html", f"{function}({given})")

    async def do(self, command):
        what = command.pop("do")
        sender = {"authorizedEntity": command.get("sender"), "scope": command.get("scope", "GCM")}
        match what:
            case "register":
                return {"registered": await self.extension("gcm.register", command["senders"])}
            case "unregister":
                await self.extension("gcm.unregister")
                return {"unregistered": True}
            case "token":
                return {"token": await self.extension("instanceID.getToken", sender)}
            case "deleteToken":
                await self.extension("instanceID.deleteToken", sender)
                return {"deleted": True}
            case "instance":
                return {"instance": await self.extension("instanceID.getID")}
            case "deleteInstance":
                await self.extension("instanceID.deleteID")
                return {"deleted": True}
            case "send":
                message = {"destinationId": command["to"], "messageId": command["id"], "data": command["data"]}
                message |= {"timeToLive": command["ttl"]} if "ttl" in command else {}
                return {"sent": await self.extension("gcm.send", message)}
            case "subscribe":
                return {"subscription": await self.on_page("subscribe", command["key"])}
            case "unsubscribe":
                return {"unsubscribed": await self.on_page("unsubscribe")}
        raise Failed(f"unknown command {what}")


async def serve_page():
    """The page of the Web Push subscription; localhost is a secure context without TLS."""
    application = web.Application()
    application.router.add_static("/", HERE / "page")
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "localhost", 0).start()
    return f"http://localhost:{runner.addresses[0][1]}"


async def obey(browser):
    await browser.start()
    say(ready=True, extension=EXTENSION)
    async for command in commands_async():
        try:
            match command["do"]:
                case "stop" | "kill" as how:
                    await browser.end(kill=how == "kill")
                    say(stopped=True)
                case "start":
                    await browser.start()
                    say(started=True)
                case _:
                    async with asyncio.timeout(COMMAND_SECONDS):
                        say(**await browser.do(command))
        except (Failed, TimeoutError) as failure:
            say(failed=str(failure) or "no answer in time")


async def main(options):
    profile = pathlib.Path(tempfile.mkdtemp(prefix="chromium-gcm-"))
    browser = Browser(options, profile, await serve_page())
    obeying = asyncio.create_task(obey(browser))
    # A test ends its scripts by the end of their input and SIGTERM, both at once; the browser has to go in any case.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, obeying.cancel)
    try:
        await obeying
    except asyncio.CancelledError:
        pass
    finally:
        await browser.end()
        shutil.rmtree(profile, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main(arguments(__doc__, "server", "mcs", chromium="chromium", headful="", log="")))

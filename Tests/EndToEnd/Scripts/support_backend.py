"""A customer's own back end for push notifications of support requests, written from Zendesk's page "Handling push
notifications (Webhook API)" alone: it takes the POST, hands each device to its push service with the ticket's id for
the deep link, and tells the server of the devices that Apple says are gone.

Usage: support_backend.py --apns URL --apns-key FILE --apns-key-id ID --apns-team ID --apns-topic TOPIC
         --fcm URL --fcm-project NAME --fcm-account FILE --unregister URL --email WHO --token API_TOKEN
         --push-ca FILE --fcm-ca FILE

The page leaves one thing to us: "a callback URL that's not guessable". Tells by JSON lines:
  {"ready": PORT, "path": PATH}     where the server is to POST to
  {"call": BODY, "headers": {…}}    a POST, just as it came
  {"pushed": TYPE, "identifier": ID, "status": STATUS, "payload": {…}}   what a push service said
  {"unregistered": [ID, …], "status": STATUS, "answer": TEXT}            what the server said to the bulk unregister
Ends with its standard input.
"""

from json_lines import arguments, commands_async, say

import asyncio
import json
import secrets
import ssl
import time
import uuid

import aiohttp
import httpx
import jwt
from aiohttp import web

OPTIONS = arguments(
    __doc__, "apns", "apns-key", "apns-key-id", "apns-team", "apns-topic", "push-ca", "fcm", "fcm-project",
    "fcm-account", "fcm-ca", "unregister", "email", "token")
PATH = "/" + secrets.token_urlsafe(24)


class Apple:
    """HTTP/2 with a provider token."""

    def __init__(self):
        with open(OPTIONS.apns_key) as file:
            key = file.read()
        token = jwt.encode(
            {"iss": OPTIONS.apns_team, "iat": int(time.time())}, key, algorithm="ES256",
            headers={"kid": OPTIONS.apns_key_id, "typ": None})
        self.headers = {
            "authorization": f"bearer {token}", "apns-topic": OPTIONS.apns_topic, "apns-push-type": "alert",
            "apns-priority": "10"}
        context = ssl.create_default_context(cafile=OPTIONS.push_ca)
        self.client = httpx.AsyncClient(http2=True, http1=False, verify=context)

    async def push(self, identifier, notification):
        payload = {
            "aps": {"alert": {"title": notification["title"], "body": notification["body"]}},
            "zendesk_sdk_request_id": notification["ticket_id"],
        }
        headers = self.headers | {"apns-id": str(uuid.uuid4()), "apns-expiration": str(int(time.time()) + 3600)}
        response = await self.client.post(
            f"{OPTIONS.apns}/3/device/{identifier}", headers=headers, content=json.dumps(payload).encode())
        return response.status_code, payload


class Google:
    """HTTP v1 with a service account."""

    def __init__(self):
        with open(OPTIONS.fcm_account) as file:
            self.account = json.load(file)
        self.client = httpx.AsyncClient(verify=ssl.create_default_context(cafile=OPTIONS.fcm_ca))
        self.token = None

    async def authorization(self):
        if self.token is None:
            now = int(time.time())
            claims = {
                "iss": self.account["client_email"], "scope": "https://www.googleapis.com/auth/firebase.messaging",
                "aud": f"{OPTIONS.fcm}/token", "iat": now, "exp": now + 3600}
            assertion = jwt.encode(
                claims, self.account["private_key"], algorithm="RS256",
                headers={"kid": self.account["private_key_id"]})
            form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion}
            self.token = (await self.client.post(f"{OPTIONS.fcm}/token", data=form)).json()["access_token"]
        return f"Bearer {self.token}"

    async def push(self, identifier, notification):
        data = {
            "zendesk_sdk_request_id": notification["ticket_id"], "title": notification["title"],
            "body": notification["body"]}
        message = {"message": {"token": identifier, "data": data, "android": {"priority": "HIGH"}}}
        response = await self.client.post(
            f"{OPTIONS.fcm}/v1/projects/{OPTIONS.fcm_project}/messages:send",
            headers={
                "authorization": await self.authorization(), "content-type": "application/json; charset=utf-8"},
            content=json.dumps(message).encode())
        return response.status_code, data


class BackEnd:
    def __init__(self):
        self.services = {"ios": Apple(), "android": Google()}
        self.work = asyncio.Queue()

    async def received(self, request):
        body = await request.text()
        say(call=body, headers={name.lower(): value for name, value in request.headers.items()})
        # The rest is done behind the answer: whoever calls need not wait for Apple.
        self.work.put_nowait(json.loads(body))
        return web.Response(status=200)

    async def run(self):
        while True:
            body = await self.work.get()
            gone = []
            for device in body["devices"]:
                status, payload = await self.services[device["type"]].push(device["identifier"], body["notification"])
                say(pushed=device["type"], identifier=device["identifier"], status=status, payload=payload)
                # Gone at Apple, unregistered at Google.
                if (device["type"], status) in [("ios", 410), ("android", 404)]:
                    gone.append(device["identifier"])
            if gone:
                await self.unregister(gone)

    async def unregister(self, identifiers):
        """The Push Notification Devices API, "Bulk Unregister Push Notification Devices"."""
        headers = {"authorization": aiohttp.encode_basic_auth(f"{OPTIONS.email}/token", OPTIONS.token)}
        async with aiohttp.ClientSession(headers=headers) as session:
            async with session.post(OPTIONS.unregister, json={"push_notification_devices": identifiers}) as response:
                say(unregistered=identifiers, status=response.status, answer=await response.text())


async def main():
    backend = BackEnd()
    application = web.Application()
    application.router.add_post(PATH, backend.received)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    say(ready=runner.addresses[0][1], path=PATH)
    working = asyncio.create_task(backend.run())
    reading = asyncio.create_task(until_told())
    # An error ends the script; the end of its input does, too.
    done, _ = await asyncio.wait([working, reading], return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    await runner.cleanup()


async def until_told():
    async for _ in commands_async():
        pass


asyncio.run(main())

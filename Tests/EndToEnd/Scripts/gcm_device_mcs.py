"""A device that does what it is told, and shows everything: for what the libraries' devices hide, and for kill tests.

Usage: gcm_device_mcs.py --server URL --mcs HOST:PORT --credentials FILE [--ca FILE] [--app PACKAGE] [--sender ID[,ID]]
         [--ack none|stream|selective] [--list yes|no] [--heartbeat MS] [--reconnect SECONDS] [--login yes|no]

Without --ca the MCS connection is plain TCP. Prints {"token": TOKEN}, {"login": {…}}, {"message": {…}} (with "again"
if it has had that id before), {"ping"} {"pong"} {"iq"} {"close"} {"streamError"} with their fields, {"closed": REASON};
{"confirmed": [ID, …]} when the server has confirmed acknowledgements, {"taken": [ID, …]} upstream messages.
Commands, JSON lines on standard input:
  {"do": "register", "app", "sender", "subtype"?, "form"?: {…}}   {"registered": ANSWER}; the form's fields are added
  {"do": "login"}   {"do": "disconnect"}
  {"do": "selectiveAck", "ids": [ID, …]}   {"do": "streamAck"}   {"do": "ping"}
  {"do": "idle", "on": BOOL}               tells the server as Android does
  {"do": "send", "to", "id", "data": {…}, "category"?, "ttl"?}   upstream; the server's confirmation is in what it sends
  {"do": "bytes", "hex": TEXT}             as they are
FILE keeps the identity, the tokens, and the ids received; a login lists those whose acknowledgement the server has not
confirmed, with `--list no` none.
It may be killed at any time.
"""

import asyncio
import base64
import json
import pathlib
import ssl
import time

from json_lines import address, arguments, commands_async, say

options = arguments(
    __doc__, "server", "mcs", "credentials", app="org.example.app", sender="1234567890", ack="selective",
    list="yes", heartbeat="0", reconnect="0", login="yes")

import aiohttp
import mcs_messages as mcs
from google.protobuf.json_format import MessageToDict

UNACKNOWLEDGED_LIMIT = 10  # then a device sends a stream ack, whatever else it does
IDLE_CATEGORY = "com.google.android.gsf.gtalkservice"


class Disk:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.state = {"device": None, "tokens": {}, "received": [], "unconfirmed": []}
        if self.path.exists():
            self.state = json.loads(self.path.read_text())
        self.received = set(self.state["received"])

    def write(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state))
        new.replace(self.path)

    def receive(self, identifier):
        """Notes a message before anybody is told of it; whether it is new."""
        if identifier in self.received:
            return False
        self.received.add(identifier)
        self.state["received"].append(identifier)
        self.state["unconfirmed"].append(identifier)
        self.write()
        return True

    def confirm(self, identifiers):
        self.state["unconfirmed"] = [one for one in self.state["unconfirmed"] if one not in identifiers]
        self.write()


class Device:
    def __init__(self, http):
        self.http = http
        self.disk = Disk(options.credentials)
        self.writer = None

    async def check_in(self):
        known = self.disk.state["device"]
        request = mcs.CheckinRequest(version=3, user_serial_number=0)
        request.checkin.type = 3
        request.checkin.chrome_build.version = "156.0.0.0"
        if known:
            request.id, request.security_token = known
        async with self.http.post(
            options.server + "/checkin", data=request.SerializeToString(),
            headers={"Content-Type": "application/x-protobuf"}) as answer:
            body = await answer.read()
            if answer.status != 200:
                raise RuntimeError(f"check-in: status {answer.status}")
        response = mcs.CheckinResponse.FromString(body)
        self.disk.state["device"] = [response.android_id, response.security_token]
        self.disk.write()
        say(checkin={one.name.decode(): one.value.decode() for one in response.setting}, id=str(response.android_id))

    async def register(self, app, sender, subtype=None, form=None):
        identity, secret = self.disk.state["device"]
        fields = {"app": app, "device": str(identity), "sender": sender}
        fields |= ({"X-subtype": subtype} if subtype else {}) | (form or {})
        async with self.http.post(
            options.server + "/c2dm/register3", data=fields,
            headers={"Authorization": f"AidLogin {identity}:{secret}"}) as answer:
            return await answer.text()

    async def token(self):
        """The token of --app and --sender, got once."""
        key = f"{options.app} {options.sender}"
        if key not in self.disk.state["tokens"]:
            answer = await self.register(options.app, options.sender)
            if not answer.startswith("token="):
                raise RuntimeError(f"register: {answer}")
            self.disk.state["tokens"][key] = answer.removeprefix("token=").strip()
            self.disk.write()
        return self.disk.state["tokens"][key]

    async def log_in(self):
        tls = ssl.create_default_context() if options.ca else None
        self.reader, self.writer = await asyncio.open_connection(*address(options.mcs), ssl=tls)
        self.taken = self.reported = 0
        self.sent = 1  # the login
        self.unacknowledged, self.unconfirmed = [], []
        identity, secret = self.disk.state["device"]
        login = mcs.LoginRequest(
            id="chrome-156.0.0.0", domain="mcs.android.com", user=str(identity), resource=str(identity),
            auth_token=str(secret), device_id=f"android-{identity:x}", use_rmq2=True, auth_service=2,
            adaptive_heartbeat=False, network_type=1)
        login.setting.add(name="new_vc", value="1")
        if options.list == "yes":
            login.received_persistent_id.extend(self.disk.state["unconfirmed"])
        if interval := int(options.heartbeat):
            login.heartbeat_stat.ip, login.heartbeat_stat.timeout, login.heartbeat_stat.interval_ms = "", True, interval
        self.writer.write(bytes([mcs.VERSION]) + mcs.frame(login))
        return asyncio.create_task(self.listen(list(login.received_persistent_id)))

    async def listen(self, listed):
        try:
            version = (await self.reader.readexactly(1))[0]
            if version != mcs.VERSION:
                raise ValueError(f"version {version}")
            while True:
                self.take(await mcs.read(self.reader), listed)
        except asyncio.CancelledError:
            raise
        except asyncio.IncompleteReadError:
            say(closed="by the server")
        except Exception as error:
            say(closed=f"{type(error).__name__}: {error}")
        self.disconnect()

    def disconnect(self):
        if self.writer:
            self.writer.transport.abort()
            self.writer = None

    def take(self, message, listed):
        self.taken += 1
        self.confirm(getattr(message, "last_stream_id_received", 0))
        match message.DESCRIPTOR.name:
            case "LoginResponse":
                if not message.error.code:
                    self.disk.confirm(set(listed))
                say(login=MessageToDict(message))
            case "DataMessageStanza":
                self.take_data(message)
            case "HeartbeatPing":
                say(ping=MessageToDict(message))
                self.write(mcs.HeartbeatAck())
            case "HeartbeatAck":
                say(pong=MessageToDict(message))
            case "IqStanza":
                fields = MessageToDict(message)
                if message.extension.id == mcs.SELECTIVE_ACK:
                    fields["ids"] = list(mcs.SelectiveAck.FromString(message.extension.data).id)
                say(iq=fields)
            case "Close":
                say(close=True)
            case "StreamErrorStanza":
                say(streamError=MessageToDict(message))

    def confirm(self, number):
        """The server is done with what this device has sent up to here: acknowledgements are on its disk."""
        done = [one for one in self.unconfirmed if one[0] <= number]
        self.unconfirmed = self.unconfirmed[len(done):]
        if confirmed := [identifier for _, acknowledged, _ in done for identifier in acknowledged]:
            self.disk.confirm(set(confirmed))
            say(confirmed=confirmed)
        if taken := [upstream for _, _, upstream in done if upstream]:
            say(taken=taken)

    def take_data(self, stanza):
        fields = MessageToDict(stanza)
        fields["data"] = {one.key: one.value for one in stanza.app_data}
        fields.pop("appData", None)
        if stanza.raw_data:
            fields["rawData"] = base64.b64encode(stanza.raw_data).decode()
        if stanza.persistent_id and not self.disk.receive(stanza.persistent_id):
            fields["again"] = True
        if stanza.persistent_id:
            self.unacknowledged.append(stanza.persistent_id)
        say(message=fields | {"number": self.taken})
        if options.ack == "selective" and stanza.persistent_id:
            self.selective_ack([stanza.persistent_id])
        elif options.ack == "stream" and (stanza.immediate_ack or self.taken - self.reported >= UNACKNOWLEDGED_LIMIT):
            self.stream_ack()

    def write(self, message, acknowledged=(), upstream=None):
        """Whatever goes out acknowledges what came in, unless this device is one that never does."""
        if options.ack == "stream" and self.reported != self.taken:
            message.last_stream_id_received = self.reported = self.taken
            acknowledged, self.unacknowledged = self.unacknowledged, []
        self.sent += 1
        self.unconfirmed.append((self.sent, acknowledged, upstream))
        self.writer.write(mcs.frame(message))

    def selective_ack(self, identifiers):
        stanza = mcs.IqStanza(type=1, id="")
        stanza.extension.id = mcs.SELECTIVE_ACK
        stanza.extension.data = mcs.SelectiveAck(id=identifiers).SerializeToString()
        self.unacknowledged = [one for one in self.unacknowledged if one not in identifiers]
        self.write(stanza, identifiers)

    def stream_ack(self):
        stanza = mcs.IqStanza(type=1, id="", last_stream_id_received=self.taken)
        self.reported = self.taken
        stanza.extension.id, stanza.extension.data = mcs.STREAM_ACK, b""
        acknowledged, self.unacknowledged = self.unacknowledged, []
        self.write(stanza, acknowledged)

    def send(self, to, identifier, category, data, ttl):
        stanza = mcs.DataMessageStanza(
            id=identifier, persistent_id=identifier, to=to, category=category, sent=int(time.time() * 1000), ttl=ttl,
            **{"from": "gcm@android.com"})
        for key, value in data.items():
            stanza.app_data.add(key=key, value=value)
        self.write(stanza, upstream=identifier)

    def idle(self, on):
        stanza = mcs.DataMessageStanza(category=IDLE_CATEGORY, status=int(on), **{"from": "gcm@android.com"})
        stanza.app_data.add(key="IdleNotification", value="true" if on else "false")
        self.write(stanza)

    async def do(self, command):
        what = command.pop("do")
        if what == "register":
            say(registered=await self.register(**command))
        elif what == "login":
            self.listening = await self.log_in()
        elif not self.writer:
            say(failed="not connected")
        elif what == "disconnect":
            self.disconnect()
        elif what == "selectiveAck":
            self.selective_ack(command["ids"])
        elif what == "streamAck":
            self.stream_ack()
        elif what == "ping":
            self.write(mcs.HeartbeatPing())
        elif what == "idle":
            self.idle(command["on"])
        elif what == "send":
            category = command.get("category", options.app)
            self.send(command["to"], command["id"], category, command["data"], command.get("ttl", 86_400))
        elif what == "bytes":
            self.writer.write(bytes.fromhex(command["hex"]))
        else:
            say(failed=f"unknown command {what}")

    async def stay(self):
        """Logged in for ever, across restarts of the server."""
        while True:
            try:
                await (await self.log_in())
            except OSError as error:
                say(closed=f"{type(error).__name__}")
            await asyncio.sleep(float(options.reconnect))


async def main():
    async with aiohttp.ClientSession() as http:
        device = Device(http)
        await device.check_in()
        say(token=await device.token())
        if float(options.reconnect):
            device.staying = asyncio.create_task(device.stay())
        elif options.login == "yes":
            device.listening = await device.log_in()
        async for command in commands_async():
            await device.do(command)
        device.disconnect()


asyncio.run(main())

"""Agents, app servers, callbacks and webhooks."""

import asyncio
import threading
import unittest

import common
import server as console
from carillon import (AsyncAgentClient, AsyncCallbacks, AsyncSender, Callbacks, InvalidArgument, InvalidSignature,
                      Refused, Sender, WebhookVerifier, message)


class Agents(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.server = common.shared()
        self.url = common.url(self.server)

    def chat(self):
        asked = console.request(self.server.port, "POST", "/genesys/1/service/request-chat").json["_id"]
        path = f"/genesys/1/service/{asked}/ixn/chat"
        return console.request(self.server.port, "POST", path, form={"firstName": "Mia"}).json["chatSessionId"]

    def test_an_agent_for_threads(self):
        with common.agent(self.server) as agent:
            events, session = [], self.chat()
            reading = threading.Thread(target=self.read, args=(agent, session, events), daemon=True)
            agent.join(session, "Anna")
            reading.start()
            self.assertIn(session, [chat["chatId"] for chat in agent.chats("own")])
            console.until(
                lambda: agent.send(session, "Good morning") and events, "an event of the stream", common.SECONDS)
            agent.typing(session, True)
            agent.notice(session, "looks it up")
            agent.push_url(session, "https://shop.example/82")
            self.assertIn("Good morning", [line["text"] for line in agent.transcript(session)])
            with self.assertRaises(Refused) as refusal:
                agent.send("nobody", "Hello")
            self.assertEqual(refusal.exception.status, 404)
            agent.end(session)
            reading.join(common.SECONDS)
            self.assertEqual(events[-1].name, "ended")
        with self.assertRaises(Refused) as refusal:
            next(common.AgentClient(self.url, "car_wrong").events())
        self.assertEqual(refusal.exception.status, 401)

    @staticmethod
    def read(agent, session, events):
        for event in agent.events():
            if event.data.get("chatId") == session:
                events.append(event)
                if event.name == "ended":
                    return

    async def test_an_agents_stream_goes_on_behind_a_kill(self):
        session = await asyncio.to_thread(self.chat)
        async with AsyncAgentClient(self.url, self.server.tokens["anna"], timeout=common.SECONDS) as agent:
            heard, streamed = {}, set()

            async def read():
                async for event in agent.events():
                    lines = [event.data] if event.name == "line" and event.data.get("chatId") == session else []
                    if event.name == "reset":
                        # What is not in the stream any more stands in the transcript.
                        lines = await agent.transcript(session, after=max(heard, default=0))
                    elif lines:
                        # What the transcript has shown may come by the stream once more, the stream's own may not.
                        self.assertNotIn(event.data["position"], streamed)
                        streamed.add(event.data["position"])
                    for line in lines:
                        heard[line["position"]] = line["text"]
            reading = asyncio.create_task(read())
            await agent.join(session, "Anna")
            await agent.send(session, "before")
            await common.until(lambda: "before" in heard.values(), "before")
            self.server.kill()
            await asyncio.to_thread(self.server.start)
            await agent.send(session, "behind")
            await common.until(lambda: "behind" in heard.values() or reading.done(), "behind")
            self.assertFalse(reading.done())
            reading.cancel()
            texts = [line["text"] for line in await agent.transcript(session) if line["position"] in heard]
            self.assertEqual(list(heard.values()), texts)
            self.assertEqual([text for text in texts if text in ("before", "behind")], ["before", "behind"])
            await agent.end(session)


class Sending(unittest.IsolatedAsyncioTestCase):
    async def test_messages_reach_devices(self):
        server = common.shared()
        url = common.url(server)
        identity = console.request(server.port, "POST", "/device/1/checkin", {}).json
        login = {"Authorization": f"AidLogin {identity['id']}:{identity['securityToken']}"}
        token = console.request(server.port, "POST", "/device/1/register",
                                {"app": "com.example.app", "senders": ["1234567890"]}, login).json["token"]
        with Sender(url, server.tokens["shop"], timeout=common.SECONDS) as sender:
            name = sender.send(message(
                token=token, data={"score": "5x1"}, ttl=60, high_priority=True, collapse_key="s"))
            self.assertRegex(name, "^projects/carillon/messages/.")
            sender.subscribe(token, "news")
            sender.send(message(topic="news", title="Hi", body="It works"))
            sender.send(message(condition="'news' in topics && !('x' in topics)", data={"a": "b"}), dry_run=True)
            sender.unsubscribe(token, "news")
            with self.assertRaises(Refused) as refusal:
                sender.send(message(token="no token", data={}))
            self.assertEqual(refusal.exception.status, 400)
        async with AsyncSender(url, "wrong", timeout=common.SECONDS) as sender:
            with self.assertRaises(Refused) as refusal:
                await sender.send(message(token=token))
            self.assertEqual(refusal.exception.status, 401)


class CustomersCallbacks(unittest.IsolatedAsyncioTestCase):
    async def test_one_is_ordered_moved_and_cancelled(self):
        url = common.url(common.shared())
        callbacks = Callbacks(url, "python-user", timeout=common.SECONDS)
        slots = list(callbacks.availability("callback-voice", 2, 4))
        self.assertEqual(len(slots), 4)
        ordered = callbacks.order("callback-voice", "+49301234", {"_desired_time": slots[3]})["_id"]
        self.assertEqual(callbacks.show("callback-voice", ordered)["_callback_state"], "SCHEDULED")
        callbacks.change("callback-voice", ordered, {"_new_desired_time": slots[1]})
        self.assertEqual([found["_id"] for found in callbacks.find("callback-voice", _id=ordered)], [ordered])
        others = AsyncCallbacks(url, "somebody-else", timeout=common.SECONDS)
        with self.assertRaises(Refused) as refusal:
            await others.show("callback-voice", ordered)
        self.assertEqual(refusal.exception.status, 404)
        self.assertEqual(callbacks.act(ordered, "get-dialog-user-confirmation")["_action"], "DisplayMenu")
        callbacks.cancel("callback-voice", ordered)
        self.assertEqual(callbacks.show("callback-voice", ordered)["_callback_state"], "COMPLETED")
        callbacks.close()
        await others.close()


class Webhooks(unittest.TestCase):
    # The example of the Standard Webhooks' specification and libraries.
    SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    HEADERS = {"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
               "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
    BODY = b'{"test": 2432232314}'

    def test_a_signature_of_the_specification(self):
        for headers in (self.HEADERS, {name.upper(): value for name, value in self.HEADERS.items()}):
            found = WebhookVerifier(self.SECRET).verify(headers, self.BODY, now=1614265330)
            self.assertEqual(found, self.HEADERS["webhook-id"])

    def test_what_is_not_genuine(self):
        verifier = WebhookVerifier(self.SECRET)
        for change, body, now in (
                ({"webhook-id": "other"}, self.BODY, 1614265330), ({}, self.BODY + b" ", 1614265330),
                ({"webhook-signature": ""}, self.BODY, 1614265330), ({}, self.BODY, 1614265330 + 301),
                ({}, self.BODY, 1614265330 - 301), ({"webhook-timestamp": "x"}, self.BODY, 1614265330),
                ({"webhook-timestamp": "٣"}, self.BODY, 1614265330),
                ({"webhook-signature": "v1,\udcff v1a,x"}, self.BODY, 1614265330)):
            with self.subTest(change=change, body=body, now=now), self.assertRaises(InvalidSignature):
                verifier.verify(self.HEADERS | change, body, now=now)
        for secrets in ((), ("whsec_%%",)):
            with self.assertRaises(InvalidArgument):
                WebhookVerifier(*secrets)

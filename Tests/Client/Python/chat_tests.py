"""Chats with a real server, which is killed, and through a proxy that cuts, delays and lies."""

import asyncio
import random
import threading
import unittest

import common
from carillon import AsyncChat, CarillonError, Chat, Ended, InvalidArgument, InvalidState, OutboxFull, Unreachable
from proxy import FAULTS, Proxy

REQUEST_SECONDS = 1.5
SETTLE_SECONDS = 1.0
# A request that is held back for longer than its client waits must have arrived by then, however slowly.
SETTLE_OF_DELAYED_SECONDS = 3.0


class Chats(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.server = common.shared()
        self.url = common.url(self.server)
        self.agent = common.agent(self.server)

    def tearDown(self):
        self.agent.close()

    async def begin(self, chat):
        heard = common.Listening(chat)
        session = (await chat.start(firstName="Mia")).session
        await asyncio.to_thread(self.agent.join, session, "Anna")
        return heard, session

    async def check_heard(self, heard, chat):
        transcript = await chat.transcript()
        await common.until(lambda: len(heard.events) >= len(transcript), "heard all")
        self.assertEqual(heard.events, transcript)
        return transcript

    async def test_a_conversation(self):
        async with AsyncChat(common.options(self.url)) as chat:
            with self.assertRaises(InvalidArgument):
                await chat.send("")
            with self.assertRaises(InvalidState):
                await chat.typing(True)
            heard, session = await self.begin(chat)
            with self.assertRaises(InvalidState):
                await chat.start()
            said = ["Where is it?", " blanks at both ends ", "lines\nand\ttabs", '"q" & <t> + 100%', "😀 größer",
                    "half a pair \ud83d"]
            for text in said:
                position = await chat.send(text)
                await common.until(lambda: len(heard.events) >= position, text)
                self.assertEqual(heard.events[position - 1].text, text.replace("\ud83d", "?"))
            await chat.typing(True, "Whe")
            await chat.update_data({"order": "81"})
            once = await chat.send("once", "my-id")
            self.assertEqual(await chat.send("once", "my-id"), once)
            transcript = await self.check_heard(heard, chat)
            self.assertEqual(common.texts(transcript), [*said[:-1], "half a pair ?", "once"])
            await asyncio.to_thread(self.agent.end, session)
            await common.until(lambda: chat.phase == "ended", "over")
            with self.assertRaises(Ended):
                await chat.send("too late")

    async def test_the_server_is_killed_in_mid_conversation(self):
        async with AsyncChat(common.options(self.url)) as chat:
            heard, session = await self.begin(chat)
            said, sent = [], []
            taken, is_over = [], threading.Event()
            # A test that fails must not leave a thread behind that nobody ends.
            self.addCleanup(is_over.set)
            talking = asyncio.create_task(asyncio.to_thread(self.talk, session, taken, is_over))
            for round in range(2):
                for number in range(60):
                    said.append(f"customer {round}.{number % 20}")
                    sent.append(chat.enqueue(said[-1]))
                before = len(heard.events)
                await common.until(lambda: len(heard.events) > before + 15, "in the middle")
                self.server.kill()
                said.append(f"kill {round}")
                sent.append(chat.enqueue(said[-1]))
                await asyncio.to_thread(self.server.start)
            await asyncio.wait_for(asyncio.gather(*sent), common.SECONDS)
            is_over.set()
            await talking
            await asyncio.to_thread(self.agent.send, session, "that was all")
            await common.until(lambda: "that was all" in common.texts(heard.events, "AGENT"), "heard it")
            transcript = await self.check_heard(heard, chat)
            self.assertEqual(common.texts(transcript), said)
            self.assertLessEqual(set(taken), set(common.texts(transcript, "AGENT")))
            await chat.end()

    def talk(self, session, taken, is_over):
        number = 0
        while not is_over.wait(0.02):
            number += 1
            try:
                self.agent.send(session, f"agent {number}")
                taken.append(f"agent {number}")
            except CarillonError:
                # Whether it was taken is open; what was taken must be heard.
                pass

    async def test_the_server_is_killed_in_the_background(self):
        async with AsyncChat(common.options(self.url)) as chat:
            heard, session = await self.begin(chat)
            await chat.send("before")
            await chat.enter_background()
            await asyncio.to_thread(self.agent.send, session, "one")
            self.server.kill()
            waiting = chat.enqueue("while nobody was there")
            await asyncio.to_thread(self.server.start)
            await asyncio.to_thread(self.agent.send, session, "two")
            await chat.return_to_foreground()
            await common.until(lambda: common.texts(heard.events, "AGENT") == ["one", "two"], "caught up")
            await asyncio.wait_for(waiting, common.SECONDS)
            transcript = await self.check_heard(heard, chat)
            self.assertEqual(common.texts(transcript), ["before", "while nobody was there"])
            await chat.end()

    async def test_a_proxy_that_does_one_thing_to_every_third_request(self):
        for fault in FAULTS:
            count = 0

            def choose(request):
                nonlocal count
                fits = "/meta/connect" in request if fault == "unknown client" else "/refresh" not in request
                count += fits
                return fault if fits and count % 3 == 0 else None

            with self.subTest(fault=fault), Proxy(self.server.port, REQUEST_SECONDS + 0.3, choose) as proxy:
                if fault == "delay":
                    await self.converse(proxy, 4, SETTLE_OF_DELAYED_SECONDS)
                else:
                    await self.converse(proxy, 8)

    async def test_a_proxy_that_does_anything_to_a_third_of_all_requests(self):
        chance = random.Random(22)

        def choose(request):
            fault = chance.choice(FAULTS) if chance.randrange(3) == 0 else None
            return None if fault == "unknown client" and "/meta/connect" not in request else fault

        with Proxy(self.server.port, 0.2, choose) as proxy:
            await self.converse(proxy, 20)

    async def test_what_is_lost_more_often_than_the_server_repeats_it(self):
        lost = 0

        def choose(request):
            nonlocal lost
            fits = "/meta/connect" in request and "/meta/subscribe" not in request and lost < 5
            lost += fits
            return "cut after" if fits else None

        with Proxy(self.server.port, 0, choose) as proxy:
            async with AsyncChat(common.options(proxy.url)) as chat:
                heard = common.Listening(chat)
                await chat.start()
                await asyncio.to_thread(self.agent.join, chat.session, "Anna")
                for text in ("first", "second"):
                    await asyncio.to_thread(self.agent.send, chat.session, text)
                await asyncio.wait_for(
                    common.until(lambda: len(common.texts(heard.events, "AGENT")) == 2, "both are heard"), 20)
                await asyncio.to_thread(self.agent.end, chat.session)

    async def converse(self, proxy, count, settle=SETTLE_SECONDS):
        async with AsyncChat(common.options(proxy.url, timeout=REQUEST_SECONDS, settle=settle)) as chat:
            heard = common.Listening(chat)
            while chat.phase == "idle":
                try:
                    await chat.start()
                except CarillonError as error:
                    self.assertTrue(error.may_pass, error)
            session = chat.session
            await asyncio.to_thread(self.agent.join, session, "Anna")
            # Every text stands twice: one alone must not pass for both.
            said = [f"customer {number // 2}" for number in range(count)]
            sent = [chat.enqueue(text) for text in said]
            for number in range(count):
                await asyncio.to_thread(self.agent.send, session, f"agent {number}")
            await asyncio.wait_for(asyncio.gather(*sent), common.SECONDS)
            await common.until(lambda: len(common.texts(heard.events, "AGENT")) >= count, "heard the agent")
            await common.until(lambda: len(common.texts(heard.events)) >= count, "heard the customer")
            transcript = list(heard.events)
            lines = await asyncio.to_thread(self.agent.transcript, session)
            shown = [line["text"] for line in lines if line["type"] == "Message.Text" and line.get("position")]
            self.assertEqual(sorted(common.texts(transcript) + common.texts(transcript, "AGENT")), sorted(shown))
            self.assertEqual(common.texts(transcript), said)
            self.assertEqual([event.position for event in transcript], list(range(1, len(transcript) + 1)))
            await asyncio.to_thread(self.agent.end, session)

    async def test_a_standby_takes_over(self):
        options = common.options("http://127.0.0.1:1", alternatives=("http://127.0.0.1:2", self.url))
        async with AsyncChat(options) as chat:
            await chat.start()
            self.assertEqual(await chat.send("Hello"), 2)
            await chat.end()

    async def test_no_network_and_a_full_outbox(self):
        async with AsyncChat(common.options("http://127.0.0.1:1", outbox_maximum=10_000)) as chat:
            with self.assertRaises(Unreachable):
                await chat.start()
            for number in range(10_000):
                chat.enqueue(f"text {number}")
            with self.assertRaises(OutboxFull):
                await chat.send("one more")


class BlockingChats(unittest.TestCase):
    def test_the_same_for_threads(self):
        server = common.shared()
        with Chat(common.options(common.url(server))) as chat, common.agent(server) as agent:
            session = chat.start(firstName="Mia").session
            agent.join(session, "Anna")
            self.assertEqual(chat.enqueue("Hello").result(common.SECONDS), chat.send("Hello again") - 1)
            chat.enter_background()
            agent.send(session, "Are you there?")
            chat.return_to_foreground()
            agent.end(session)
            self.assertEqual(common.texts(list(chat.events())), ["Hello", "Hello again"])
            self.assertEqual(chat.phase, "ended")

"""Whole working days in a real browser, on a real server: `story.py --browser chromium|firefox [PART …]`.

`desk` is one agent and one operator with the mouse, `keyboard` an agent without one, `three` two agents and a
supervisor at a time. Each step is asserted on what is on the screen, and on what the API says.
"""

import argparse
import base64
import contextlib
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from customers import Customer, Requester, order_callback
from page import CONTROL, DOWN, ENTER, ESCAPE, SPACE, Page
from server import Failed, Server, until
from webdriver import BROWSERS
from world import picture

BUBBLES = ".lines .bubble"


class Story:
    """A browser and a server of its own for one part; says which step failed, and how the page looked then."""

    def __init__(self, browser, server, part):
        self.browser, self.server, self.part = browser, server, part

    @contextlib.contextmanager
    def step(self, words):
        start = time.monotonic()
        try:
            yield
        except Exception:
            picture = pathlib.Path(tempfile.gettempdir()) / f"console-{self.browser.name}-{self.part}.png"
            picture.write_bytes(base64.b64decode(self.browser.send("TakeScreenshot")))
            print(f"{self.browser.name} {self.part}: {words}: FAILED, see {picture}", flush=True)
            raise
        print(f"{self.browser.name} {self.part}: {words} ({time.monotonic() - start:.1f} s)", flush=True)

    def sign_in(self, name, role, *more):
        if name not in self.server.tokens:
            self.server.token(name, role, *more)
        page = Page(self.browser)
        page.open(self.server.link(name))
        page.sees("Settings")
        assert "code=" not in self.browser.send("GetCurrentURL"), "the code stays in the address"
        return page

    def chat_of(self, customer):
        """As the API shows it to a supervisor."""
        chats = self.server.ask("GET", "/agent/1/chats?state=all&limit=500")
        return next(chat for chat in chats if chat["serviceId"] == customer.id)

    def lines(self, customer):
        return self.server.ask("GET", f"/agent/1/chats/{self.chat_of(customer)['chatId']}/transcript")["lines"]

    def said(self, customer):
        return [line["text"] for line in self.lines(customer) if line["type"] == "Message.Text"]

    def once(self, page, customer, *texts):
        """All of them are on the page, in the transcript and with the customer, and none of them twice."""
        for text in texts:
            until(lambda: page.count(text, BUBBLES) == 1, lambda: f"“{text}” is there {page.count(text, BUBBLES)} times")
            assert self.said(customer).count(text) == 1, (text, self.said(customer))
            until(lambda: customer.heard(text) == 1, lambda: f"the customer has “{text}” {customer.heard(text)} times")


def take(page, name):
    """Opens a chat that waits, and joins it."""
    page.link("Waiting")
    page.link(name, ".chats")
    page.button("Join", ".conversation-head")
    page.await_one("button", "End chat")


def write(page, text):
    page.fill("Message", text)
    page.button("Send", ".composer")
    page.sees(text, ".lines")


def desk(story):
    server = story.server
    with story.step("sign in by a one-time link"):
        anna = story.sign_in("anna", "agent")
        assert "anna" in anna.text(".sidebar")
        assert [one["name"] for one in server.ask("GET", "/console/1/sessions", by="root")] == ["anna"]

    with story.step("take a chat"):
        mia = Customer(server, "Mia Wagner", "Order 81", device="phone-mia", order="81")
        mia.come()
        anna.sees("Mia Wagner", ".chats")
        take(anna, "Mia Wagner")
        mia.say("Where is my parcel?")
        anna.sees("Where is my parcel?", BUBBLES)
        write(anna, "I will look.")
        assert story.chat_of(mia)["agents"][0]["agentId"] == "anna"
        story.once(anna, mia, "Where is my parcel?", "I will look.")

    with story.step("the customer goes to the background and is pushed to"):
        mia.leave()
        anna.sees("has been away", ".strip")
        anna.sees("your message will be pushed", ".strip")
        write(anna, "It comes tomorrow.")
        anna.sees("Push: delivered", ".lines")
        assert any("It comes tomorrow." in push for push in server.receiver.pushes), server.receiver.pushes
        assert story.chat_of(mia)["pushes"]["last"]["outcome"] == "delivered"
        mia.come()
        anna.sees_no("has been away", ".strip")
        story.once(anna, mia, "It comes tomorrow.")

    with story.step("kill -9: the banner, and what is written meanwhile is kept"):
        server.kill()
        anna.sees("The connection is lost", ".banner")
        anna.fill("Message", "Said while nobody was there")
        anna.button("Send", ".composer")
        anna.sees("waits for the connection", ".unsent")
        anna.fill("Message", "Not finished yet")

    with story.step("restart: it goes on, nothing lost and nothing twice"):
        server.start()
        until(lambda: not anna.text(".banner"), "the banner goes")
        story.once(anna, mia, "Where is my parcel?", "I will look.", "It comes tomorrow.", "Said while nobody was there")
        anna.sees_no("waits for the connection", ".unsent")
        assert anna.value("Message") == "Not finished yet"
        anna.browser.send("Refresh")
        assert anna.value("Message") == "Not finished yet", "what was not sent is gone after a reload"
        mia.say("Thank you!")
        story.once(anna, mia, "Thank you!", "Said while nobody was there")

    with story.step("a file from the agent, and one from the customer"):
        bill = server.folder / "bill 81.txt"
        bill.write_text("Order 81: paid")
        anna.attach(str(bill), ".composer")
        anna.sees("bill 81.txt", BUBBLES)
        line = story.lines(mia)[-1]
        assert line["file"]["name"] == "bill 81.txt" and line["role"] == "AGENT", line
        assert mia.get(f"/genesys/1/service/{mia.id}/ixn/chat/file/{line['file']['id']}").text == "Order 81: paid"
        mia.file("map.png", picture(2, 3), "image/png")
        until(lambda: anna.script("return document.querySelector('.bubble img')?.naturalWidth") == 2, "the picture")

    with story.step("a private note, and the end of the chat with its result"):
        anna.button("Private note")
        write(anna, "Asks again in a week")
        anna.button("End chat")
        anna.choose("Result", "Resolved")
        anna.fill("Tags", "parcel, late")
        anna.button("End chat", "dialog")
        anna.sees("Ended", ".conversation-head")
        assert mia.heard("Asks again in a week") == 0
        wrap_up = story.chat_of(mia)["wrapUp"]
        assert wrap_up["disposition"] == "resolved" and wrap_up["tags"] == ["parcel", "late"], wrap_up

    with story.step("a callback: offered, accepted, connected, ended"):
        anna.check("Ready")
        until(lambda: server.ask("GET", "/agent/1/me", by="anna")["ready"], "ready")
        number = order_callback(server, "Broken lamp")
        anna.screen("callbacks")
        anna.sees("Callback: Broken lamp", ".offer")
        anna.button("Accept", ".offer")
        anna.link("Mine", ".tabs")
        anna.link("Broken lamp", ".cards")
        anna.button("Connected", ".detail")
        anna.sees("Talking", ".detail")
        assert server.ask("GET", f"/agent/1/callbacks/{number}")["state"] == "PROCESSING"
        anna.button("Ended", ".detail")
        anna.sees("Over", ".detail")
        assert server.ask("GET", f"/agent/1/callbacks/{number}")["state"] == "COMPLETED"

    with story.step("a support request: answered, noted, solved"):
        ann = Requester(server, "Ann Behrens")
        number = ann.ask("Invoice missing", "Please send it again.")
        anna.screen("requests")
        anna.link(f"#{number} Invoice missing", ".cards")
        anna.sees("Please send it again.", ".detail")
        anna.fill("Comment", "Here it is.")
        anna.button("Send", ".detail")
        anna.sees("Here it is.", ".detail .lines")
        anna.fill("Comment", "Second time this year")
        anna.check("Private: for colleagues only")
        anna.button("Send", ".detail")
        anna.sees("Second time this year", ".detail .lines")
        assert ann.comments(number) == ["Please send it again.", "Here it is."]
        anna.choose("Status", "solved")
        anna.fill("Tags", "invoice")
        anna.button("Save", ".detail")
        until(lambda: server.ask("GET", f"/api/v2/tickets/{number}")["ticket"]["status"] == "solved", "solved")

    with story.step("sign out"):
        anna.button("Sign out")
        anna.await_one("field", "Token")
        assert server.ask("GET", "/console/1/sessions", by="root") == []
        anna.browser.send("Refresh")
        anna.await_one("field", "Token")

    operator(story, mia)


def operator(story, mia):
    server = story.server
    with story.step("a dead letter is tried again"):
        server.receiver.refused.add("phone-ben")
        ben = Customer(server, "Ben Vogel", "Refund", device="phone-ben")
        ben.come()
        path = f"/agent/1/chats/{story.chat_of(ben)['chatId']}"
        server.ask("POST", f"{path}/join", {"nickname": "Sue"})
        ben.leave()
        server.ask("POST", f"{path}/messages", {"text": "Your money is on its way"})
        root = story.sign_in("root", "admin")
        until(lambda: server.ask("GET", "/admin/1/dead-letters", by="root"), "a dead letter")
        root.screen("dead-letters")
        root.sees("failed", "main table")
        root.button("Show", "main table")
        root.sees("400 Bad Request", ".detail")
        server.receiver.refused.clear()
        root.button("Try again", "main table")
        root.sees("No dead letters")
        until(lambda: sum("Your money is on its way" in push for push in server.receiver.pushes) == 3, "the push")
        assert server.ask("GET", "/admin/1/dead-letters", by="root") == []

    with story.step("a customer is erased, by a confirmation that is typed"):
        assert "Where is my parcel?" in server.command("journal", "dump", "--reveal")
        root.screen("redaction")
        root.fill("Customer's key", mia.user)
        root.fill("Reason", "asked for it")
        root.button("Count first")
        root.fill("Type", "somebody else", "dialog")
        root.button("Erase a customer", "dialog")
        until(lambda: root.text("dialog [role=alert]"), "a refusal")
        assert server.ask("GET", "/admin/1/redactions", by="root") == []
        root.fill("Type", mia.user, "dialog")
        root.button("Erase a customer", "dialog")
        until(lambda: [one["state"] for one in server.ask("GET", "/admin/1/redactions", by="root")] == ["done"], "erased")
        root.sees("asked for it", "main table")
        assert "Where is my parcel?" not in server.command("journal", "dump", "--reveal")

    with story.step("the operator signs out"):
        root.button("Sign out")
        root.await_one("field", "Token")


def keyboard(story):
    server = story.server
    with story.step("sign in with a token, by keyboard"):
        server.token("kim", "agent")
        kim = Page(story.browser)
        kim.open(f"http://kim.localhost:{server.port}/")
        kim.await_one("field", "Token")
        until(lambda: kim.focused().startswith("Token"), "the field has the focus")
        kim.write(server.tokens["kim"])
        kim.press(ENTER)
        kim.sees("Inbox")

    with story.step("the list of keys, and back"):
        lea = Customer(server, "Lea Roth", "Shoes")
        lea.come()
        time.sleep(1.1)  # the longest wait comes first, and waits are whole seconds
        tom = Customer(server, "Tom Lang", "Socks")
        tom.come()
        kim.sees("Tom Lang", ".chats")
        kim.press("?")
        kim.sees("Next chat", "dialog")
        kim.press(ESCAPE)
        kim.sees_no("Next chat")

    with story.step("j and k go through the chats; join, answer, end"):
        kim.press("j")
        kim.sees("Lea Roth", ".conversation-head")
        kim.press("j")
        kim.sees("Tom Lang", ".conversation-head")
        kim.press("k")
        kim.sees("Lea Roth", ".conversation-head")
        kim.tab_to("Join")
        kim.press(ENTER)
        kim.await_one("button", "End chat")
        until(lambda: kim.focused().startswith("Message"), "after joining one can write")
        kim.write("Which size?")
        kim.press((CONTROL, ENTER))
        story.once(kim, lea, "Which size?")
        kim.press(ESCAPE)
        kim.press("r")
        until(lambda: kim.focused().startswith("Message"), "r leads to the message")
        kim.press(ESCAPE)
        kim.press("/")
        until(lambda: kim.value("Message") == "/", "/ begins a canned reply")
        kim.press((CONTROL, "a"))
        kim.write("42 then")
        kim.press((CONTROL, ENTER))
        story.once(kim, lea, "42 then")
        kim.press(ESCAPE)
        kim.tab_to("End chat", backwards=True)
        kim.press(ENTER)
        kim.tab_to("Result")
        kim.press(DOWN)
        kim.tab_to("End chat")
        kim.press(ENTER)
        kim.sees("Ended", ".conversation-head")
        assert story.chat_of(lea)["wrapUp"]["disposition"] == "resolved"

    with story.step("ready, a callback and a request"):
        kim.tab_to("Ready", backwards=True)
        kim.press(SPACE)
        until(lambda: server.ask("GET", "/agent/1/me", by="kim")["ready"], "ready")
        number = order_callback(server, "Wrong shoes")
        kim.press("2")
        kim.sees("Callback: Wrong shoes", ".offer")
        kim.tab_to("Accept")
        kim.press(ENTER)
        until(lambda: server.ask("GET", f"/agent/1/callbacks/{number}").get("accepted"), "accepted")
        kim.press("3")
        kim.sees("Requests", "main h1")
        request = Requester(server).ask("Gift card", "Lost it")
        kim.sees("Gift card", ".cards")
        kim.tab_to(f"#{request} Gift card")
        kim.press(ENTER)
        kim.sees("Lost it", ".detail")
        kim.tab_to("Comment")
        kim.write("A new one is on its way")
        kim.press((CONTROL, ENTER))
        kim.sees("A new one is on its way", ".detail .lines")

    with story.step("sign out, by keyboard"):
        kim.tab_to("Sign out", backwards=True)
        kim.press(ENTER)
        kim.await_one("field", "Token")


def three(story):
    server = story.server
    with story.step("two agents and a supervisor sign in"):
        anna, ben = story.sign_in("anna", "agent"), story.sign_in("ben", "agent")
        sue = story.sign_in("sue", "supervisor")

    with story.step("both see who waits; who takes it is the only one"):
        mia = Customer(server, "Mia Wagner", "Order 81")
        mia.come()
        for page in (anna, ben):
            page.sees("Mia Wagner", ".chats")
        take(anna, "Mia Wagner")
        ben.sees_no("Mia Wagner", ".chats")
        write(anna, "Good morning")
        assert [one["agentId"] for one in story.chat_of(mia)["agents"]] == ["anna"]

    with story.step("the supervisor looks, and nobody knows"):
        sue.screen("team")
        sue.sees("Mia Wagner", "main")
        sue.link("Look", "main")
        sue.sees("Good morning", BUBBLES)
        before = len(story.lines(mia))
        assert not any(line["nickname"] == "sue" for line in story.lines(mia))

    with story.step("whispers: the agent reads it, the customer does not"):
        write(sue, "Offer her a discount")
        anna.sees("Offer her a discount", BUBBLES)
        anna.sees("Whispered", ".lines")
        assert len(story.lines(mia)) == before + 1
        assert not any("discount" in str(event) for event in mia.transcript())

    with story.step("takes it over, and hands it to the other agent"):
        sue.button("Take over")
        sue.button("Take over", "dialog")
        sue.await_one("button", "Transfer")
        assert [one["agentId"] for one in story.chat_of(mia)["agents"]] == ["sue"]
        sue.button("Transfer")
        sue.choose("To whom", "ben")
        sue.button("Transfer", "dialog")
        ben.link("All", ".tabs")
        ben.link("Mia Wagner", ".chats")
        ben.button("Join")
        ben.await_one("button", "End chat")
        write(ben, "Ben here, I go on")
        mia.say("Fine")
        ben.sees("Fine", BUBBLES)
        story.once(ben, mia, "Good morning", "Ben here, I go on", "Fine")
        assert [one["agentId"] for one in story.chat_of(mia)["agents"]] == ["ben"]

    with story.step("each of them signs out"):
        for page in (anna, ben, sue):
            page.button("Sign out")
            page.await_one("field", "Token")


# Where the pages lie: they speak with the same API from wherever that is.
PATHS = {"chromium": "/console", "firefox": "/desk"}
PARTS = {part.__name__: part for part in (desk, keyboard, three)}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--browser", choices=BROWSERS, required=True)
    options.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    options = options.parse_args()
    start = time.monotonic()
    with BROWSERS[options.browser]() as browser:
        for part in options.parts:
            with Server(**{"push/push.retry_schedule": "1", "server/console.path": PATHS[options.browser]}) as server:
                PARTS[part](Story(browser, server, part))
    print(f"{options.browser}: all well in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    try:
        main()
    except (Failed, AssertionError) as failure:
        import traceback
        traceback.print_exc()
        sys.exit(1)

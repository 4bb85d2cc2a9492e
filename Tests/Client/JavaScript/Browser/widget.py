"""The chat for any page, in a real browser on a real server: `widget.py [--browser chromium|firefox]`.

The page is a shop's, on an origin of its own, with the one line that brings the chat; its visitor uses the keyboard.
Each step is asserted on what is on the screen, and on what the API says.
"""

import argparse
import contextlib
import functools
import http.server
import pathlib
import re
import sys
import threading
import time

sys.dont_write_bytecode = True  # no __pycache__ among the sources
ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "Tests/Console/Browser"))

from axe import RUN_AXE, source
from page import ENTER, ESCAPE, TAB, Page
from server import Failed, Server, request, until
from webdriver import BROWSERS

FILES = ROOT / "Sources/Client/JavaScript"
# In the chat's own tree, which the page has no part in.
INSIDE = "const inside = document.querySelector('carillon-chat')?.shadowRoot; if (!inside) return null; "
PLANTED = "<img src=x onerror='window.planted=1'> https://shop.example/81"


class Shop:
    """A page of somebody else's, with the client's files as they stand in the tree."""

    def __init__(self):
        shop = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {".js": "text/javascript", ".html": "text/html"}

            def do_GET(self):
                if self.path != "/":
                    self.path = self.path.removeprefix("/client")
                    return super().do_GET()
                page = shop.page.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(FILES)))
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def names(self, server):
        """The example, whose one line names the server."""
        example = (FILES / "Example/index.html").read_text()
        line = 'data-service="request-chat"'
        assert line in example, "the example has lost its line"
        self.page = example.replace(line, f'{line} data-server="http://127.0.0.1:{server.port}"')


class Visitor(Page):
    def lines(self):
        return self.script(INSIDE + "return [...inside.querySelectorAll('.log .said')].map((one) => one.innerText)") or []

    def reads(self, *texts):
        """All of them are in the chat, and none of them twice."""
        for text in texts:
            until(lambda: sum(text in line for line in self.lines()) == 1, lambda: f"“{text}” is not there once, but: {self.lines()}")

    def part(self, selector, what="innerText"):
        return self.script(INSIDE + f"return inside.querySelector(arguments[0])?.{what} ?? null", selector)

    def says(self, text):
        self.write(text)
        self.press(ENTER)

    def held(self):
        """How that which has the focus in the chat is called."""
        return self.script(INSIDE + "return inside.activeElement?.getAttribute('aria-label') ?? null")


def step(words, start=[None]):
    now = time.monotonic()
    if start[0]:
        print(f"{start[0][0]} ({now - start[0][1]:.1f} s)", flush=True)
    start[0] = (words, now) if words else None


def story(browser, server, shop):
    def chat():
        return next(iter(server.ask("GET", "/agent/1/chats?state=all")), None)

    def said(role):
        lines = server.ask("GET", f"/agent/1/chats/{chat()['chatId']}/transcript")["lines"]
        return [line["text"] for line in lines if line["type"] == "Message.Text" and line["role"] == role]

    def agent(text):
        server.ask("POST", f"/agent/1/chats/{chat()['chatId']}/messages", {"text": text}, by="anna")

    step("opened and written in by the keyboard alone")
    visitor = Visitor(browser)
    visitor.open(shop.address)
    until(lambda: visitor.part(".open"), "the button of the chat")
    visitor.press(TAB)
    assert visitor.held() == "Open the chat", visitor.held()
    visitor.press(ENTER)
    until(lambda: visitor.held() == "Message", lambda: f"the focus is at {visitor.held()}")
    visitor.says("Where is my parcel?")
    until(chat, "the chat")
    until(lambda: said("CLIENT") == ["Where is my parcel?"], "the message with the agents")
    visitor.reads("Where is my parcel?")
    counted = request(server.port, "GET", "/metrics").text
    assert re.search(r"^carillon_websocket_messages_total [1-9]", counted, re.MULTILINE), "it is not by a WebSocket"

    step("an answer is text, whatever stands in it")
    server.ask("POST", f"/agent/1/chats/{chat()['chatId']}/join", {"nickname": "Anna"}, by="anna")
    agent(PLANTED)
    visitor.reads(PLANTED)
    assert visitor.part(".log a", "href") == "https://shop.example/81"
    assert visitor.script(INSIDE + "return inside.querySelector('img') ?? window.planted ?? null") is None

    step("kill -9: what is written meanwhile waits, and is said once")
    server.kill()
    until(lambda: "No connection" in visitor.part(".status"), "the word that there is no connection")
    visitor.says("Hello?")
    visitor.reads("Hello?")
    server.start()
    until(lambda: said("CLIENT") == ["Where is my parcel?", "Hello?"], lambda: f"the customer has said {said('CLIENT')}")
    agent("I am back")
    visitor.reads("I am back", "Hello?")
    until(lambda: not visitor.part(".status"), "the word goes")

    step("a reload: all is there again, once")
    browser.send("Refresh")
    visitor.reads("Where is my parcel?", "Hello?", "I am back")

    step("closed, it counts what comes; Escape leads back to its button")
    visitor.press(TAB, ENTER)
    until(lambda: visitor.held() == "Message", "the focus")
    visitor.press(ESCAPE)
    assert visitor.held() == "Open the chat", visitor.held()
    agent("One more thing")
    until(lambda: visitor.held() == "Open the chat: 1 new messages", lambda: f"it is called {visitor.held()}")
    visitor.press(ENTER)
    visitor.reads("One more thing")

    step("a page that is left is in the background, and misses nothing")
    browser.send("Navigate", url="about:blank")
    until(lambda: chat()["phase"] == "background", lambda: f"the chat is in the {chat()['phase']}")
    agent("Said behind your back")
    browser.send("Navigate", url=shop.address)
    visitor.reads("Said behind your back", "One more thing")
    until(lambda: chat()["phase"] == "foreground", "the foreground")

    step("nothing that axe finds, light and dark")
    visitor.press(TAB, ENTER)
    visitor.script(source())
    for scheme in ("light", "dark"):
        browser.color_scheme(scheme)
        found = browser.script_later(RUN_AXE)
        assert not found, (scheme, found)
    assert not browser.complaints()

    step("ended by its button")
    visitor.script(INSIDE + "inside.querySelector('[aria-label=\"End the chat\"]').click()")
    until(lambda: "The chat is over." in visitor.part(".log"), "the end")
    assert chat()["ended"]
    step(None)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--browser", choices=BROWSERS, default="chromium")
    options = options.parse_args()
    start = time.monotonic()
    shop = Shop()
    with contextlib.closing(shop.http.socket), Server(**{"server/allowed_origins": shop.address}) as server:
        server.token("anna", "agent")
        shop.names(server)
        with BROWSERS[options.browser]() as browser:
            story(browser, server, shop)
        shop.http.shutdown()
    print(f"{options.browser}: all well in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    try:
        main()
    except (Failed, AssertionError):
        import traceback
        traceback.print_exc()
        sys.exit(1)

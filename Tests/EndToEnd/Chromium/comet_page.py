"""Pages of several origins with a Bayeux client, in the system's Chromium: WebSocket, long polling, callback-polling.

Usage: comet_page.py

Prints {"origins": [ALLOWED, …]} when its pages are served, and waits for {"server": PORT}: a server that allows these and no
other origin. Then goes through what pages do, and ends with status 1, and a line that says why, as soon as something is
not as it should be. Prints {"done": COUNT} at its end: how many things it has looked at.
"""

import contextlib
import functools
import http.server
import pathlib
import sys
import threading

sys.dont_write_bytecode = True  # no __pycache__ among the sources
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Scripts"), str(HERE.parents[1] / "Console/Browser")]

from json_lines import commands, say
from webdriver import Chromium

TYPES = ["websocket", "long-polling", "callback-polling"]
# The last two are line ends to old scripts, but none to JSON.
TEXTS = ["Tor für Köln ⚽", "</script><!--", "a\u2028b\u2029c"] + [f"number {number}" for number in range(10)]
UNKNOWN = "402::Unknown client"
RUN = """
    const [call, values, done] = arguments;
    Promise.resolve(window[call](...values)).then((value) => done({ value }), (error) => done({ error: String(error) }));
"""


class Pages:
    """A web server for the page, on a port of its own: of no origin but its own."""

    def __init__(self):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        handler = functools.partial(Handler, directory=str(HERE / "bayeux"))
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def origin(self, host):
        return f"http://{host}:{self.http.server_port}"


class Story:
    def __init__(self, browser, port):
        self.browser = browser
        self.port = port
        self.count = 0

    def expect(self, found, wanted, what):
        self.count += 1
        if found != wanted:
            say(failed=f"{what}: {found!r} in place of {wanted!r}")
            sys.exit(1)

    def url(self, host):
        return f"http://{host}:{self.port}/genesys/cometd"

    def call(self, name, *values):
        result = self.browser.script_later(RUN, name, list(values))
        if "error" in result:
            say(failed=f"{name}{values}: {result['error']}")
            sys.exit(1)
        return result["value"]

    def open(self, origin):
        self.browser.send("Navigate", url=f"{origin}/index.html")

    def conversations(self):
        for kind in TYPES:
            self.expect(self.call("converse", kind, self.url("127.0.0.1"), kind, TEXTS), TEXTS, f"events by {kind}")
            self.expect(
                self.call("leave", kind), {"left": True, "advice": "none", "after": UNKNOWN}, f"the end by {kind}")

    def several(self):
        """Two sessions of one browser, by each kind of poll; a WebSocket beside them is in nobody's way."""
        url = self.url("127.0.0.1")
        for kind in TYPES[1:]:
            self.expect(self.call("converse", "socket", url, "websocket", ["a"]), ["a"], "a socket beside polls")
            self.expect(self.call("converse", "first", url, kind, ["b"]), ["b"], f"the first by {kind}")
            told = self.call("second", "first", "second", url, kind)
            wanted = {"reconnect": "retry", "interval": 200, "multiple-clients": True}
            self.expect({name: told.get(name) for name in wanted}, wanted, f"the second by {kind} is told")
            for name in ["first", "socket"]:
                self.call("leave", name)
            alone = self.call("alone", "second")
            self.expect(alone["polls"] <= 1, True, f"the second by {kind} is held: {alone}")
            self.expect((alone["advice"]["interval"], "multiple-clients" in alone["advice"]), (0, False), "all is well")
            self.call("leave", "second")

    def thefts(self, origin):
        """Another browser: to the cookies of one, other names of a host are other hosts."""
        url = self.url("127.0.0.1")
        ids = {}
        for kind in TYPES[1:]:
            self.call("converse", kind, url, kind, ["a"])
            ids[kind] = self.browser.script("return sessions[arguments[0]].clientId", kind)
        window = self.browser.send("GetWindowHandle")
        self.browser.new_window()
        self.open(origin)
        for owner, stolen in ids.items():
            for kind in TYPES:
                # The first of them brings this browser its cookie, which sockets then show, too.
                self.call("refusal", self.url("localhost"), "long-polling")
                self.expect(
                    self.call("steal", self.url("localhost"), kind, stolen), [UNKNOWN] * 3, f"{owner}, stolen by {kind}")
        self.browser.switch(window["handle"] if isinstance(window, dict) else window)
        for kind in TYPES[1:]:
            self.browser.script("sessions[arguments[0]].events = []", kind)
            self.browser.script_later(
                "const done = arguments[1], one = sessions[arguments[0]];"
                "one.publish('/news/page', { text: 'mine' }).then(() => one.heard(1)).then(() => done())", kind)
            self.expect(self.call("leave", kind)["left"], True, f"the owner by {kind} has noticed nothing")

    def strangers(self, origin):
        """A page that nobody has allowed: it may not even ask."""
        self.open(origin)
        refusals = {
            "websocket": "the socket is not opened", "long-polling": "Failed to fetch",
            "callback-polling": "the script is not loaded",
        }
        for kind, refusal in refusals.items():
            self.expect(self.call("refusal", self.url("127.0.0.1"), kind), refusal, f"a stranger's page by {kind}")

    def own(self):
        """A page of the server's own origin needs nobody's leave."""
        self.browser.send("Navigate", url=f"http://127.0.0.1:{self.port}/health/live")
        for name in ["bayeux.js", "story.js"]:
            self.browser.script("(0, eval)(arguments[0] + '; Object.assign(window, { Bayeux })')"
                                if name == "bayeux.js" else "(0, eval)(arguments[0])", (HERE / "bayeux" / name).read_text())
        for kind in TYPES:
            self.expect(self.call("refusal", self.url("127.0.0.1"), kind), "none", f"the server's own page by {kind}")


def main():
    allowed, stranger = Pages(), Pages()
    say(origins=[allowed.origin("127.0.0.1"), allowed.origin("localhost")])
    port = next(commands())["server"]
    with Chromium() as browser, contextlib.ExitStack() as stack:
        for pages in (allowed, stranger):
            stack.callback(pages.http.shutdown)
        story = Story(browser, port)
        story.open(allowed.origin("127.0.0.1"))
        story.conversations()
        story.several()
        story.thefts(allowed.origin("localhost"))
        story.strangers(stranger.origin("127.0.0.1"))
        story.own()
        say(done=story.count)


if __name__ == "__main__":
    main()

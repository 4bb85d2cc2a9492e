"""All screens, looked at by axe-core and others: `axe.py --browser chromium|firefox`.

Each screen that the page itself offers to a supervisor and to an operator, and what opens from it, light and dark, wide
and narrow: no violation of WCAG 2.2 AA that axe finds, nothing that the content security policy refuses, no request to
another host, nothing that scrolls sideways, a focus that can be seen, and no life in what strangers have planted.
"""

import argparse
import importlib.util
import itertools
import json
import pathlib
import sys
import time

sys.dont_write_bytecode = True

import world
from page import ESCAPE, TAB, Page
from server import Failed, Server, request, until
from webdriver import BROWSERS

THEMES = ("light", "dark")
WIDTHS = (1280, 320)

# Whatever of these comes to life says so by an element or attribute `planted`, a variable of that name, or a dialog.
PLANTED = [
    "<img src=x onerror='window.planted=1' planted>",
    "<script planted>window.planted=1</script>",
    "'\"><svg planted onload=alert(1)>",
    "javascript:window.planted=1//",
    "<a planted href='javascript:window.planted=1'>here</a>",
    "https://x.example/\"onmouseover=\"window.planted=1",
    "<iframe planted srcdoc='<script>parent.planted=1</script>'></iframe>",
    "{{constructor.constructor('window.planted=1')()}} ${window.planted=1}",
    "\u202e<b planted>sdrawkcab</b>\u0000",
    "<style planted>*{display:none}</style>",
]
KINDS = ["text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "image/png;<b planted>", "javascript:x/y"]
ALIVE = """
const links = [...document.querySelectorAll('[href], [src], [action]')].map((one) => one.getAttribute('href') ?? one.getAttribute('src'));
return [...[...document.querySelectorAll('planted, [planted]')].map((one) => one.outerHTML),
  ...links.filter((one) => /^\\s*(javascript|data|vbscript):/i.test(one ?? '')), ...(window.planted ? ['a script has run'] : [])];
"""

RUN_AXE = """
const done = arguments[arguments.length - 1];
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
axe.run(document, { runOnly: tags, rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] }).then(
  ({ violations }) => done(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`)),
  (error) => done([`axe failed: ${error}`]));
"""
WIDE = """
const [root, main] = [document.documentElement, document.querySelector('main')];
return [root, main].filter((one) => one && one.scrollWidth > one.clientWidth + 1)
  .map((one) => {
    const out = [...one.querySelectorAll('*')].findLast((inner) => inner.getBoundingClientRect().right > one.clientWidth + 1 && !inner.closest('.table'));
    return `${one.tagName} is ${one.scrollWidth} pixels wide in ${one.clientWidth}: ${out?.outerHTML.slice(0, 200)}`;
  });
"""
# What has the focus, how it shows it, and whether it can be seen at all. A switch shows its track's outline.
FOCUS = """
const one = document.activeElement;
if (!document.hasFocus() || one === document.body) return null;
const shows = (part) => { const style = getComputedStyle(part); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none'; };
const box = one.getBoundingClientRect();
const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
return { name: one.outerHTML.slice(0, 120), shows: [one, ...(one.parentElement?.children ?? [])].some((part) => part === one || part.previousElementSibling === one ? shows(part) : false), inView };
"""
# What opens from a screen, by the button that opens it: nothing of this changes anything.
DIALOGS = {
    "inbox": ["End chat", "Transfer", "Invite", "Send a link"],
    "devices": ["Test push", "End device"],
    "dead-letters": ["Show", "Drop", "Try all again"],
    "settings": ["Keyboard"],
    "tokens": ["Make a token", "Revoke"],
}


def source():
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        raise Failed("axe-playwright-python is not installed: make console-environment")
    return (pathlib.Path(found.origin).parent / "axe.min.js").read_text()


def plant(server):
    """Each of the table wherever a stranger may write."""
    planted = itertools.cycle(PLANTED)
    world.fill(server, lambda _: next(planted))
    for number, text in enumerate(PLANTED):
        name = text.replace("\u0000", "")
        customer = world.chat(server, name, name, name, 100 + number)
        customer.call("POST", f"{customer.path}/updateData", form={name: name})
        answer = request(server.port, "POST", f"{customer.path}/pushUrl", headers={"gms_user": customer.user}, form={"pushUrl": name})
        if answer.status != 200 and answer.status != 400:
            raise Failed(f"a planted URL: {answer.status} {answer.text}")
        for kind in KINDS:
            answer = request(server.port, "POST", f"{customer.path}/file?name=a", name.encode(),
                             {"gms_user": customer.user, "Content-Type": kind})
            if answer.status == 201:
                harmless(request(server.port, "GET", answer.json["url"], headers={"gms_user": customer.user}))
            elif answer.status not in (400, 415):
                raise Failed(f"a file of {kind}: {answer.status} {answer.text}")
        customer.file(name.replace("/", "∕"), b"x", "text/plain")
        here = world.path(server, customer)
        server.ask("POST", f"{here}/join", {"nickname": name}, by="anna")
        server.ask("POST", f"{here}/request", {"subject": name, "comment": {"body": name}}, by="anna")


def harmless(answer):
    """A file of a stranger is saved, never shown, unless it is a picture; nothing in it may run."""
    policy, way = answer.headers["Content-Security-Policy"], answer.headers["Content-Disposition"]
    if "sandbox" not in policy or not way.startswith("attachment") or answer.headers["X-Content-Type-Options"] != "nosniff":
        raise Failed(f"a file of a stranger comes with {answer.headers}")


class Look:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server
        self.axe = source()
        self.flaws, self.places = [], 0

    def sign_in(self, name):
        self.page = Page(self.browser)
        self.page.open(self.server.link(name))
        self.page.sees("Settings")
        self.page.script(self.axe)
        self.host = f"http://{name}.localhost:{self.server.port}/"

    def settled(self):
        """Waits until what was asked for is there."""
        until(lambda: not self.page.script("return document.querySelector('[aria-busy=true]') !== null"), "the screen")
        time.sleep(0.15)  # drawings are put together for some tens of milliseconds

    def at(self, what, found):
        self.flaws += [f"{what}: {flaw}" for flaw in found]

    def check(self, where, everything=True):
        self.settled()
        self.places += 1
        self.at(where, self.page.script(ALIVE))
        if not everything:
            return
        for theme, width in itertools.product(THEMES, WIDTHS):
            self.browser.color_scheme(theme)
            self.browser.resize(width, 760)
            time.sleep(0.1)
            what = f"{where}, {theme}, {width} pixels"
            self.at(what, self.browser.script_later(RUN_AXE))
            if width == 320:
                self.at(what, self.page.script(WIDE))
        self.browser.resize(1280, 760)
        self.browser.color_scheme("light")

    def focus(self, where, steps=40):
        for _ in range(steps):
            self.page.press(TAB)
            seen = self.page.script(FOCUS)
            if seen is None:
                return
            if not seen["shows"] or not seen["inView"]:
                self.at(f"{where}, focus", [f"cannot be seen at {seen['name']}"])

    def walk(self):
        """All screens of whoever is signed in, as the page's own navigation has them, and the first that each leads to."""
        for screen in self.page.screens():
            self.page.go(screen)
            self.check(screen)
            self.focus(screen)
            inner = self.page.script(
                "return [...document.querySelectorAll('main a[href^=\"#/\"]')].map((one) => one.hash)"
                ".filter((one) => one.split('/').length > arguments[0])", 3 if screen in ("inbox", "callbacks", "requests") else 2)
            if inner:
                self.page.go(inner[0].removeprefix("#/"))
                self.check(inner[0])
                self.focus(inner[0])
            self.dialogs(screen)

    def other_way(self):
        """All screens in German, whose words are longer, from right to left."""
        self.page.script("localStorage.setItem('carillon.language', 'de')")
        self.page.open(f"{self.host}console/?dir=rtl")
        until(lambda: self.page.script("return document.querySelector('.nav-link') !== null"), "the shell")
        self.page.script(self.axe)
        self.browser.resize(320, 760)
        for screen in self.page.screens():
            self.page.go(screen)
            self.settled()
            self.places += 1
            self.at(f"{screen}, German, from right to left", self.browser.script_later(RUN_AXE) + self.page.script(WIDE))
        self.browser.resize(1280, 760)

    def stories(self):
        """What is told of a chat, a push and a record."""
        letter = self.server.ask("GET", "/admin/1/dead-letters", by="root")[0]
        for place in (f"why/{letter['id']}", f"why/{letter['device']}", f"journal/push:{letter['device']}", f"dead-letters/{letter['device']}"):
            self.page.go(place)
            self.check(place)
            self.focus(place)

    def dialogs(self, screen):
        for name in DIALOGS.get(screen, []):
            if not self.page.find("button", name, "main"):
                continue
            self.page.button(name, "main")
            self.check(f"{screen}: {name}")
            if self.page.script("return document.querySelector('dialog[open]') !== null"):
                self.page.press(ESCAPE)

    def every_chat(self):
        """All that was planted, opened."""
        for kind, items in (("inbox/all", [one["chatId"] for one in self.server.ask("GET", "/agent/1/chats?state=all&limit=500")]),
                            ("requests/all", [one["id"] for one in self.server.ask("GET", "/agent/1/requests?state=all&limit=100")]),
                            ("callbacks/all", [one["id"] for one in self.server.ask("GET", "/agent/1/callbacks?state=all")])):
            for item in items:
                self.page.go(f"{kind}/{item}")
                until(lambda: self.page.script("return document.querySelector('main .lines li, main .detail') !== null"), f"{kind}/{item}")
                self.check(f"{kind}/{item}", everything=False)

    def is_awake(self):
        """A look that finds nothing has to find what is put there to be found."""
        self.page.script("""
            document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button><b planted>x</b>');
            Object.assign(document.querySelector('b').style, { display: 'block', flex: 'none', inlineSize: '400vw' });
            document.body.append(Object.assign(document.createElement('script'), { text: 'window.planted = 1' }));
        """)
        for found, what in ((self.browser.script_later(RUN_AXE), "a button without a name"), (self.page.script(ALIVE), "an element"),
                            (self.page.script(WIDE), "what is too wide"), (self.browser.complaints(), "an inline script")):
            if not found:
                raise Failed(f"{what} is not found")
        self.page.open(f"http://other.localhost:{self.server.port}/")
        if not any("//other." in url for url in self.browser.requests()):
            raise Failed("a request to another host is not found")

    def asked(self):
        """What the browser complains of, and whom it has asked."""
        self.at("console", self.browser.complaints())
        own = tuple(f"http://{name}.localhost:{self.server.port}/" for name in ("boss", "root"))
        inner = ("data:", "blob:", "about:")
        self.at("request", [url for url in self.browser.requests() if not url.startswith(own + inner)])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--browser", choices=BROWSERS, required=True)
    options = options.parse_args()
    start = time.monotonic()
    with BROWSERS[options.browser]() as browser, Server(**{"push/push.retry_schedule": "1"}) as server:
        plant(server)
        look = Look(browser, server)
        browser.requests()
        look.page = Page(browser)
        look.page.open(f"http://boss.localhost:{server.port}/")
        look.page.await_one("field", "Token")
        look.page.script(look.axe)
        look.check("sign-in")
        look.sign_in("boss")
        look.walk()
        look.every_chat()
        look.other_way()
        look.sign_in("root")
        look.walk()
        look.stories()
        look.other_way()
        look.asked()
        look.is_awake()
    for flaw in dict.fromkeys(look.flaws):
        print(flaw)
    seconds = time.monotonic() - start
    print(json.dumps({"browser": options.browser, "places": look.places, "flaws": len(look.flaws), "seconds": round(seconds)}))
    sys.exit(1 if look.flaws else 0)


if __name__ == "__main__":
    main()

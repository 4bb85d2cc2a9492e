"""Pictures of every screen, light and dark, wide and narrow: `screenshots.py [FOLDER]`, by Chromium, as WebP.

The screens are those that the page itself offers to an agent, a supervisor and an operator. FOLDER is `Sources/Documentation/Screenshots` without one; what lies there and is no screen any more is removed.
"""

import argparse
import base64
import itertools
import pathlib
import sys
import time

sys.dont_write_bytecode = True

import world
from page import Page
from server import ROOT, Failed, Server, until
from webdriver import Chromium

BYTES_MAXIMUM = 5_000_000
SIZES = {"wide": (1280, 800), "narrow": (390, 800)}
# The overview draws its plots of what it has seen, which it looks at every ten seconds.
SAMPLES_SECONDS = 32


def shoot(browser, page, folder, name):
    until(lambda: not page.script("return document.querySelector('[aria-busy=true]') !== null"), name)
    for theme, (size, (width, height)) in itertools.product(("light", "dark"), SIZES.items()):
        browser.color_scheme(theme)
        browser.resize(width, height)
        page.script("for (const one of document.querySelectorAll('.transcript')) one.scrollTop = one.scrollHeight")
        time.sleep(0.3)
        picture = browser.devtools("Page.captureScreenshot", format="webp", quality=80)["data"]
        yield folder / f"{name}-{theme}-{size}.webp", base64.b64decode(picture)
    browser.resize(*SIZES["wide"])


def pictures(browser, server, folder):
    customers = world.fill(server)
    page = Page(browser)
    page.open(f"http://boss.localhost:{server.port}/")
    page.await_one("field", "Token")
    yield from shoot(browser, page, folder, "sign-in")
    seen = {"sign-in"}
    for name in ("anna", "boss", "root"):
        page.open(server.link(name))
        page.sees("Settings")
        if name == "root":
            time.sleep(SAMPLES_SECONDS)
        for screen in page.screens():
            if screen not in seen:
                seen.add(screen)
                page.screen(screen)
                prepare(server, page, screen, customers)
                time.sleep(0.5)
                yield from shoot(browser, page, folder, screen)


def prepare(server, page, screen, customers):
    """Opens what a screen shows of one thing, where an empty one would say little."""
    letter = server.ask("GET", "/admin/1/dead-letters", by="root")[0]
    match screen:
        case "inbox":
            page.link("All", ".tabs")
            page.link("Mia Wagner", ".chats")
            page.sees("Push: delivered")
        case "callbacks" | "requests":
            page.link("All", ".tabs")
            page.click(".cards a", "")
        case "devices" | "dead-letters":
            page.click("main table a, main table button", "Show")
        case "why":
            page.go(f"why/{letter['id']}")
        case "journal":
            page.go(f"journal/chat:{customers[0].id}")
        case "tap":
            page.sees("Following")
            for _ in range(3):
                world.message(server, lambda text: text)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "Sources/Documentation/Screenshots")
    folder = options.parse_args().folder
    with Chromium() as browser, Server(**{"push/push.retry_schedule": "1"}) as server:
        made = dict(pictures(browser, server, folder))
    total = sum(map(len, made.values()))
    if total > BYTES_MAXIMUM:
        raise Failed(f"the pictures have {total} bytes")
    folder.mkdir(parents=True, exist_ok=True)
    for old in set(folder.glob("*.webp")) - set(made):
        old.unlink()
    for path, picture in made.items():
        path.write_bytes(picture)
    print(f"{len(made)} pictures, {total} bytes, in {folder}")


if __name__ == "__main__":
    main()

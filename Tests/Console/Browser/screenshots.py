"""Pictures of every screen, light and dark, wide and narrow: `screenshots.py [FOLDER]`, by Chromium, as WebP.

The screens are those that the page itself offers to a supervisor and to an operator, each with the first thing that it
leads to. FOLDER is `Sources/Documentation/Screenshots` without one; what lies there and is no screen any more is removed.
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


def first_inside(page, screen):
    """What the screen's first link leads to, of those that show one thing of many."""
    depth = 3 if screen in ("inbox", "callbacks", "requests") else 2
    found = page.script(
        "return [...document.querySelectorAll('main a[href^=\"#/\"]')].map((one) => one.hash.slice(2))"
        ".filter((one) => one.startsWith(arguments[0] + '/') && one.split('/').length >= arguments[1])", screen, depth)
    return found[0] if found else None


def pictures(browser, server, folder):
    customers = world.fill(server)
    page = Page(browser)
    page.open(f"http://boss.localhost:{server.port}/")
    page.await_one("field", "Token")
    yield from shoot(browser, page, folder, "sign-in")
    for name in ("boss", "root"):
        page.open("about:blank")
        page.open(server.link(name))
        page.sees("Settings")
        if name == "root":
            time.sleep(SAMPLES_SECONDS)
        for address in page.script("return [...document.querySelectorAll('.sidebar a.nav-link')].map((one) => one.hash.slice(2))"):
            if address == "settings" and name == "root":
                continue
            page.go(f"{address}/all" if address in ("inbox", "requests", "callbacks") else address)
            time.sleep(0.5)
            prepare(server, page, address, customers)
            inside = first_inside(page, address)
            if inside:
                page.go(inside)
                time.sleep(0.5)
            yield from shoot(browser, page, folder, address)


def prepare(server, page, screen, customers):
    if screen == "inbox":
        page.link("Mia Wagner", ".chats")
        page.sees("Push: delivered")
    elif screen == "dead-letters":
        page.button("Show", "main table")
    elif screen == "tap":
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

"""Somebody in front of a page: finds things by what they are and how they are called, as people and screen readers do."""

import time

from server import Failed, until
from webdriver import Refused

CONTROL, TAB, ENTER, ESCAPE, SPACE, SHIFT, BACKSPACE = "\ue009", "\ue004", "\ue007", "\ue00c", " ", "\ue008", "\ue003"
DOWN = "\ue015"
STALE = "stale element reference"

# Gives the visible element of a kind with that accessible name: the same, or one that begins so. While a dialog is
# open, it is all there is.
FIND = r"""
const [kind, name, within] = arguments;
const kinds = {
  button: 'button, [role=button]', link: 'a[href]', heading: 'h1, h2, h3, h4',
  field: 'input:not([type=checkbox], [type=radio], [type=file]), textarea, select', file: 'input[type=file]',
  checkbox: 'input[type=checkbox]', row: 'tr, li', option: '[role=option]',
};
const words = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
const called = (one) => {
  const by = one.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id)?.textContent).join(' ');
  const shown = /^(SELECT|INPUT|TEXTAREA)$/.test(one.tagName) ? '' : one.innerText;
  return words(by || one.getAttribute('aria-label') || [...(one.labels ?? [])].map((label) => label.textContent).join(' ') || shown || one.title);
};
const visible = (one) => kind === 'file' || (kind === 'checkbox' && one.labels?.length) || (one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0);
const dialogs = document.querySelectorAll('dialog[open]');
const root = dialogs[dialogs.length - 1] ?? document;
const places = within ? [...document.querySelectorAll(within)].filter((one) => root.contains(one)) : [root];
const all = places.flatMap((place) => [...place.querySelectorAll(kinds[kind] ?? kind)]).filter(visible);
if (kind === 'row') return all.findLast((one) => words(one.innerText).includes(name)) ?? null;
return all.find((one) => called(one) === name) ?? all.find((one) => called(one).startsWith(name)) ?? null;
"""

# What is not shown has an `innerText`, too.
TEXT = """
return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).map((one) => one.innerText).join('\\n')
"""


class Page:
    """A window of a browser, with a host of its own, so that one browser has several people in it."""

    def __init__(self, browser):
        self.browser = browser
        self.handle = browser.new_window()

    def front(self):
        self.browser.switch(self.handle)
        return self.browser

    def open(self, address):
        self.front().send("Navigate", url=address)

    def script(self, source, *values):
        return self.front().script(source, *values)

    def text(self, within="body"):
        return self.script(TEXT, within)

    def find(self, kind, name, within=None):
        try:
            return self.script(FIND, kind, name, within)
        except Refused as refusal:
            if refusal.error != STALE:
                raise

    def await_one(self, kind, name, within=None):
        return until(lambda: self.find(kind, name, within), lambda: f"no {kind} “{name}” in:\n{self.text()}")

    def use(self, kind, name, within, act):
        """What is drawn anew at that moment, or covered while something moves, is looked for again."""
        for attempt in range(5):
            try:
                return act(self.await_one(kind, name, within))
            except Refused as refusal:
                if refusal.error not in (STALE, "element click intercepted") or attempt == 4:
                    raise
                time.sleep(0.2)

    def click(self, kind, name, within=None):
        """A real click, wherever it lands."""
        self.use(kind, name, within, self.browser.click)

    def button(self, name, within=None):
        self.click("button", name, within)

    def link(self, name, within=None):
        self.click("link", name, within)

    def screens(self):
        """The addresses of all that the console offers to whoever is signed in."""
        return self.script("return [...document.querySelectorAll('.sidebar a.nav-link')].map((one) => one.hash.slice(2))")

    def screen(self, name):
        """To a screen of the console, by the link that leads there."""
        self.click(f'a[href="#/{name}"]', "", ".sidebar")

    def check(self, name, within=None):
        """A click on the words of a checkbox or switch."""
        self.use("checkbox", name, within, lambda box: self.browser.click(
            self.script("return arguments[0].labels[0] ?? arguments[0]", box)))

    def fill(self, name, text, within=None):
        def write(field):
            self.script("arguments[0].select?.()", field)
            self.browser.type_into(field, text)
        self.use("field", name, within, write)

    def choose(self, name, words):
        """An option of a select, by its words."""
        field = self.await_one("field", name)
        option = self.script(
            "return [...arguments[0].options].find((one) => one.text.startsWith(arguments[1])) ?? null", field, words)
        if option is None:
            raise Failed(f"“{name}” has no “{words}”")
        self.browser.click(option)

    def attach(self, path, within=None):
        """Gives a file to the page, as its dialog would: no browser opens one here, and Firefox types into nothing hidden."""
        field = self.await_one("file", "", within)
        self.script("arguments[0].hidden = false", field)
        self.browser.type_into(field, path)
        self.script("arguments[0].hidden = true", field)

    def value(self, name):
        return self.script("return arguments[0].value", self.await_one("field", name))

    def sees(self, text, within="body", seconds=20):
        until(lambda: text in self.text(within), lambda: f"“{text}” does not appear in:\n{self.text(within)}", seconds)

    def sees_no(self, text, within="body"):
        until(lambda: text not in self.text(within), lambda: f"“{text}” stays in:\n{self.text(within)}")

    def count(self, text, selector):
        """How many elements have this text."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((one) => one.innerText === arguments[1]).length",
            selector, text)

    def press(self, *keys):
        self.front().press(keys)

    def write(self, text):
        """By the keyboard alone, wherever the focus is."""
        self.front().press(list(text))

    def focused(self):
        """How that which has the focus is called."""
        return self.script("const one = document.activeElement; return (one.getAttribute('aria-label') "
                           "|| [...(one.labels ?? [])].map((label) => label.textContent).join(' ') "
                           "|| one.innerText || one.id || one.tagName).replace(/\\s+/g, ' ').trim()")

    def tab_to(self, name, backwards=False, limit=80):
        """Goes on with the tabulator until something of that name has the focus; behind the page's end is the browser."""
        passed = []
        while len(passed) < limit and self.script("return document.hasFocus()"):
            passed.append(self.focused())
            if passed[-1].startswith(name):
                return
            self.press((SHIFT, TAB) if backwards else TAB)
        raise Failed(f"the tabulator does not come to “{name}”, but to {passed}")

    def go(self, place):
        """To a place within the console: `requests/all/1`."""
        self.script("location.hash = '#/' + arguments[0]", place)

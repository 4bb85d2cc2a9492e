"""Chromium and Firefox behind one door: the commands of W3C WebDriver, by the names that Marionette has for them.

Chromium takes them over HTTP from Debian's chromedriver. Firefox ESR takes them as Marionette's messages, whose names
and parameters are the same: Debian has no geckodriver, which would do nothing but translate.
"""

import contextlib
import gc
import http.client
import json
import logging
import os
import pathlib
import shutil
import subprocess
import tempfile

from server import Failed, until

# How long one command may take.
COMMAND_SECONDS = 60

# Of each WebDriver command that is used: method and path below the session. Spec: WebDriver, 6.3.
COMMANDS = {
    "Navigate": ("POST", "url"),
    "Refresh": ("POST", "refresh"),
    "GetCurrentURL": ("GET", "url"),
    "GetWindowHandle": ("GET", "window"),
    "NewWindow": ("POST", "window/new"),
    "SwitchToWindow": ("POST", "window"),
    "SetWindowRect": ("POST", "window/rect"),
    "ExecuteScript": ("POST", "execute/sync"),
    "ExecuteAsyncScript": ("POST", "execute/async"),
    "SetTimeouts": ("POST", "timeouts"),
    "ElementClick": ("POST", "element/{id}/click"),
    "ElementSendKeys": ("POST", "element/{id}/value"),
    "PerformActions": ("POST", "actions"),
    "TakeScreenshot": ("GET", "screenshot"),
}


class Refused(Failed):
    """The browser says that it cannot do it: `error` is WebDriver's code."""

    def __init__(self, error, message):
        super().__init__(f"{error}: {message}")
        self.error = error


class Browser:
    """What both have. Elements are what scripts give back for them."""

    window = None

    def begin(self):
        # Where something waits for long, this side waits: it knows what for.
        self.send("SetTimeouts", script=COMMAND_SECONDS * 1000, pageLoad=COMMAND_SECONDS * 1000, implicit=0)

    def script(self, source, *values):
        return self.send("ExecuteScript", script=source, args=list(values))

    def script_later(self, source, *values):
        """A script that calls its last argument with what it gives."""
        return self.send("ExecuteAsyncScript", script=source, args=list(values))

    def new_window(self):
        handle = self.send("NewWindow", type="window")["handle"]
        self.switch(handle)
        return handle

    def switch(self, handle):
        if handle != self.window:
            self.send("SwitchToWindow", handle=handle, focus=True)
            self.window = handle

    def click(self, element):
        self.send("ElementClick", id=element_id(element))

    def type_into(self, element, text):
        self.send("ElementSendKeys", id=element_id(element), text=text, value=list(text))

    def press(self, keys):
        """Presses and lets go each of `keys`, where the focus is; a tuple of them is held together."""
        actions = []
        for key in keys:
            held = key if isinstance(key, tuple) else (key,)
            actions += [{"type": "keyDown", "value": one} for one in held]
            actions += [{"type": "keyUp", "value": one} for one in reversed(held)]
        self.send("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def element_id(element):
    return next(iter(element.values()))


class Chromium(Browser):
    name = "chromium"

    def __init__(self, trace=None):
        """`trace`: categories of the browser's own trace, which `traced` gives then."""
        self.profile = tempfile.mkdtemp(prefix="console-chromium-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0", f"--log-path={self.profile}/driver.log"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = next(line for line in self.driver.stdout if "started successfully on port" in line)
        self.port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
        options = {
            "binary": shutil.which("chromium"),
            "args": ["--headless=new", "--window-size=1280,900", "--lang=en-US", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                     *(["--no-sandbox"] if os.geteuid() == 0 else [])],
        }
        if trace:
            options["perfLoggingPrefs"] = {"traceCategories": trace}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self.http("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.begin()

    def http(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=COMMAND_SECONDS + 10)
        with contextlib.closing(connection):
            connection.request(method, path, json.dumps(body or {}) if method == "POST" else None)
            answer = json.load(connection.getresponse())["value"]
        if isinstance(answer, dict) and "error" in answer and "stacktrace" in answer:
            raise Refused(answer["error"], answer["message"])
        return answer

    def send(self, command, id=None, **parameters):
        method, path = COMMANDS[command]
        return self.http(method, f"/session/{self.session}/{path.format(id=id)}", parameters)

    def devtools(self, command, **parameters):
        return self.http("POST", f"/session/{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind):
        return self.http("POST", f"/session/{self.session}/se/log", {"type": kind})

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def color_scheme(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def complaints(self):
        """What the console says of errors and of the content security policy, since the last time."""
        # That an answer was 401 or 404 is told there, too: pages ask whether something is there.
        return [one["message"] for one in self.log("browser")
                if one["source"] == "security" or one["level"] == "SEVERE" and one["source"] != "network"]

    def requests(self):
        """The URLs that pages have asked for, since the last time."""
        messages = (json.loads(one["message"])["message"] for one in self.log("performance"))
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def traced(self):
        """The events of the trace, since the last time."""
        messages = (json.loads(one["message"])["message"] for one in self.log("performance"))
        return [one["params"] for one in messages if one["method"] == "Tracing.dataCollected"]

    def end(self):
        with contextlib.suppress(OSError, Failed):
            self.http("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Firefox(Browser):
    name = "firefox"

    # Nothing of the browser's own may be asked for, and other people's hosts are all on loopback.
    PREFERENCES = {
        "intl.accept_languages": "en-US",
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        "ui.prefersReducedMotion": 1,
    }

    # Notes what pages ask for and what the console says, in the browser's own scope.
    WATCH = """
        const watch = (Cu.getGlobalForObject(Services).consoleWatch = { requests: [], complaints: [] });
        const ofPage = (channel) => !channel.loadInfo?.loadingPrincipal?.isSystemPrincipal;
        Services.obs.addObserver((channel) => {
          channel.QueryInterface(Ci.nsIHttpChannel);
          if (ofPage(channel)) watch.requests.push(channel.URI.spec);
        }, 'http-on-opening-request');
        Services.console.registerListener({ observe(message) {
          if (!(message instanceof Ci.nsIScriptError) || !/^http/.test(message.sourceName)) return;
          const isSecurity = /CSP|Content.Security/i.test(`${message.category} ${message.errorMessage}`);
          if (isSecurity || !(message.flags & message.warningFlag)) watch.complaints.push(message.errorMessage);
        } });
    """

    def __init__(self):
        from marionette_driver.marionette import Marionette
        logging.getLogger("mozversion").disabled = True
        self.log_file = tempfile.NamedTemporaryFile(prefix="console-firefox-")
        self.marionette = Marionette(
            bin=shutil.which("firefox-esr"), headless=True, port=0, gecko_log=self.log_file.name,
            prefs=dict(self.PREFERENCES))
        self.marionette.start_session()
        self.begin()
        self.in_browser(self.WATCH)
        self.resize(1280, 760)

    def send(self, command, **parameters):
        if command.startswith("Execute"):
            parameters["sandbox"] = None  # in the page's own scope, as WebDriver has it
        message = self.marionette.client.request(f"WebDriver:{command}", parameters)
        if message.error:
            raise Refused(message.error["error"], message.error["message"])
        answer = message.result
        return answer["value"] if isinstance(answer, dict) and set(answer) == {"value"} else answer

    def in_browser(self, source, *values):
        with self.marionette.using_context("chrome"):
            return self.marionette.execute_script(source, script_args=values, sandbox="watch", new_sandbox=False)

    def resize(self, width, height):
        # Its windows are never narrower than 450 pixels; the page in one may be.
        self.send("SetWindowRect", width=max(width, 600) + 20, height=height + 120)
        self.in_browser("""
            for (const [name, value] of [['width', arguments[0]], ['height', arguments[1]]])
              for (const bound of ['min-', 'max-', '']) gBrowser.selectedBrowser.style.setProperty(bound + name, value + 'px');
        """, width, height)
        until(lambda: self.script("return innerWidth") == width, f"a page of {width} pixels")

    def color_scheme(self, scheme):
        self.in_browser(f"gBrowser.selectedBrowser.browsingContext.top.prefersColorSchemeOverride = '{scheme}'")

    def complaints(self):
        return self.in_browser("return Cu.getGlobalForObject(Services).consoleWatch.complaints.splice(0)")

    def requests(self):
        return self.in_browser("return Cu.getGlobalForObject(Services).consoleWatch.requests.splice(0)")

    def end(self):
        with contextlib.suppress(OSError):
            self.marionette.quit()
        self.marionette.cleanup()
        self.marionette.cleanup_ran = True
        self.marionette = None
        gc.collect()  # its profile takes itself away, which it cannot do at the very end


BROWSERS = {one.name: one for one in (Chromium, Firefox)}

"""How long a customer's line takes to an agent's screen: `latency.py [--streams 199] [--chats 1000] [--rate 100]`.

One page in Chromium has the inbox and a conversation open, others' streams are read raw, and in all chats customers write
and an agent answers. What counts is the time from just before the customer of the open conversation sends to the frame
behind the one that the line is drawn in. Milliseconds all. Prints one line of JSON; ends with 1 if more than one line in
a hundred took longer than it may, or the load was not what it should be, in each of the tries: what else the machine does
can only make it worse. That every stream has heard of every line is made sure of. Needs a program that was built for
release: CARILLON_PROGRAM names it.
"""

import argparse
import concurrent.futures
import http.client
import itertools
import json
import multiprocessing
import os
import socket
import sys
import threading
import time
from urllib.parse import urlencode

sys.dont_write_bytecode = True

from customers import Customer
from page import Page
from server import Failed, Server, until
from webdriver import Chromium

P99_MILLISECONDS_MAXIMUM = 100
TRIES = 3
# Of the messages, so many a second go to the conversation that is on the screen.
PROBES = 5
# With less of the messages that were wished for it was another load.
RATE_SHARE_MINIMUM = 0.95
# Connections over which the others go.
TALKERS = 8
# Seconds after which the others' streams are read again: how soon they have a line is measured by the harness, and here
# their reader would take the processor that the page is drawn with.
READING_PAUSE = 0.1

# Notes when each probe is drawn: the first frame after it is in the document has it, and a message is taken behind that.
WATCH = r"""
window.linesSeen = {};
const view = document.querySelector('.transcript');
new MutationObserver((changes) => {
  const lines = changes.flatMap((change) => [...change.addedNodes]).filter((node) => node.matches?.('li.line'));
  for (const line of lines) {
    const number = /^Probe (\d+)$/.exec(line.querySelector('.bubble').textContent)?.[1];
    if (!number || number in linesSeen) continue;
    linesSeen[number] = null;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const isInView = line.isConnected && line.getBoundingClientRect().bottom <= view.getBoundingClientRect().bottom;
        linesSeen[number] = { time: Date.now(), isInView };
        port1.close();
      };
      port2.postMessage(null);
    });
  }
}).observe(view, { childList: true, subtree: true });
"""


def read_streams(port, tokens, counts, is_over):
    """A process: what stands in `counts` is how many lines each stream has had."""
    mark = b"event: line\n"
    streams = []
    for index, token in enumerate(tokens):
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(f"GET /agent/1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        head = one.recv(65536)
        if not head.startswith(b"HTTP/1.1 200 "):
            raise Failed(f"a stream was answered with {head[:200]}")
        one.setblocking(False)
        counts[index] = 0
        streams.append([one, b""])
    while not is_over.wait(READING_PAUSE):
        for index, stream in enumerate(streams):
            try:
                piece = stream[0].recv(262144)
            except BlockingIOError:
                continue
            if not piece:
                raise Failed("a stream has ended")
            piece = stream[1] + piece
            counts[index] += piece.count(mark)
            # A mark may come in two pieces; less than one is none.
            stream[1] = piece[1 - len(mark):]


def talk(port, chats, token, rate, posted, is_over):
    """A process: customers and the agent write in turn, in one chat after the other, up to `TALKERS` of them at a time."""
    turns = enumerate(itertools.cycle([(chat, side) for side in ("customer", "agent") for chat in chats]))
    one_at_a_time = threading.Lock()
    began = time.monotonic()

    def write():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        while not is_over.is_set():
            with one_at_a_time:
                number, ((customer, agent, user), side) = next(turns)
            time.sleep(max(0, began + number / rate - time.monotonic()))
            if side == "customer":
                headers = {"gms_user": user, "Content-Type": "application/x-www-form-urlencoded"}
                connection.request("POST", f"{customer}/send", urlencode({"message": f"And {number} more things"}), headers)
            else:
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                connection.request("POST", f"{agent}/messages", json.dumps({"text": f"Thing {number} is on its way"}), headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise Failed(f"a message was answered with {answer.status}")
            with posted.get_lock():
                posted.value += 1

    with concurrent.futures.ThreadPoolExecutor(TALKERS) as many:
        for done in [many.submit(write) for _ in range(TALKERS)]:
            done.result()


class Load:
    """Others' streams and messages, in processes of their own, as long as it lasts."""

    def __init__(self, server, chats, tokens, rate):
        # Nothing of this process is taken along: it has threads.
        spawn = multiprocessing.get_context("spawn")
        self.counts, self.posted = spawn.Array("q", [-1] * len(tokens), lock=False), spawn.Value("q", 0)
        self.talking_over, self.reading_over = spawn.Event(), spawn.Event()
        self.reading = spawn.Process(target=read_streams, args=(server.port, tokens, self.counts, self.reading_over), daemon=True)
        self.talking = spawn.Process(
            target=talk, args=(server.port, chats, server.tokens["anna"], rate, self.posted, self.talking_over), daemon=True)

    def __enter__(self):
        self.reading.start()
        until(lambda: self.reading.exitcode is not None or min(self.counts) >= 0, "the others' streams", 60)
        self.talking.start()
        until(lambda: self.posted.value or self.talking.exitcode is not None, "the first message")
        return self

    def end(self, probes):
        """After the last message: all streams must have had all."""
        self.talking_over.set()
        self.talking.join(30)
        if self.talking.exitcode != 0 or self.reading.exitcode is not None:
            raise Failed("the load did not last")
        wanted = self.posted.value + probes
        until(lambda: min(self.counts) >= wanted, lambda: f"{wanted} lines at each stream: {min(self.counts)} at one")
        if max(self.counts) != wanted:
            raise Failed(f"{max(self.counts)} lines at a stream, {wanted} were posted")

    def __exit__(self, *_):
        for over, process in ((self.talking_over, self.talking), (self.reading_over, self.reading)):
            over.set()
            if process.pid:
                process.join(10)
                process.kill()


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        ticks = file.read().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def probe(customer, seconds):
    """Writes so long, at an even pace. Gives the times of all."""
    sent = {}
    began = time.monotonic()
    for number in range(seconds * PROBES):
        time.sleep(max(0, began + number / PROBES - time.monotonic()))
        sent[str(number)] = time.time() * 1000
        customer.say(f"Probe {number}")
    return sent


def percentile(times, percent):
    return times[min(len(times) - 1, len(times) * percent // 100)]


def measured(server, probed, others, tokens, options):
    with Chromium() as browser:
        page = Page(browser)
        page.open(server.link("boss"))
        page.sees("Inbox")
        page.go(f"inbox/all/{probed.chat}")
        until(lambda: page.script("return document.querySelectorAll('.chats > li').length") == len(others) + 1, "all chats", 60)
        until(lambda: page.script("return document.querySelectorAll('.transcript .lines > li').length"), "a conversation")
        page.script(WATCH)
        with Load(server, others, tokens, options.rate - PROBES) as load:
            used, began, before = processor_seconds(server.process.pid), time.monotonic(), load.posted.value
            sent = probe(probed, options.seconds)
            cores = (processor_seconds(server.process.pid) - used) / (time.monotonic() - began)
            rate = (load.posted.value - before + len(sent)) / (time.monotonic() - began)
            load.end(len(sent))
        seen = until(lambda: (all_seen := page.script("return linesSeen")) and len(all_seen) == len(sent)
                     and all(all_seen.values()) and all_seen, "all lines on the screen")
    times = sorted(seen[number]["time"] - sent[number] for number in sent)
    if not all(one["isInView"] for one in seen.values()):
        raise Failed("lines that are not in view")
    return {"p50": round(percentile(times, 50), 1), "p99": round(percentile(times, 99), 1), "longest": round(times[-1], 1),
            "lines": len(times), "streams": len(tokens) + 1, "chats": len(others) + 1, "messagesPerSecond": round(rate, 1),
            "serverCores": round(cores, 2)}


def is_kept(one, rate):
    return one["p99"] <= P99_MILLISECONDS_MAXIMUM and one["messagesPerSecond"] >= RATE_SHARE_MINIMUM * rate


def chat(server, number):
    """A chat that has its agent. - Returns the customer, and what of it another process needs."""
    customer = Customer(server, f"Guest {number}", f"Order {number}")
    customer.chat = customer.call("GET", f"{customer.path}/refresh?transcriptPosition=0")["chatSessionId"]
    agents = f"/agent/1/chats/{customer.chat}"
    server.ask("POST", f"{agents}/join", {"nickname": "Anna"}, by="anna")
    return customer, (customer.path, agents, customer.user)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--streams", type=int, default=199, help="others' streams, beside the page's")
    options.add_argument("--chats", type=int, default=1000)
    options.add_argument("--rate", type=int, default=100, help="messages a second, in all chats together")
    options.add_argument("--seconds", type=int, default=30)
    options = options.parse_args()
    if options.rate <= PROBES or min(options.streams, options.seconds, options.chats - 1) < 1:
        sys.exit(f"more than {PROBES} messages a second, 2 chats, a stream and a second")
    with Server() as server:
        server.token("anna", "agent")
        tokens = [server.ask("POST", "/admin/1/tokens", {"name": f"other-{number}", "role": "supervisor"}, by="root")["secret"]
                  for number in range(options.streams)]
        with concurrent.futures.ThreadPoolExecutor(4) as many:
            chats = list(many.map(lambda number: chat(server, number), range(options.chats)))
        (probed, _), *others = chats
        best = None
        for _ in range(TRIES):
            one = measured(server, probed, [other for _, other in others], tokens, options)
            best = min(best or one, one, key=lambda each: (not is_kept(each, options.rate), each["p99"]))
            if is_kept(best, options.rate):
                break
    print(json.dumps(best))
    sys.exit(not is_kept(best, options.rate))


if __name__ == "__main__":
    main()

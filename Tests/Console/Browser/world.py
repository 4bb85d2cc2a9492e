"""A server on which something has happened in every room, for whoever looks at all screens."""

import struct
import zlib

from customers import Customer, Requester, order_callback
from server import until


def picture(width, height):
    """A PNG: two roads on a meadow."""
    def pixel(x, y):
        return b"\xf4\xc9\x5d" if abs(x - 2 * y + 40) < 9 or abs(y - height * 2 // 3) < 4 else b"\xb9\xdd\xb3"
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PEOPLE = [("Mia Wagner", "Order 81", "Where is my parcel?"), ("Ben Vogel", "Refund", "I sent the lamp back last week."),
          ("Lea Roth", "Shoes", "Do you have them in 42?"), ("Tom Lang", "Invoice 2026-117", "The address is wrong."),
          ("Ida Kern", "Delivery on Saturday", "Is that possible?"), ("Jan Pohl", "Gift card", "It does not work.")]


def fill(server, twist=lambda text: text):
    """Chats in every state, a callback, a request, devices, a dead letter, messages, an erasure. `twist` makes another
    text of each that comes from outside. Gives back the customers of the chats."""
    server.token("anna", "agent")
    server.token("shop", "sender", "--sender", "1234567890")
    customers = [chat(server, *(twist(word) for word in words), number) for number, words in enumerate(PEOPLE)]
    talk(server, customers[0], twist)
    away(server, customers[1])
    server.ask("POST", f"{path(server, customers[2])}/join", {"nickname": "Anna"}, by="anna")
    server.ask("POST", f"{path(server, customers[2])}/close", by="anna")
    erased = chat(server, "Nobody", "Nothing", "x", 9)
    server.ask("POST", f"{path(server, erased)}/join", {"nickname": "Anna"}, by="anna")
    server.ask("POST", f"{path(server, erased)}/close", by="anna")
    server.ask("POST", "/admin/1/redactions", {"subject": erased.user, "reason": twist("Asked for it by letter")}, by="root")
    for subject in ("Broken lamp", "Contract"):
        order_callback(server, twist(subject), _customer_number="+4930555010", remark=twist("after six"))
    ann = Requester(server, twist("Ann Behrens"))
    upload = ann.upload(twist("invoice.txt"), b"Invoice", "text/plain")
    number = ann.ask(twist("Invoice missing"), twist("Please send it again, see http://shop.example/81."), [upload])
    server.ask("PUT", f"/api/v2/tickets/{number}", {"ticket": {"comment": {"body": twist("Known"), "public": False}}}, by="anna")
    message(server, twist)
    return customers


def chat(server, name, subject, text, number):
    customer = Customer(server, name, subject, device=f"phone-{number}", order=str(81 + number))
    customer.come()
    customer.say(text)
    return customer


def path(server, customer):
    chats = server.ask("GET", "/agent/1/chats?state=all&limit=500")
    return "/agent/1/chats/" + next(chat["chatId"] for chat in chats if chat["serviceId"] == customer.id)


def talk(server, customer, twist):
    """A long chat with everything in it: files, links, asides, a push with its outcome."""
    here = path(server, customer)
    server.ask("POST", f"{here}/join", {"nickname": "Anna"}, by="anna")
    for text, answer in (("It should have come on Monday.", "I will look into it."), ("Thank you!", "One moment, please.")):
        customer.say(twist(text))
        server.ask("POST", f"{here}/messages", {"text": twist(answer)}, by="anna")
    customer.file(twist("bill.txt").replace("/", "∕"), b"Order 81: paid", "text/plain")
    customer.file("map.png", picture(220, 110), "image/png")
    server.ask("POST", f"{here}/pushurl", {"url": "https://shop.example/81"}, by="anna")
    server.ask("POST", f"{here}/private", {"text": twist("Third time this year")}, by="anna")
    server.ask("POST", f"{here}/whisper", {"text": twist("Offer her a discount")})
    customer.leave()
    server.ask("POST", f"{here}/messages", {"text": twist("It comes tomorrow.")}, by="anna")
    until(lambda: server.ask("GET", here)["pushes"]["last"], "a push")


def away(server, customer):
    """A push that reaches nobody."""
    here = path(server, customer)
    server.receiver.refused.add("phone-1")
    server.ask("POST", f"{here}/join", {"nickname": "Anna"}, by="anna")
    customer.leave()
    server.ask("POST", f"{here}/messages", {"text": "Your money is on its way"}, by="anna")
    until(lambda: server.ask("GET", "/admin/1/dead-letters", by="root"), "a dead letter")


def message(server, twist):
    """To a topic that nobody has: it passes the tap all the same."""
    note = {"to": "/topics/news", "notification": {"title": twist("Sale"), "body": twist("All shoes")}}
    server.ask("POST", "/fcm/send", note, by=None, headers={"Authorization": f"key={server.tokens['shop']}"})

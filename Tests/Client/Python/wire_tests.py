"""What comes from a server, in pieces and as garbage."""

import random
import unittest

from carillon import (CarillonError, ChatMessage, InvalidAddress, InvalidArgument, MalformedResponse, Refused,
                      Unreachable, message)
from carillon._events import EventParser
from carillon._http import Address, Call, ResponseParser

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
CONTINUED = b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN


class Responses(unittest.TestCase):
    def test_any_pieces_make_the_same_response(self):
        for data in (PLAIN, CHUNKED, CONTINUED):
            for size in (1, 2, 7, len(data)):
                with self.subTest(data=data, size=size):
                    parser = ResponseParser()
                    for start in range(0, len(data), size):
                        parser.feed(data[start:start + size])
                    self.assertTrue(parser.is_complete)
                    self.assertEqual(parser.answer().body, b"hello")
                    self.assertTrue(parser.is_reusable)

    def test_a_response_until_the_end_of_its_connection(self):
        parser = ResponseParser()
        parser.feed(b"HTTP/1.0 200 OK\r\n\r\nhel")
        parser.feed(b"lo")
        self.assertFalse(parser.is_complete)
        parser.end()
        self.assertTrue(parser.is_complete)
        self.assertFalse(parser.is_reusable)
        self.assertEqual(parser.answer().body, b"hello")

    def test_one_that_is_cut_is_not_complete(self):
        for data in (PLAIN, CHUNKED):
            for length in range(len(data)):
                parser = ResponseParser()
                parser.feed(data[:length])
                parser.end()
                self.assertFalse(parser.is_complete, data[:length])

    def test_what_is_no_HTTP_is_refused(self):
        for data in (b"\0\1", b"SSH-2.0", b"HTTP/1.1 2 OK\r\n\r\n", b"HTTP/2 200\r\n\r\n",
                     b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,
                     CHUNKED.replace(b"2;x=y", b"-2"), CHUNKED.replace(b"he\r\n", b"hexx")):
            with self.subTest(data=data[:60]), self.assertRaises(MalformedResponse):
                ResponseParser().feed(data)

    def test_random_bytes_do_no_worse_than_being_refused(self):
        chance = random.Random(22)
        for _ in range(3_000):
            data = bytearray(chance.choice((PLAIN, CHUNKED, CONTINUED)))
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                parser = ResponseParser()
                parser.feed(bytes(data))
                parser.end()
                if parser.is_complete:
                    ChatMessage.parse(parser.answer().accepted().json)
            except CarillonError:
                pass


class Errors(unittest.TestCase):
    def test_addresses_that_are_none(self):
        for url in (None, 7, "", "localhost:8080", "ftp://host", "http://", "http://host:0", "http://host:70000",
                    "http://a b", "http://user@host", "http://host/?q"):
            with self.subTest(url=url), self.assertRaises(InvalidAddress):
                Address.parse(url)
        self.assertEqual(Address.parse("https://[::1]:443/base/").authority, "[::1]")

    def test_what_is_known_of_each(self):
        self.assertTrue(Unreachable("").is_undone)
        self.assertTrue(MalformedResponse("").is_uncertain)
        for status, undone, uncertain in ((404, False, False), (429, True, False), (500, False, True),
                                          (502, False, True), (503, True, False)):
            refused = Refused(status, "")
            self.assertEqual((refused.is_undone, refused.is_uncertain), (undone, uncertain), status)

    def test_a_line_break_makes_no_header(self):
        with self.assertRaises(InvalidArgument):
            Call("GET", "/").encode(Address.parse("http://host"), {"gms_user": "a\r\nX: b"})

    def test_a_message_has_one_target(self):
        for targets in ({}, {"token": "t", "topic": "n"}):
            with self.subTest(targets=targets), self.assertRaises(InvalidArgument):
                message(**targets)

    def test_chat_responses_that_are_none(self):
        good = {"chatSessionId": "1", "chatIxnState": "TRANSCRIPT", "transcriptPosition": "2",
                "transcriptToShow": [["Message.Text", "A", "hi", "7", "AGENT"]]}
        self.assertEqual(ChatMessage.parse(good).events[0].position, 2)
        for change in ({"chatSessionId": 7}, {"chatIxnState": "X"}, {"transcriptPosition": "x"},
                       {"transcriptPosition": -1}, {"transcriptToShow": [["too", "few"]]}, {"transcriptToShow": [7]}):
            with self.subTest(change=change), self.assertRaises(MalformedResponse):
                ChatMessage.parse(good | change)
        for value in (None, 7, [], "text"):
            with self.subTest(value=value), self.assertRaises(MalformedResponse):
                ChatMessage.parse(value)


class Events(unittest.TestCase):
    def test_any_pieces_make_the_same_events(self):
        data = b': hello\r\nid: 7\r\nevent: line\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: no JSON\n\ndata:[2]\n\n'
        for size in (1, 3, len(data)):
            parser = EventParser()
            events = []
            for start in range(0, len(data), size):
                events += parser.feed(data[start:start + size])
            self.assertEqual([(event.name, event.data, event.id) for event in events],
                             [("line", {"a": 1}, "7"), ("message", [2], "7")])

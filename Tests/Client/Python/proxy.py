"""Stands between a client and the server, and cuts, delays and lies as the test tells it. One request a connection."""

import contextlib
import json
import re
import socket
import threading
import time

FAULTS = ("cut before", "cut after", "delay", "no HTTP", "sign-in page", "truncate", "bad gateway", "unknown client",
          "other version")


def answer(status, kind, body):
    return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
            f"{body}").encode()


class Proxy:
    """`choose` gets the text of a request, and names what is done to it; None: nothing."""

    def __init__(self, port, delay, choose):
        self._port = port
        self._delay = delay
        self._choose = choose
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A thread that waits in accept is woken by this alone.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):
            request = self._request(client)
            if request is None:
                return
            fault = self._choose(request.decode(errors="replace"))
            if fault == "cut before":
                return
            if fault == "delay":
                time.sleep(self._delay)
            data = self._forward(request)
            if fault == "cut after":
                return
            client.sendall(self._spoil(fault, request, data))

    @staticmethod
    def _spoil(fault, request, data):
        if fault == "no HTTP":
            return b"\0\1 this is no HTTP\r\n\r\n"
        if fault == "sign-in page":
            return answer("200 OK", "text/html", "<html>Welcome to our network</html>")
        if fault == "truncate":
            return data[:-12]
        if fault == "bad gateway":
            return answer("502 Bad Gateway", "text/plain", "nobody there")
        if fault == "unknown client":
            number = re.search(rb'"id": ?"(\d+)"', request).group(1).decode()
            return answer("200 OK", "application/json", json.dumps([{
                "channel": "/meta/connect", "id": number, "successful": False, "error": "402::Unknown client",
                "advice": {"reconnect": "handshake"}}]))
        if fault == "other version":
            return answer("200 OK", "application/json", '{"version":9,"transcript":{"of":["another","form"]}}')
        return data

    @staticmethod
    def _request(client):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = client.recv(8192)
            if not piece:
                return None
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        while length and len(body) < int(length.group(1)):
            body += client.recv(8192)
        return head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1) + b"\r\n\r\n" + body

    def _forward(self, request):
        with socket.create_connection(("127.0.0.1", self._port)) as server:
            server.sendall(request)
            data = b""
            while piece := server.recv(8192):
                data += piece
            return data

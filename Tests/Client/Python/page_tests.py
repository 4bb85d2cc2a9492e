"""The programs of PYTHON.md, as they are printed: each block whose language is followed by a file's name."""

import os
import re
import subprocess
import sys
import time
import unittest

import common
import server as console

PACKAGE = console.ROOT / "Sources/Client/Python"


class Page(unittest.TestCase):
    def test_its_programs_run(self):
        server = common.shared()
        page = (PACKAGE / "PYTHON.md").read_text()
        programs = dict(re.findall(r"\n```python (\w+\.py)\n(.*?)\n```\n", page, re.DOTALL))
        url, anna = common.url(server), server.tokens["anna"]
        said = self.run_program(programs.pop("first_chat.py"), url, anna)
        self.assertIn("Mia Where is my parcel?\n", said)
        self.assertIn("Anna It left today.\n", said)
        identity = console.request(server.port, "POST", "/device/1/checkin", {}).json
        login = {"Authorization": f"AidLogin {identity['id']}:{identity['securityToken']}"}
        token = console.request(server.port, "POST", "/device/1/register",
                                {"app": "com.example.app", "senders": ["1234567890"]}, login).json["token"]
        said = self.run_program(programs.pop("send.py"), url, server.tokens["shop"], token)
        self.assertRegex(said, "^projects/carillon/messages/")
        self.bot(programs.pop("bot.py"), server)
        self.assertEqual(programs, {})

    def bot(self, program, server):
        bot = subprocess.Popen(self.command(program, common.url(server), server.tokens["anna"]), env=self.environment())
        try:
            # Its stream begins now; what waits from now on it is told of.
            end = time.monotonic() + common.SECONDS
            while bot.poll() is None:
                self.assertLess(time.monotonic(), end, "the bot does not end")
                asked = console.request(server.port, "POST", "/genesys/1/service/request-chat").json["_id"]
                path = f"/genesys/1/service/{asked}/ixn/chat"
                console.request(server.port, "POST", path, form={"firstName": "Mia"})
                try:
                    bot.wait(1)
                except subprocess.TimeoutExpired:
                    pass
            self.assertEqual(bot.returncode, 0)
        finally:
            bot.kill()
            bot.wait()

    def run_program(self, program, *words):
        done = subprocess.run(self.command(program, *words), env=self.environment(), capture_output=True, text=True,
                              timeout=common.SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @staticmethod
    def command(program, *words):
        return [sys.executable, "-c", program, *words]

    @staticmethod
    def environment():
        return {**os.environ, "PYTHONPATH": str(PACKAGE / "src"), "PYTHONDONTWRITEBYTECODE": "1"}

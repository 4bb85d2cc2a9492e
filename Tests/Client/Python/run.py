"""Runs all tests of the Python client, or those whose names hold a word: run.py [WORD].

CARILLON_PROGRAM names the server, `.build/debug/carillon` without it.
"""

import logging
import pathlib
import signal
import sys
import unittest

# Only a test that hangs needs as long as this.
RUN_SECONDS = 1_200
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.dont_write_bytecode = True  # no __pycache__ among the sources
sys.path[:0] = [str(HERE), str(ROOT / "Sources/Client/Python/src"), str(ROOT / "Tests/Console/Browser")]

if __name__ == "__main__":
    # As an interrupt, which says where it was and ends the server too. Whatever else is raised, unittest goes on.
    for ending in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(ending, signal.default_int_handler)
    signal.alarm(RUN_SECONDS)
    # unittest has asyncio say which of its steps took a tenth of a second.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{word}*" for word in sys.argv[1:]] or None
    result = unittest.TextTestRunner(verbosity=2).run(loader.discover(str(HERE), "*_tests.py"))
    sys.exit(0 if result.wasSuccessful() else 1)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the adapters' tests, or those of the named files: `run.py [--all] [NAME_test]..`

With the interpreter of build/python, if it is there, so that tests that need packages can run; else with this one.
--all: a test that is skipped for want of a package is a failure.
"""
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PRIVATE = HERE.parents[1] / "build/python/bin/python"


def main():
    if PRIVATE.exists() and Path(sys.prefix) != PRIVATE.parents[1]:
        os.execv(PRIVATE, [str(PRIVATE), __file__, *sys.argv[1:]])
    sys.path.insert(0, str(HERE))
    names = [name for name in sys.argv[1:] if name != "--all"] or sorted(p.stem for p in HERE.glob("*_test.py"))
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    skipped = len(result.skipped) if "--all" in sys.argv else 0
    return 0 if result.wasSuccessful() and result.testsRun > 0 and not skipped else 1


if __name__ == "__main__":
    sys.exit(main())

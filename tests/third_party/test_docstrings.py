"""The examples in the docstrings of `examples/` run, and print the documented output."""

import ast
import doctest
import os
import sys
import unittest
from pathlib import Path

import programs

EXAMPLES = Path(__file__).parents[2] / "examples"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


class Docstrings(unittest.TestCase):
    def setUp(self):
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{Path(programs.BUXTEHUDE).parent}:{path}"
        sys.path.insert(0, str(EXAMPLES))
        self.addCleanup(sys.path.remove, str(EXAMPLES))

    def test_examples(self):
        files = sorted(EXAMPLES.rglob("*.py"))
        count = 0
        for file in files:
            # Most of these files are programs, which an import would run.
            for node in ast.walk(ast.parse(file.read_text())):
                text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
                example = doctest.DocTestParser().get_doctest(text or "", {}, file.name, file, 0)
                if example.examples:
                    count += 1
                    said = []
                    results = doctest.DocTestRunner().run(example, out=said.append)
                    self.assertEqual(results.failed, 0, "".join(said))
        self.assertGreater(count, 0, "no docstring has an example")

"""The entry point: no arguments, a hook event on stdin; arguments, the command line."""

from __future__ import annotations

import os
import sys

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main() -> int:
    from flaky_memory import cli

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

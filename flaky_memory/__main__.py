"""The entry point: no arguments, a hook event on stdin; arguments, the command line.

Runs as a script, so Python compiles this file at every start: it only finds the package. A hook must
be silent on any interpreter, so it keeps to what Python 3.6 can read.
"""

import sys

OLDEST = (3, 9)


def main() -> int:
    if sys.version_info < OLDEST:
        if len(sys.argv) > 1:
            sys.stderr.write("flaky-memory needs Python {}.{} or newer\n".format(*OLDEST))
            return 1
        return 0
    from flaky_memory import gate

    return gate.main(sys.argv[1:])


if __name__ == "__main__":
    if not __package__:
        folder = __file__.replace("\\", "/").rpartition("/")[0] or "."
        sys.path.insert(0, folder.rpartition("/")[0] or folder + "/..")
    sys.exit(main())

"""The entry point: no arguments, a hook event on stdin; arguments, the command line.

A hook must be silent on any interpreter, so this file keeps to what Python 3.6 can read. It starts
for every command that passes the filters of hooks.json: the gate below finds out whether the command
runs tests with next to no imports, since `json` or `re` alone cost half a bare start.
"""

import sys

OLDEST = (3, 9)
PATIENCE = 1.5  # seconds for stdin to end


def main():
    if sys.version_info < OLDEST:
        if len(sys.argv) > 1:
            sys.stderr.write("flaky-memory needs Python %d.%d or newer\n" % OLDEST)
            return 1
        return 0
    if len(sys.argv) > 1:
        from flaky_memory import cli

        return cli.main(sys.argv[1:])
    data = read_all()
    if data and may_matter(data):
        import os

        from flaky_memory import hook

        hook.run(data, os.environ)
    return 0


def read_all():
    """All of stdin; ends the process when stdin does not end."""
    import _thread

    done = []

    def give_up():
        import time

        time.sleep(PATIENCE)
        if not done:
            import os

            os._exit(0)

    _thread.start_new_thread(give_up, ())
    try:
        return sys.stdin.buffer.read()
    except Exception:
        return b""
    finally:
        done.append(True)


def may_matter(data):
    """False for an event of a command that runs no tests; True where that is not sure."""
    key = data.find(b'"command"')
    if key < 0 or b'"UserPromptExpansion"' in data:
        return b'"UserPromptExpansion"' in data
    colon = data.find(b":", key)
    start = data.find(b'"', colon)
    if colon < 0 or start < 0 or data[colon + 1 : start].strip():
        return True
    from flaky_memory import command

    try:
        from _json import scanstring

        text = scanstring(data[start + 1 :].decode("utf-8", "replace"), 0, False)[0]
    except Exception:
        return True
    return command.hinted(text) and command.read(text, b'"PowerShell"' in data).runs_tests


if __name__ == "__main__":
    if not __package__:
        here = __file__.replace("\\", "/")
        folder = here.rpartition("/")[0] or "."
        sys.path.insert(0, folder.rpartition("/")[0] or (folder + "/.."))
    sys.exit(main())

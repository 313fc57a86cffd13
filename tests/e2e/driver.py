"""Drives the real Claude Code client: a loopback server plays the model, hooks and Bash run for real.

The client runs in print mode, in a throw-away home, with a dummy key; nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

VERSION = "2.1.332"
PACKAGE = f"@anthropic-ai/claude-code@{VERSION}"
PATIENCE = 170  # seconds for one session of the client
_CONTEXT = "hook additional context:"
_KEPT = ("PATH", "LANG", "LC_ALL")  # the rest of the environment could change what the client does


class Unavailable(Exception):
    """The client cannot be had here; the text says why."""


def cache() -> Path:
    """Where the client, and what it builds, is kept between runs."""
    named = os.environ.get("FLAKY_MEMORY_E2E_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "flaky-memory-e2e"


def install() -> Path:
    """The client's executable, installed by npm where it is missing. Raises Unavailable."""
    executable = cache() / "node_modules" / ".bin" / "claude"
    if _version(executable) == VERSION:
        return executable
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not on PATH: install Node.js 20 or newer")
    argv = [npm, "install", "--prefix", str(cache()), "--no-audit", "--no-fund", "--no-save", PACKAGE]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=600)
    found = _version(executable)
    if found != VERSION:
        raise Unavailable(f"npm install {PACKAGE} gave {found or 'no client'}: {done.stdout}{done.stderr}")
    return executable


def _version(executable: Path) -> str:
    try:
        done = subprocess.run([executable, "--version"], capture_output=True, text=True, timeout=60)
    except OSError:
        return ""
    return done.stdout.partition(" ")[0]


# -- the model


class Model(ThreadingHTTPServer):
    """A Messages API that answers each turn with the next tool call of a script, then ends."""

    daemon_threads = True

    def __init__(self, tool: str, calls: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.tool, self.calls = tool, calls
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The message that answers a request; side requests, without tools, are not counted."""
        done = len(tool_results(request))
        block: dict[str, Any] = {"type": "text", "text": "done"}
        if self.tool in [t.get("name") for t in request.get("tools", [])]:
            self.requests.append(request)
            if done < len(self.calls):
                number = len(self.requests)
                block = {"type": "tool_use", "id": f"toolu_{id(self)}_{number}", "name": self.tool, "input": self.calls[done]}
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "model"),
            "content": [block], "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def do_HEAD(self) -> None:
        self._reply(b"")

    def do_GET(self) -> None:
        self._reply(b"{}", status=404)

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "count_tokens" in self.path:
            return self._reply(b'{"input_tokens": 1}')
        if not self.path.startswith("/v1/messages"):
            return self._reply(b"{}")
        message = self.server.answer(request)
        if not request.get("stream"):
            return self._reply(json.dumps(message).encode())
        events = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in _stream(message))
        return self._reply(events.encode(), "text/event-stream")

    def _reply(self, data: bytes, kind: str = "application/json", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _stream(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a streamed message (https://docs.anthropic.com/en/api/messages-streaming)."""
    block = message["content"][0]
    if block["type"] == "text":
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _blocks(request: dict[str, Any]) -> list[dict[str, Any]]:
    """All content blocks of a request, in order."""
    found: list[dict[str, Any]] = []
    for message in request.get("messages", []):
        content = message["content"]
        found += content if isinstance(content, list) else [{"type": "text", "text": content}]
    return found


def tool_results(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [b for b in _blocks(request) if b.get("type") == "tool_result"]


# -- the client


@dataclass
class Result:
    """One Bash call as the model got it back: its text, and what hooks added for the model."""

    text: str
    is_error: bool
    contexts: list[str] = field(default_factory=list)


@dataclass
class Session:
    """What came of one run of the client.

    `notices` are the lines that hooks showed to the person, `requests` how often the model was asked,
    `asked` all text that it read, `text` the client's last word, `events` all that it printed.
    """

    results: list[Result]
    notices: list[str]
    requests: int
    asked: str
    text: str
    status: int
    events: list[dict[str, Any]]
    stderr: str


class Client:
    """The client with a home of its own; settings and installed plugins last as long as that."""

    def __init__(self, executable: Path, home: Path, environ: dict[str, str] | None = None) -> None:
        self.executable, self.home, self.environ = executable, home, environ or {}
        home.mkdir(exist_ok=True)

    def command(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """One of the client's own commands, such as `plugin install`."""
        argv = [str(self.executable), *arguments]
        environ = self._environ("http://127.0.0.1:9")
        return subprocess.run(argv, cwd=cwd, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def session(
        self, cwd: Path, *calls: str | dict[str, Any], prompt: str = "go", plugin: Path | None = None,
        options: tuple[str, ...] = (), tool: str = "Bash",
    ) -> Session:  # fmt: skip
        """Type a prompt; the model answers with the calls (commands, or whole tool inputs), one a turn."""
        inputs = [c if isinstance(c, dict) else {"command": c, "description": "run"} for c in calls]
        loaded = ["--plugin-dir", str(plugin)] if plugin else []
        argv = [str(self.executable), "-p", prompt, *loaded, "--allowedTools", tool, *options]
        argv += ["--output-format", "stream-json", "--verbose"]
        with Model(tool, inputs) as model:
            threading.Thread(target=model.serve_forever, daemon=True).start()
            done = subprocess.run(
                argv, cwd=cwd, env=self._environ(model.url), stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=PATIENCE,
            )  # fmt: skip
            model.shutdown()
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return Session(
            _results(model.requests[-1]) if model.requests else [],
            [e.get("content", "") for e in events if e.get("subtype") == "informational"],
            len(model.requests),
            "\n".join(b.get("text", "") for b in _blocks(model.requests[-1])) if model.requests else "",
            next((str(e.get("result")) for e in events if e.get("type") == "result"), ""),
            done.returncode, events, done.stderr,
        )  # fmt: skip

    def _environ(self, url: str) -> dict[str, str]:
        kept = {k: os.environ[k] for k in _KEPT if k in os.environ}
        return {
            **kept, "HOME": str(self.home), "TERM": "xterm", "IS_SANDBOX": "1", "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "sk-ant-dummy", "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", **self.environ,
        }  # fmt: skip


def _results(request: dict[str, Any]) -> list[Result]:
    """The calls of the last request, which holds the whole conversation."""
    found: list[Result] = []
    for block in _blocks(request):
        text = block.get("text", "")
        if block.get("type") == "tool_result":
            content = block["content"]
            joined = content if isinstance(content, str) else "".join(c.get("text", "") for c in content)
            found.append(Result(joined, bool(block.get("is_error"))))
        elif _CONTEXT in text and found:  # those of calls that the model made together come in one text
            pieces = re.split(r"(?:\A|\n\n)\w+:\w+ " + _CONTEXT, text.removesuffix("</system-reminder>").strip())
            found[-1].contexts += [p.partition("\n\n# ")[0].strip() for p in pieces if p.strip()]
    return found


def main(arguments: list[str]) -> int:
    """Run one of the client's own commands in a throw-away home; its exit status."""
    with tempfile.TemporaryDirectory(prefix="flaky-memory-home-") as home:
        try:
            done = Client(install(), Path(home)).command(*arguments, cwd=Path.cwd())
        except Unavailable as problem:
            sys.exit(str(problem))
    print(done.stdout + done.stderr, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

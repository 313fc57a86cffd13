"""The hook events of Claude Code -> one shape. Everything in them is hostile text."""

from __future__ import annotations

from flaky_memory.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional

CLIENT_LIMIT = 30_000  # characters of an output that the client hands on


class Call(NamedTuple):
    """A Bash (or PowerShell) call, before or after it ran.

    `output` is what it printed, `path` a file that holds all of a long output, `exit_zero` how it
    ended; `skipped` why its run does not count (a key of message.REASONS, "" when it does); `torn` that
    the client cut the end of the output off.
    """

    event: str
    id: str
    session: str
    directory: str
    command: str
    powershell: bool
    output: str = ""
    path: Optional[str] = None
    exit_zero: bool = False
    skipped: str = ""
    torn: bool = False


class Expansion(NamedTuple):
    """A slash command that a person typed."""

    directory: str
    session: str
    arguments: str


def read_call(payload: Dict[str, Any]) -> Optional[Call]:
    """The call of a PreToolUse, PostToolUse or PostToolUseFailure event; None for any other shape."""
    tool_input = payload.get("tool_input")
    command = tool_input.get("command") if isinstance(tool_input, dict) else None
    event, tool = payload.get("hook_event_name"), payload.get("tool_name")
    call_id, directory = payload.get("tool_use_id"), payload.get("cwd")
    if event not in ("PreToolUse", "PostToolUse", "PostToolUseFailure") or tool not in ("Bash", "PowerShell"):
        return None
    if not (isinstance(command, str) and isinstance(call_id, str) and isinstance(directory, str)):
        return None
    if not call_id or "\0" in directory:
        return None
    session = payload.get("session_id")
    call = Call(
        str(event), call_id, session if isinstance(session, str) else "", directory, command, tool == "PowerShell"
    )
    if event == "PostToolUse":
        return _success(call, payload.get("tool_response"), tool_input)
    return _failure(call, payload) if event == "PostToolUseFailure" else call


def _success(call: Call, response: Any, tool_input: Any) -> Call:
    """Exit 0; stdout and stderr come merged (older clients: apart, or the whole as a string)."""
    if isinstance(response, str):
        return call._replace(output=response, exit_zero=True)
    if not isinstance(response, dict):
        return call._replace(skipped="no-output")
    parts = [response.get("stdout"), response.get("stderr")]
    output = "\n".join(p for p in parts if isinstance(p, str) and p)
    skipped = ""
    if response.get("interrupted") is True:
        skipped = "interrupted"
    elif (
        response.get("backgroundTaskId")
        or response.get("timedOutAfterMs")
        or tool_input.get("run_in_background") is True
    ):
        skipped = "in-background"
    path = response.get("persistedOutputPath")
    return call._replace(
        output=output, exit_zero=True, skipped=skipped, torn=len(output) >= CLIENT_LIMIT,
        path=path if isinstance(path, str) and "\0" not in path else None,
    )  # fmt: skip


def _failure(call: Call, payload: Dict[str, Any]) -> Call:
    """Not exit 0: `error` is "Exit code N", a line end, and the merged output."""
    error = payload.get("error")
    if not isinstance(error, str):
        return call._replace(skipped="no-output")
    first, _, rest = error.partition("\n")
    known = first.startswith("Exit code ") and first[10:].strip().lstrip("-").isdigit()
    skipped = "interrupted" if payload.get("is_interrupt") is True else ""
    output = rest if known else error
    # The output is cut to its limit first, and then to its two ends, with what lay between counted.
    left_out = output.partition("\n\n... [")[2].partition(" ")[0]
    torn = len(output) + (int(left_out) if left_out.isdigit() and len(left_out) < 9 else 0) >= CLIENT_LIMIT
    return call._replace(output=output, skipped=skipped, torn=torn)


def read_expansion(payload: Dict[str, Any]) -> Optional[Expansion]:
    """The slash command of a UserPromptExpansion event; None when it is not this plugin's."""
    name, directory = payload.get("command_name"), payload.get("cwd")
    arguments, session = payload.get("command_args"), payload.get("session_id")
    if name not in ("flaky-memory:flaky-memory", "flaky-memory") or not isinstance(directory, str):
        return None
    return Expansion(
        directory, session if isinstance(session, str) else "", arguments if isinstance(arguments, str) else ""
    )

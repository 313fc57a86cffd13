"""RSpec 2 and 3: progress, documentation, failures and JSON formatters.

Formats: https://github.com/rspec/rspec/tree/main/rspec-core/lib/rspec/core, formatters/
documentation_formatter.rb, exception_presenter.rb, failure_list_formatter.rb, json_formatter.rb and
notifications.rb (the closing lines); the full description is put together in metadata.rb.
Retries: https://github.com/NoRedInk/rspec-retry.
"""

from __future__ import annotations

import re

from flaky_memory.model import FAILED, NONE, PASSED, Report
from flaky_memory.runners.base import MOST_TESTS, Tally, is_cut, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Set, Tuple

PREFIX = "rspec"

# "16 examples, 6 failures, 3 pending, 1 error occurred outside of examples"
_SUMMARY = re.compile(
    r"(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$"
)
# "  12) Account#take takes nothing" below "Failures:"
_ENTRY = re.compile(r"  (\d{1,8})\) (.*)$")
# "rspec ./spec/pay_spec.rb:20 # paying pays twice", "rspec './spec/pay_spec.rb[1:2:1]' # paying ..."
_RERUN = re.compile(r"rspec '?([^' ]+?\.\w+)(:\d+|\[[\d:]+\])'? # (.*)$")
# "      takes nothing (FAILED - 1)", "  has a todo (PENDING: Not yet implemented)"
_OUTCOME = re.compile(r"(.*) \((?:FAILED - (\d{1,8})|PENDING: .*)\)$")
# "./spec/pay_spec.rb:20:pays twice" of the failures formatter
_LISTED = re.compile(r"(\S+\.rb):\d+:(?!in [`'])(\S.*)$")
# "RSpec::Retry: 2nd try ./spec/pay_spec.rb:20"
_RETRY = r"RSpec::Retry: (\d{1,4})(?:st|nd|rd|th) try (\S+):\d+$"

# Names that are looked through for how a class and its method are joined.
_MOST_KNOWN = 500
_LONGEST_NAME = 4000


def read(text: str) -> Report:
    """What an output of RSpec says."""
    reader = _Reader("\nFinished in " in text)
    start = text.find('{"version":"')
    if start >= 0 and '"examples":[' in text:
        reader.json(text, start)
        if reader.tally.report().results:
            return reader.tally.report()
    for line in lines(text):
        reader.line(line)
    reader.end_run()
    reader.failure_list()
    return reader.tally.report()


class _Reader:
    def __init__(self, timed: bool) -> None:
        self.tally = Tally(PREFIX)
        self.timed = timed
        self.before = self.last = ""
        self.untold: Optional[List[Tuple[str, str]]] = []
        self.files: Dict[str, Set[str]] = {}
        self.known: List[str] = []
        self.joints: Dict[Tuple[str, str], str] = {}
        self.start()

    def start(self) -> None:
        """Forget everything about the run before."""
        self.state = "tree"
        self.summary: Optional[str] = None
        self.examples: Optional[int] = None
        self.stack: List[str] = []
        self.root: Optional[str] = None
        self.leaf: Optional[Tuple[str, ...]] = None
        self.leaves: List[Tuple[str, ...]] = []
        self.marked = self.listing = False
        self.first = self.opens = self.top = False  # does the tree follow a line that only RSpec prints?
        self.count = 0
        self.failed: Dict[int, str] = {}
        self.open_entry: Optional[int] = None
        self.reruns: List[Tuple[str, str]] = []
        self.tries: Dict[str, int] = {}
        self.tried: Optional[str] = None

    def line(self, line: str) -> None:
        """Read one line."""
        if is_cut(line):
            self.cut()
        elif not line.strip():
            self.blank()
        elif line[0] == " ":
            self.indented(line)
        else:
            self.flat(line)
        self.before = line
        if line:
            self.last = line

    def cut(self) -> None:
        """Groups and headings above a cut no longer hold below it."""
        self.leaf = self.root = self.open_entry = self.untold = None
        self.stack = []
        self.state = "unknown"

    def blank(self) -> None:
        """A group's first line follows directly; an example waits, for the output may end here."""
        self.root = None
        if self.state == "reruns" and self.reruns:
            self.state = "after"

    # Lines without indentation.

    def flat(self, line: str) -> None:
        """Headings, closing lines, roots of the documentation tree, and whatever tests print."""
        if self.open_entry is not None and self.state == "failures":
            self.failed[self.open_entry] = self.longer(self.failed[self.open_entry], line)
        elif line.startswith("rspec "):
            self.rerun(line)
        elif line[0].isdigit() and (match := _SUMMARY.match(line)):
            self.close(match)
        elif line in ("Failures:", "Failed examples:") or line.startswith("Pending: (") or line == "Pending:":
            self.heading(line)
        elif line.startswith(("Run options: ", "Finished in ")):
            self.new_run()
        elif self.state == "reruns" and self.reruns:
            scope, name = self.reruns[-1]
            self.reruns[-1] = (scope, self.longer(name, line))
        else:
            self.prose(line)
        self.maybe_listed(line)

    def longer(self, name: str, line: str) -> str:
        """A description of several lines, unless it is longer than any."""
        if len(name) > _LONGEST_NAME:
            self.state, self.open_entry = "after", None
            return name
        return name + "\n" + line

    def prose(self, line: str) -> None:
        retry = re.match(_RETRY, line) if line.startswith("RSpec::Retry: ") else None
        if retry:
            self.tries[retry[2]] = self.tries.get(retry[2], 0) + 1
            self.tried = retry[2]
        elif line.startswith("An error occurred in an "):
            self.state = "hook" if self.state == "tree" else self.state
        elif self.state == "hook":
            self.state = "hook's trace" if line.startswith("# ") else "hook"
        elif self.state in ("tree", "after", "unknown", "hook's trace"):
            self.tree_line(line)

    def tree_line(self, line: str) -> None:
        outcome = _OUTCOME.match(line) if line.endswith(")") else None
        if outcome:
            self.leaf = None  # the description's second line: what stood above was not all of it
            self.count += 1
            self.marked = True
        elif line.startswith("Top ") and " slowest example" in line:
            self.flush()
            self.state = "profile"
        elif not self.before and line[-1] != ":":
            self.root = line
            self.top = self.top or not self.last
            self.first = self.last.startswith(("Run options: ", "Randomized with seed "))

    def heading(self, line: str) -> None:
        self.flush()
        if line == "Failed examples:":
            self.state, self.listing = "reruns", True
            return
        self.new_run()
        self.state = "failures" if line == "Failures:" else "pending"
        self.open_entry = None

    def new_run(self) -> None:
        """What stands only above the closing lines starts another run when it stands below them."""
        self.flush()
        if self.summary is not None:
            self.end_run()

    def close(self, match: re.Match[str]) -> None:
        """The runner's own count. A test may print such a line, but not below "Finished in"."""
        if not self.before.startswith("Finished in ") and (self.timed or not self.grepped()):
            return
        self.new_run()
        total, failures, pending, errors = (int((n or "0")[:9]) for n in match.groups())
        self.examples = total
        self.summary = FAILED if failures or errors else PASSED if total > pending else NONE
        self.tally.idle = self.tally.idle or self.summary == NONE
        self.state = "after"

    def grepped(self) -> bool:
        """True where the line before can stand next to the count when grep has picked lines."""
        before = self.before
        return not before or before.startswith("rspec ") or any(p.match(before) for p in (_OUTCOME, _SUMMARY))

    def rerun(self, line: str) -> None:
        match = _RERUN.match(line)
        if match:
            self.reruns.append((match[1], match[3]))
            if len(self.tally.places) < MOST_TESTS:
                self.tally.places[match[3], match[1]] = match[1] + match[2]
            self.state = "reruns" if self.listing else self.state

    # Indented lines: the numbered failures, and the tree of the documentation formatter.

    def indented(self, line: str) -> None:
        if self.state in ("failures", "pending"):
            match = _ENTRY.match(line)
            if match and self.state == "failures":
                self.open_entry = int(match[1])
                self.failed[self.open_entry] = match[2]
            elif self.open_entry is not None:
                self.end_entry(line)
        elif self.state not in ("hook", "reruns", "profile"):
            self.branch(line)

    def end_entry(self, line: str) -> None:
        """The first line below a failure's description."""
        name = self.failed[self.open_entry or 0]
        if name.endswith(" FIXED") and line.lstrip().startswith("Expected pending "):
            self.failed[self.open_entry or 0] = name[: -len(" FIXED")]
        self.open_entry = None

    def branch(self, line: str) -> None:
        """A group or an example: an example when nothing deeper follows."""
        title = line.lstrip(" ")
        depth, odd = divmod(len(line) - len(title), 2)
        if self.root is not None:
            if depth == 1 and not odd:
                self.flush()
                if self.summary is not None:
                    root = self.root
                    self.end_run()
                    self.root = root
                self.stack, self.leaf = [self.root or ""], None
                self.opens = self.opens or self.first
            self.root = None
        if self.state == "hook's trace":
            self.state = "tree"
        if odd or not self.stack or depth > len(self.stack) + (self.leaf is not None):
            return
        if self.leaf is not None and depth == len(self.stack) + 1:
            self.stack.append(self.leaf[-1])
            self.leaf = None
        self.flush()
        del self.stack[depth:]
        self.put(title)

    def put(self, title: str) -> None:
        match = _OUTCOME.match(title) if title.endswith(")") else None
        if match is None:
            self.leaf = (*self.stack, title.strip())
            return
        self.marked = True
        self.count += 1
        if match[2] and not title.startswith("example at "):
            self.failed.setdefault(int(match[2]), self.full((*self.stack, match[1])))
            self.tried = None

    def flush(self) -> None:
        """The last line of the tree was an example that passed, for nothing deeper has followed."""
        if self.leaf is None:
            return
        self.count += 1
        if not self.leaf[-1].startswith("example at "):
            self.leaves.append(self.leaf)
            self.retried(self.leaf)
        self.leaf = None

    def retried(self, leaf: Tuple[str, ...]) -> None:
        """Attempts that failed before an example passed, as rspec-retry says."""
        if self.tried:
            runs = self.tries.pop(self.tried, 0)
            self.tally.add("retry", self.full(leaf), self.tried, False, runs)
            self.tally.add("retry", self.full(leaf), self.tried, True)
            self.leaves.pop()
            self.tried = None

    # Names.

    def full(self, parts: Tuple[str, ...]) -> str:
        """The full description: words joined by spaces, but a class and its "#method" by nothing."""
        name = parts[0]
        for parent, child in zip(parts, parts[1:]):
            name += self.joint(name, parent, child) + child if child[:1] in "#.:" else " " + child
        return name.strip()

    def joint(self, name: str, parent: str, child: str) -> str:
        """RSpec leaves the space out below a class, not below a string that reads like one; how
        failures of the same group are called tells which it is."""
        key = (parent, child)
        if key not in self.joints:
            if any(k.startswith(f"{name} {child}") for k in self.known):
                self.joints[key] = " "
            elif any(k.startswith(name + child) for k in self.known):
                self.joints[key] = ""
            else:
                plain = parent.replace("::", "").replace("_", "")
                return "" if parent[:1].isupper() and plain.isalnum() else " "
        return self.joints[key]

    # Closing a run.

    def end_run(self) -> None:
        """Count what the run showed: the list at its end, what else has a number, and passes."""
        self.learn([name for _, name in self.reruns])
        self.learn(list(self.failed.values()))
        failed = {name.strip() for name in self.failed.values()}
        for scope, name in self.reruns:
            failed.add(name.strip())
            if len(self.files) < MOST_TESTS:
                self.files.setdefault(name.strip(), set()).add(scope)
            self.tally.add("rerun", name.strip(), scope, False, 1 + self.tries.pop(scope, 0))
        self.unlisted()
        if self.believed():
            for leaf in self.leaves:
                name = self.full(leaf)
                if name not in failed:
                    scopes = self.files.get(name, set())
                    self.tally.add("tree", name, next(iter(scopes)) if len(scopes) == 1 else None, True)
        self.tally.end(self.summary or NONE)
        self.start()

    def learn(self, names: List[str]) -> None:
        self.known += names[: max(0, _MOST_KNOWN - len(self.known))]

    def unlisted(self) -> None:
        """Failures that the list at the end, cut or missing, does not have."""
        listed = {name.strip() for _, name in self.reruns}
        for number, name in self.failed.items():
            missing = number > len(self.reruns) if self.listing else name.strip() not in listed
            if missing:
                self.tally.add("shown", name.strip(), None, False)

    def believed(self) -> bool:
        """True when the tree is one: something in it says so, and it is not larger than the run."""
        if self.examples is not None:
            return self.count == self.examples if self.top else self.count <= self.examples
        return self.marked or self.opens

    def maybe_listed(self, line: str) -> None:
        """The failures formatter prints nothing else, so one line of another shape says it is not that."""
        if self.untold is None or line.startswith("Run options: "):
            return
        match = _LISTED.match(line) if ".rb:" in line else None
        if match:
            if len(self.untold) < MOST_TESTS:
                self.untold.append((match[1], match[2]))
        elif self.untold:
            self.untold = None

    def failure_list(self) -> None:
        for scope, name in self.untold or ():
            self.tally.add("listed", name, scope, False)

    def json(self, text: str, start: int) -> None:
        """The JSON formatter's one line, which may be longer than the lines that are read."""
        import json

        while start >= 0:
            end = text.find("\n", start)
            try:
                self.json_run(json.loads(text[start : end if end >= 0 else len(text)]))
            except (ValueError, KeyError, TypeError, AttributeError):
                pass
            start = text.find('\n{"version":"', start + 1)
            start += start >= 0

    def json_run(self, run: Dict[str, object]) -> None:
        examples = run["examples"]
        total = run["summary"]
        if not isinstance(examples, list) or not isinstance(total, dict):
            return
        for example in examples:
            if example["status"] in ("passed", "failed"):
                name = str(example["full_description"]).strip()
                self.tally.add("json", name, str(example["file_path"]), example["status"] == "passed")
        failed = total["failure_count"] or total.get("errors_outside_of_examples_count")
        ran = total["example_count"] - total["pending_count"]
        self.tally.idle = self.tally.idle or not (failed or ran)
        self.tally.end(FAILED if failed else PASSED if ran else NONE)

"""Words, operators and structure of a Bash command, no more: what they mean is `command.py`'s.

The grammar is the POSIX shell's (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html)
with the parts of Bash that agents use. Nothing is expanded and nothing is run. The gate of every
hook comes through here, so this module imports nothing, not even `re`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple, Union

    Node = Union["Simple", "Pipeline", "AndOr", "Compound"]

_BLANK = " \t"
_META = " \t\n;&|<>()"
_DEEPEST = 40
_CLOSERS = {"if": "fi", "for": "done", "select": "done", "while": "done", "until": "done", "case": "esac"}


class Word:
    """One word: its text with the quotes taken off; `dynamic` when the shell would expand something
    in it (then the text keeps it as written); `inner` the programs of its command substitutions."""

    __slots__ = ("dynamic", "inner", "quoted", "text")

    def __init__(self) -> None:
        self.text = ""
        self.dynamic = False
        self.quoted = False
        self.inner: List[Sequence] = []


class Redirect:
    """`fd op target`; for a here-document (`<<`) `body` is its text."""

    __slots__ = ("body", "fd", "op", "target")

    def __init__(self, fd: str, op: str, target: Word) -> None:
        self.fd, self.op, self.target, self.body = fd, op, target, ""


class Simple:
    """`NAME=value ... word ... redirections`."""

    __slots__ = ("assigns", "redirects", "words")

    def __init__(self) -> None:
        self.assigns: List[Tuple[str, Word]] = []
        self.words: List[Word] = []
        self.redirects: List[Redirect] = []


class Pipeline:
    """`[!] stage | stage ...`"""

    __slots__ = ("negated", "stages", "status_of_first")

    def __init__(self, stages: List[Node], negated: bool) -> None:
        self.stages, self.negated = stages, negated
        self.status_of_first = False  # set by command.py for `a | b; exit ${PIPESTATUS[0]}`


class AndOr:
    """`first (&& | ||) node ...`, left to right."""

    __slots__ = ("first", "rest")

    def __init__(self, first: Node, rest: List[Tuple[str, Node]]) -> None:
        self.first, self.rest = first, rest


class Sequence:
    """Commands one after another, each with its end: ";", "&", a line end, or "" for the last."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: List[Tuple[Node, str]] = []


class Compound:
    """A compound command. `kind`: group, subshell, for, while, until, if, case, function, other.

    `conditions` are the sequences whose exit status is only asked for, `bodies` the others;
    `words` the list of a `for`, or the name of a function.
    """

    __slots__ = ("bodies", "conditions", "kind", "redirects", "words")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.words: List[Word] = []
        self.conditions: List[Sequence] = []
        self.bodies: List[Sequence] = []
        self.redirects: List[Redirect] = []


class Unreadable(Exception):
    """The text is no command that this grammar knows: an open quote, a missing `done`."""


def parse(text: str, escape: str = "\\") -> Sequence:
    """The structure of a command. `escape` is the escape character ("`" for PowerShell).

    Raises Unreadable.
    """
    parser = _Parser(text, escape)
    sequence = parser.sequence(())
    if parser.at < len(text):
        raise Unreadable("unexpected " + text[parser.at])
    return sequence


class _Parser:
    def __init__(self, text: str, escape: str, depth: int = 0) -> None:
        self.text, self.escape, self.at, self.depth = text, escape, 0, depth
        self.waiting: List[Redirect] = []

    # -- characters

    def char(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.text[at] if at < len(self.text) else ""

    def starts(self, token: str) -> bool:
        return self.text.startswith(token, self.at)

    def blanks(self) -> None:
        """Skip blanks, line continuations and a comment."""
        while True:
            char = self.char()
            if char and char in _BLANK or char == "\r":
                self.at += 1
            elif char == self.escape and self.char(1) == "\n":
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def line_ends(self) -> None:
        self.blanks()
        while self.char() == "\n":
            self.at += 1
            self.here_documents()
            self.blanks()

    def here_documents(self) -> None:
        """Read the bodies that the line just ended announced."""
        for redirect in self.waiting:
            lines = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line, self.at = self.text[self.at : end], min(end + 1, len(self.text))
                bare = line.lstrip("\t") if redirect.op == "<<-" else line
                if bare == redirect.target.text:
                    break
                lines.append(bare)
            redirect.body = "\n".join(lines)
        self.waiting = []

    def keyword(self) -> str:
        """The unquoted word at this place, not consumed."""
        end = self.at
        while end < len(self.text) and self.text[end] not in _META and self.text[end] not in "'\"`$":
            end += 1
        return self.text[self.at : end]

    def expect(self, token: str) -> None:
        self.line_ends()
        if not self.starts(token):
            raise Unreadable("no " + token)
        self.at += len(token)

    # -- grammar

    def sequence(self, stops: Tuple[str, ...]) -> Sequence:
        """Commands up to a closing character or one of the words `stops`, not consumed."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unreadable("nested too deeply")
        found = Sequence()
        while True:
            self.line_ends()
            if not self.char() or self.char() == ")" or self.starts(";;"):
                break
            if stops and self.keyword() in stops:
                break
            node = self.and_or()
            self.blanks()
            found.items.append((node, self.terminator()))
        self.depth -= 1
        return found

    def terminator(self) -> str:
        char = self.char()
        if char == ";" and self.char(1) != ";" or char == "&" and self.char(1) != "&":
            self.at += 1
            return char
        if char == "\n":
            return char
        if char and char != ")" and not self.starts(";;"):
            raise Unreadable("unexpected " + char)
        return ""

    def and_or(self) -> Node:
        first = self.pipeline()
        rest: List[Tuple[str, Node]] = []
        while True:
            self.blanks()
            op = self.text[self.at : self.at + 2]
            if op not in ("&&", "||"):
                break
            self.at += 2
            self.line_ends()
            rest.append((op, self.pipeline()))
        return AndOr(first, rest) if rest else first

    def pipeline(self) -> Node:
        negated = False
        while self.keyword() in ("!", "time"):
            negated ^= self.char() == "!"
            self.at += len(self.keyword())
            self.blanks()
            if self.starts("-p "):
                self.at += 3
        stages = [self.command()]
        while True:
            self.blanks()
            if self.char() != "|" or self.char(1) == "|":
                break
            self.at += 2 if self.char(1) == "&" else 1
            self.line_ends()
            stages.append(self.command())
        return Pipeline(stages, negated) if negated or len(stages) > 1 else stages[0]

    def command(self) -> Node:
        self.blanks()
        word = self.keyword()
        if self.starts("((") or word == "[[":
            return self.skip_test("))" if self.starts("((") else "]]")
        if self.char() == "(":
            return self.enclosed("subshell", "(", ")", ())
        if word == "{":
            return self.enclosed("group", "{", "}", ("}",))
        if word in ("for", "select"):
            return self.for_loop()
        if word in ("while", "until"):
            return self.while_loop(word)
        if word == "if":
            return self.conditional()
        if word == "case":
            return self.case()
        return self.simple()

    def skip_test(self, closer: str) -> Compound:
        """`(( ... ))` and `[[ ... ]]` run no command that matters here."""
        end = self.text.find(closer, self.at + 2)
        if end < 0:
            raise Unreadable("no " + closer)
        self.at = end + 2
        return Compound("other")

    def enclosed(self, kind: str, opener: str, closer: str, stops: Tuple[str, ...]) -> Compound:
        self.at += len(opener)
        node = Compound(kind)
        node.bodies.append(self.sequence(stops))
        self.expect(closer)
        return self.redirected(node)

    def redirected(self, node: Compound) -> Compound:
        self.blanks()
        while self.redirect(node.redirects):
            self.blanks()
        return node

    def body(self, opener: str, stops: Tuple[str, ...]) -> Sequence:
        self.expect(opener)
        return self.sequence(stops)

    def for_loop(self) -> Compound:
        self.at += len(self.keyword())
        node = Compound("for")
        self.blanks()
        if self.starts("(("):
            self.skip_test("))")
        else:
            node.words = self.words_until_end()
        self.line_ends()
        if self.char() == ";":
            self.at += 1
        self.line_ends()
        if self.keyword() == "{":
            node.bodies = self.enclosed("group", "{", "}", ("}",)).bodies
            return node
        node.bodies.append(self.body("do", ("done",)))
        self.expect("done")
        return self.redirected(node)

    def words_until_end(self) -> List[Word]:
        words: List[Word] = []
        while True:
            self.blanks()
            if not self.char() or self.char() in "\n;&|)<>(":
                return words
            words.append(self.word())

    def while_loop(self, kind: str) -> Compound:
        self.at += len(kind)
        node = Compound(kind)
        node.conditions.append(self.sequence(("do",)))
        node.bodies.append(self.body("do", ("done",)))
        self.expect("done")
        return self.redirected(node)

    def conditional(self) -> Compound:
        node = Compound("if")
        while self.keyword() in ("if", "elif"):
            self.at += len(self.keyword())
            node.conditions.append(self.sequence(("then",)))
            node.bodies.append(self.body("then", ("elif", "else", "fi")))
        if self.keyword() == "else":
            node.bodies.append(self.body("else", ("fi",)))
        self.expect("fi")
        return self.redirected(node)

    def case(self) -> Compound:
        self.at += len("case")
        self.blanks()
        node = Compound("case")
        node.words.append(self.word())
        self.expect("in")
        self.line_ends()
        while self.char() and self.keyword() != "esac":
            end = self.text.find(")", self.at)
            if end < 0:
                raise Unreadable("no ) in case")
            self.at = end + 1
            node.bodies.append(self.sequence(("esac",)))
            while self.char() in (";", "&") and self.char():
                self.at += 1
            self.line_ends()
        self.expect("esac")
        return self.redirected(node)

    def simple(self) -> Node:
        node = Simple()
        while True:
            self.blanks()
            char = self.char()
            if self.redirect(node.redirects):
                continue
            if not char or char in "\n;&|)":
                break
            if char == "(":
                return self.function(node)
            start = self.at
            word = self.word()
            if self.at == start:
                raise Unreadable("unexpected " + char)
            name = "" if node.words else _assigned(self.text[start : self.at])
            if name:
                node.assigns.append((name, self.assigned_value(word, name)))
            else:
                node.words.append(word)
        if not node.words and not node.assigns and not node.redirects:
            raise Unreadable("no command")
        return node

    def assigned_value(self, word: Word, name: str) -> Word:
        if self.char() == "(" and word.text.endswith("="):
            end = self.text.find(")", self.at)
            self.at = len(self.text) if end < 0 else end + 1
            word.dynamic = True
        word.text = word.text[len(name) :].lstrip("+")[1:]
        return word

    def function(self, head: Simple) -> Compound:
        """`name () { ...; }` and `function name { ... }` as far as they end in `()`."""
        if not self.starts("(") or len(head.words) not in (1, 2):
            raise Unreadable("unexpected (")
        self.at += 1
        self.expect(")")
        self.line_ends()
        node = Compound("function")
        node.words = head.words[-1:]
        body = self.command()
        inner = Sequence()
        inner.items.append((body, ""))
        node.bodies.append(inner)
        return node

    def redirect(self, into: List[Redirect]) -> bool:
        """Read one redirection, if one stands here."""
        end = self.at
        while end < len(self.text) and self.text[end].isdigit():
            end += 1
        fd = self.text[self.at : end]
        op = next((o for o in _REDIRECTS if self.text.startswith(o, end)), "")
        if not op or (fd and op[0] == "&") or self.text.startswith(("<(", ">("), end):
            return False
        self.at = end + len(op)
        self.blanks()
        redirect = Redirect(fd, op, self.word())
        into.append(redirect)
        if op in ("<<", "<<-"):
            self.waiting.append(redirect)
        return True

    # -- words

    def word(self) -> Word:
        word = Word()
        while True:
            char = self.char()
            if char in ("<", ">") and self.char(1) == "(" and not word.text:
                self.at += 1
                self.substitution(word, char + "(")
            elif not char or char in _META:
                return word
            elif char == self.escape:
                word.text += self.char(1) if self.char(1) != "\n" else ""
                word.quoted = True
                self.at += 2
            elif char == "'":
                self.single_quoted(word)
            elif char == '"':
                self.double_quoted(word)
            elif char in "$`":
                self.expansion(word)
            else:
                word.text += char
                self.at += 1

    def single_quoted(self, word: Word) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise Unreadable("no closing '")
        word.text += self.text[self.at + 1 : end]
        word.quoted = True
        self.at = end + 1

    def double_quoted(self, word: Word) -> None:
        word.quoted = True
        self.at += 1
        while self.char() != '"':
            char = self.char()
            if not char:
                raise Unreadable('no closing "')
            if char == self.escape:
                taken = self.char(1)
                word.text += taken if taken and taken in '$`"\\' else "" if taken == "\n" else char + taken
                self.at += 2
            elif char in "$`":
                self.expansion(word)
            else:
                word.text += char
                self.at += 1
        self.at += 1

    def expansion(self, word: Word) -> None:
        """At a `$` or a backquote: take it as written, and parse what it would run."""
        if self.char() == "`" and self.escape != "`":
            return self.backquoted(word)
        following = self.char(1)
        if following == "'":
            self.at += 1
            self.single_quoted(word)
        elif self.starts("$(("):
            self.verbatim(word, "))")
        elif following == "(":
            self.at += 2
            self.substitution(word, "$(")
        elif following == "{":
            self.verbatim(word, "}")
        else:
            word.dynamic = word.dynamic or following.isalnum() or following in tuple("_?@*#!-$")
            word.text += "$"
            self.at += 1
        return None

    def verbatim(self, word: Word, closer: str) -> None:
        end = self.text.find(closer, self.at)
        if end < 0:
            raise Unreadable("no " + closer)
        word.text += self.text[self.at : end + len(closer)]
        word.dynamic = True
        self.at = end + len(closer)

    def substitution(self, word: Word, opener: str) -> None:
        start = self.at
        if opener[0] != "$":
            self.at = start = start + 1
        word.inner.append(self.sequence(()))
        self.expect(")")
        word.text += opener + self.text[start : self.at]
        word.dynamic = True

    def backquoted(self, word: Word) -> None:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise Unreadable("no closing `")
        inner = _Parser(self.text[self.at + 1 : end], self.escape, self.depth + 1)
        word.inner.append(inner.sequence(()))
        word.text += self.text[self.at : end + 1]
        word.dynamic = True
        self.at = end + 1


_REDIRECTS = ("&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">")


def _assigned(raw: str) -> str:
    """The name that a word as written assigns to, or ""."""
    name, equals, _ = raw.partition("=")
    name = name[:-1] if name.endswith("+") else name
    good = equals and name and not name[0].isdigit() and name.replace("_", "a").isalnum() and name.isascii()
    return name if good else ""

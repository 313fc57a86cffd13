"""What makes two states of the code the same: 64-bit FNV-1a, and which files enter it. Pure.

FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ (64-bit offset basis and prime).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, List

_BASIS, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF
# In pure Python FNV-1a costs 0.1 microseconds a byte, so a longer part enters as its BLAKE2b digest.
_LONGEST_PLAIN_PART = 512


def fnv1a(data: bytes) -> int:
    """64-bit FNV-1a of some bytes."""
    value = _BASIS
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def digest(data: bytes) -> bytes:
    """16 bytes of BLAKE2b. `_blake2` is what hashlib itself uses; hashlib would load OpenSSL first."""
    try:
        from _blake2 import blake2b
    except ImportError:  # an interpreter that builds it another way
        from hashlib import blake2b
    return bytes(blake2b(data, digest_size=16).digest())


def fingerprint(parts: Iterable[bytes]) -> str:
    """16 hex digits for a list of parts. Each part is prefixed by its length, so that no two lists
    of parts read the same."""
    stream = bytearray()
    for part in parts:
        stream += len(part).to_bytes(8, "little")
        stream += part if len(part) <= _LONGEST_PLAIN_PART else digest(part)
    return f"{fnv1a(bytes(stream) if len(stream) <= _LONGEST_PLAIN_PART else digest(bytes(stream))):016x}"


def key(*texts: str) -> str:
    """The fingerprint of some texts, for what is only ever compared (commands, selections)."""
    return fingerprint(text.encode("utf-8", "surrogatepass") for text in texts)


# -- which untracked files are no code: what runs leave behind

# Folders that only tools make.
_LEFTOVER_FOLDERS = frozenset((
    b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache", b".hypothesis", b".tox", b".nox", b".eggs",
    b".nyc_output", b"htmlcov", b"node_modules", b".vitest", b".vite", b".cache", b".turbo", b".nx", b".claude",
    b".parcel-cache", b".next", b".nuxt", b"playwright-report", b"blob-report", b"allure-results",
    b"allure-report", b"mochawesome-report", b"TestResults", b".gradle", b".phpunit.cache", b".venv", b"venv",
    b".benchmarks", b".stryker-tmp", b".tap", b"surefire-reports", b"failsafe-reports", b".jest-cache", b".swc",
    b".idea", b".vscode", b".vs", b".fleet", b".terraform", b".dart_tool", b".ipynb_checkpoints", b"cover_db",
    b".scannerwork", b".deno",
))  # fmt: skip
_SOURCE_ENDINGS = (
    b".py", b".pyi", b".js", b".jsx", b".mjs", b".cjs", b".ts", b".tsx", b".mts", b".cts", b".go", b".rs", b".rb",
    b".php", b".java", b".kt", b".kts", b".scala", b".groovy", b".cs", b".fs", b".vb", b".ex", b".exs", b".erl",
    b".c", b".h", b".cc", b".cpp", b".hpp", b".cxx", b".swift", b".m", b".vue", b".svelte", b".sql", b".sh", b".lua",
    b".toml", b".ini", b".cfg", b".yaml", b".yml", b".gradle", b".env", b".proto", b".graphql", b".css", b".scss",
)  # fmt: skip
_LEFTOVER_NAMES = frozenset((
    b".coverage", b"coverage.xml", b"coverage.json", b"lcov.info", b"clover.xml", b"cobertura.xml", b"junit.xml",
    b"report.xml", b"results.xml", b"test-results.xml", b"nosetests.xml", b"unittests.xml", b".phpunit.result.cache",
    b".rspec_status", b".DS_Store", b"Thumbs.db", b"nohup.out", b"core", b".testmondata", b".last-run.json",
    b".eslintcache", b".noseids", b"coverage.out", b"cover.out", b"profile.out", b"report.html",
    b"report.json", b"results.json", b"test-results.json", b"test-output.json", b"junit.json", b"stdout", b"stderr",
    b".node_repl_history", b"examples.txt", b"mutants.out",
))  # fmt: skip
_LEFTOVER_ENDINGS = (
    b".pyc", b".pyo", b".class", b".o", b".log", b".tmp", b".temp", b".swp", b".swo", b".pid", b".lcov", b".gcda",
    b".gcno", b".gcov", b".profraw", b".profdata", b".prof", b".pprof", b".trx", b".snap.new", b".hprof",
    b".stackdump", b".db-journal", b".db-wal", b".db-shm", b".sqlite3-journal",
    b"~", b".cover", b".coverprofile", b".tsbuildinfo", b".dmp", b".har", b".jtl", b".nettrace", b".test",
    b"-report.xml", b"_report.xml", b"-report.html", b"_report.html", b"-report.json", b"_report.json",
    b"-results.xml", b"-results.json", b"_results.xml", b"_results.json", b"-junit.xml", b"_junit.xml", b".junit.xml",
    b".coverage.xml", b"-coverage.xml", b".coverage.json",
)  # fmt: skip
_LEFTOVER_STARTS = (
    b".coverage.",
    b"TEST-",
    b"hs_err_pid",
    b"core.",
    b"junit-",
    b"junit_",
    b"npm-debug.log",
    b"yarn-error.log",
)


# What is left behind wherever it is, and what only outside of the folders that hold test data: there
# `results.json` or `sample.log` may be somebody's.
_ALWAYS_LEFT = (b".pyc", b".pyo", b".class", b".o", b".swp", b".swo", b"~", b".DS_Store", b"Thumbs.db")
_DATA_FOLDERS = frozenset((
    b"test", b"tests", b"spec", b"specs", b"__tests__", b"fixtures", b"__fixtures__", b"testdata", b"test_data",
    b"test-data", b"data", b"golden", b"goldens", b"expected", b"samples", b"resources", b"features", b"e2e",
))  # fmt: skip
# A folder and one in it that together only a build tool makes.
_BUILT = frozenset((
    (b"target", b"debug"), (b"target", b"release"), (b"target", b"classes"), (b"target", b"test-classes"),
    (b"target", b"generated-sources"), (b"target", b"generated-test-sources"), (b"target", b"site"),
    (b"build", b"reports"), (b"build", b"test-results"), (b"build", b"generated"), (b"build", b"classes"),
    (b"build", b"tmp"), (b"obj", b"Debug"), (b"obj", b"Release"), (b"bin", b"Debug"), (b"bin", b"Release"),
    (b"_build", b"test"), (b"_build", b"dev"), (b"coverage", b"lcov-report"),
))  # fmt: skip

CODE, DATA, LEFTOVER = "code", "data", "leftover"


def kind(path: bytes) -> str:
    """What an untracked file is by its name.

    LEFTOVER: what test runs, editors and systems leave in a tree (caches, reports, logs, coverage,
    bytecode); it never counts. CODE: a source file; its content counts. DATA: anything else; it may
    be a fixture that somebody edits or a file that the tests write, which only its changes tell.
    """
    *folders, name = path.split(b"/")
    if any(f in _LEFTOVER_FOLDERS or f.endswith(b".egg-info") for f in folders) or _is_built(folders):
        return LEFTOVER
    if name.endswith(_SOURCE_ENDINGS) or path.endswith(b"/"):
        return CODE
    left = name in _LEFTOVER_NAMES or name.endswith(_LEFTOVER_ENDINGS) or name.startswith(_LEFTOVER_STARTS)
    somebodys = any(f in _DATA_FOLDERS for f in folders) and not name.startswith(b".coverage")
    return LEFTOVER if name.endswith(_ALWAYS_LEFT) or (left and not somebodys) else DATA


def _is_built(folders: List[bytes]) -> bool:
    return any(pair in _BUILT for pair in zip(folders, folders[1:]))

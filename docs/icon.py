#!/usr/bin/env python3
"""Draw .claude-plugin/icon.png: one test that failed, passed and failed on the same code.

Three discs (red, green, red) on one line: three runs, one tree. Standard library only; the shapes are
distances, so that their edges are smooth. Usage: python3 docs/icon.py
"""

from __future__ import annotations

import pathlib
import struct
import zlib

SIZE = 512  # pixels on each side
BACKGROUND, LINE, FAILED, PASSED = (30, 34, 52), (122, 132, 168), (239, 83, 80), (102, 187, 106)
TARGET = pathlib.Path(__file__).resolve().parent.parent / ".claude-plugin" / "icon.png"


def rounded_square(x: float, y: float) -> float:
    """Distance in pixels to a square with round corners; negative inside."""
    half, radius = SIZE / 2 - 16, 96
    dx, dy = abs(x - SIZE / 2) - half + radius, abs(y - SIZE / 2) - half + radius
    return (max(dx, 0) ** 2 + max(dy, 0) ** 2) ** 0.5 + min(max(dx, dy), 0) - radius


def disc(x: float, y: float, centre: float, radius: float) -> float:
    """Distance in pixels to a disc on the middle line; negative inside."""
    return ((x - centre) ** 2 + (y - SIZE / 2) ** 2) ** 0.5 - radius


def coverage(distance: float) -> float:
    """How much of a pixel lies inside a shape, 0 to 1."""
    return min(max(0.5 - distance, 0.0), 1.0)


def mixed(below: tuple[int, int, int], above: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(b + (a - b) * share) for b, a in zip(below, above))
    return red, green, blue


def pixel(x: float, y: float) -> tuple[int, ...]:
    """The colour at a pixel's middle."""
    colour = mixed(BACKGROUND, LINE, coverage(max(abs(y - SIZE / 2) - 6, abs(x - SIZE / 2) - 136)))
    for centre, inside in ((120, FAILED), (256, PASSED), (392, FAILED)):
        colour = mixed(colour, BACKGROUND, coverage(disc(x, y, centre, 60)))
        colour = mixed(colour, inside, coverage(disc(x, y, centre, 48)))
    return (*colour, round(255 * coverage(rounded_square(x, y))))


def png() -> bytes:
    """The image as a PNG file (https://www.w3.org/TR/png/)."""
    rows = (b"\0" + bytes(v for x in range(SIZE) for v in pixel(x + 0.5, y + 0.5)) for y in range(SIZE))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    body = zlib.compress(b"".join(rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


if __name__ == "__main__":
    TARGET.write_bytes(png())

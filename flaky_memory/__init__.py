"""Remembers which tests passed and failed on exactly which code."""

__version__ = "0.1.0"

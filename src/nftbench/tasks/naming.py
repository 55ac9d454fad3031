"""What a collection's name is made into: its ticker symbol, and the spelling of it in addresses of the web."""

from __future__ import annotations


def symbol_of(label: str) -> str:
    """The initials of its words and its last letter but one, in capitals."""
    return "".join(word[0] for word in label.split()).upper() + label[-2].upper()


def slug_of(label: str) -> str:
    return label.lower().replace(" ", "-")

"""Finding what is left of a secret in a text that spells it loosely: in other case, wrapped over lines, reversed, escaped,
encoded, or in part.

Text and secret are brought into one plain form (lower case, without white space, quotes and the like, once as they stand and
once with escapes undone). A run of characters that both forms share is a trace when it is too long for chance.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

SHORTEST_SOUGHT = 8
"""Plain characters from which on a secret is looked for in loose spellings."""
SHORTEST_END = 8
"""Characters of a trace at either end of a secret, of SHORTEST_MIDDLE and more."""
SHORTEST_MIDDLE = 12
"""Characters of a trace anywhere in a secret."""
_SEED = 6
_STRIDE = SHORTEST_MIDDLE - _SEED + 1
"""Every run of SHORTEST_MIDDLE characters holds a whole seed at each multiple of this."""

_DROPPED = dict.fromkeys(
    map(ord, " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\xad\u200b\u200c\u200d\u2028\u2029\u2060\ufeff\\\"'`,*+:|>")
)
_ESCAPE = re.compile(
    r"\\{1,8}(?:u([0-9a-fA-F]{4})|u\{0{0,8}([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([nrtbfv0]))"
    r"|%(?:25){0,4}([0-9a-fA-F]{2})"
    r"|&(?:amp;){0,4}#0{0,8}([0-9]{1,7});?"
    r"|&(?:amp;){0,4}#[xX]0{0,8}([0-9a-fA-F]{1,6});?"
    r"|&(?:amp;){0,4}([A-Za-z]{2,10});"
    r"|=([0-9A-F]{2})"
)
_ESCAPE_SIGNS = ("\\", "%", "&", "=")
_OCTAL, _BLANK, _DECIMAL, _NAMED = 4, 5, 7, 9
"""Groups of _ESCAPE; all others are hexadecimal."""


class Form(Struct, frozen=True):
    """One spelling of a secret in plain form. `shown` is what stands for it in texts; `partly` says that parts of it count."""

    plain: str
    shown: str
    partly: bool
    words: str = ""
    """The characters of `plain` in their own case, to tell words from what is no word; "" for an encoding."""


class Span(Struct, frozen=True, order=True):
    """Where a trace stands in a text, and by what it is to be replaced."""

    start: int
    end: int
    shown: str


class Finder:
    """Finds the traces of secrets, given as (name, secret); a secret that is short, or one plain word, has none."""

    def __init__(self, secrets: Sequence[tuple[str, str]]) -> None:
        self._forms = [form for name, secret in secrets for form in _forms(f"[{name}]", secret)]
        self._names = [_squeezed(name) for name, _ in secrets]
        self._seeds: dict[str, list[tuple[Form, int]]] = {}
        for form in self._forms:
            for place in range(len(form.plain) - _SEED + 1):
                self._seeds.setdefault(form.plain[place : place + _SEED], []).append((form, place))
        own = [form.plain for form in self._forms if form.words]
        self._ends = sorted({end for plain in own for end in (plain[:SHORTEST_END], plain[-SHORTEST_END:])})

    def replaced(self, text: str) -> str:
        """The text with every trace replaced."""
        if not self._forms or len(text) < SHORTEST_END:
            return text
        if self._may_hold(_squeezed(text)):
            text = _put(text, self._traces(_letters(text)))
        if any(sign in text for sign in _ESCAPE_SIGNS) and self._may_hold(_squeezed(_ESCAPE.sub(_meant, text))):
            text = _put(text, self._traces(_unescaped(text)))
        return text

    def _may_hold(self, plain: str) -> bool:
        """Whether a plain text can hold a trace: quick, and never wrong about a text that holds one."""
        if any(end in plain for end in self._ends):
            return True
        places = range(0, len(plain) - _SEED + 1, _STRIDE)
        return not self._seeds.keys().isdisjoint([plain[place : place + _SEED] for place in places])

    def _traces(self, letters: list[tuple[str, int, int]]) -> list[Span]:
        plain = "".join(letter for letter, _, _ in letters)
        found, place = [], 0
        while place <= len(plain) - _SEED:
            longest = max(self._runs(plain, place), default=None)
            if longest is None:
                place += 1
                continue
            start, end, shown = -longest[1], longest[2], longest[3]
            found.append(Span(letters[start][1], letters[end - 1][2], shown))
            place = end
        return found

    def _runs(self, plain: str, place: int) -> Iterator[tuple[int, int, int, str]]:
        """The traces through a place, as (length, minus start, end, shown)."""
        for form, offset in self._seeds.get(plain[place : place + _SEED], ()):
            back = 0
            while back < min(place, offset) and plain[place - back - 1] == form.plain[offset - back - 1]:
                back += 1
            on, room = _SEED, min(len(plain) - place, len(form.plain) - offset)
            while on < room and plain[place + on] == form.plain[offset + on]:
                on += 1
            if self._is_trace(form, offset - back, offset + on):
                yield back + on, back - place, place + on, form.shown

    def _is_trace(self, form: Form, start: int, end: int) -> bool:
        length, whole = end - start, len(form.plain)
        if length == whole:
            return True
        if not form.partly or any(form.plain[start:end] in name for name in self._names):
            return False
        at_an_end = (start == 0 or end == whole) and length >= SHORTEST_END and bool(form.words)
        return length >= SHORTEST_MIDDLE or (at_an_end and not _is_word(form.words[start:end]))


def is_sought(secret: str) -> bool:
    """Whether a secret is long enough, and no plain word, so that traces of it mean something."""
    kept = secret.translate(_DROPPED)
    return len(kept) == len(_lower(kept)) and len(kept) >= SHORTEST_SOUGHT and not _is_word(kept)


def _forms(shown: str, secret: str) -> Iterator[Form]:
    if not is_sought(secret):
        return
    kept, plain = secret.translate(_DROPPED), _squeezed(secret)
    partly = len(plain) >= SHORTEST_MIDDLE
    yield Form(plain, shown, partly, kept)
    yield Form(plain[::-1], shown, partly, kept[::-1])
    yield Form(codecs.encode(plain, "rot13"), shown, False)
    raw = secret.encode("utf-8", "surrogatepass")
    yield Form(raw.hex(), shown, len(raw) >= SHORTEST_MIDDLE)
    encoded = [*base64_cores(raw), *_cores(raw, base64.b32encode, 5, 5)]
    for core in dict.fromkeys(_squeezed(text) for text in encoded):
        if len(core) >= SHORTEST_MIDDLE:
            yield Form(core, shown, partly)


def base64_cores(raw: bytes) -> Iterator[str]:
    """What Base64 makes of the bytes at each of its three alignments, in both alphabets, without the characters that
    neighbours have a share in."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield from _cores(raw, encode, 6, 3)


def _cores(raw: bytes, encode: object, bits: int, alignments: int) -> Iterator[str]:
    for lead in range(alignments):
        text = encode(b"\0" * lead + raw).decode("ascii")  # type: ignore[operator]
        yield text[-(-8 * lead // bits) : 8 * (lead + len(raw)) // bits]


def _is_word(text: str) -> bool:
    """Whether a text may be a word of some language, which stands in texts for other reasons."""
    return text.isalpha() and (text.islower() or text.isupper() or text.istitle())


def _squeezed(text: str) -> str:
    return _lower(text).translate(_DROPPED)


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(character.lower() if len(character.lower()) == 1 else character for character in text)


def _letters(text: str) -> list[tuple[str, int, int]]:
    """The plain form of a text, each character with where it comes from."""
    return [
        (character, place, place + 1) for place, character in enumerate(_lower(text)) if ord(character) not in _DROPPED
    ]


def _unescaped(text: str) -> list[tuple[str, int, int]]:
    letters: list[tuple[str, int, int]] = []
    done = 0
    for escape in _ESCAPE.finditer(text):
        letters += [(letter, done + start, done + end) for letter, start, end in _letters(text[done : escape.start()])]
        meant = _meant(escape)
        kept = [letter for letter in _lower(meant) if ord(letter) not in _DROPPED]
        letters += [(letter, escape.start(), escape.end()) for letter in kept]
        done = escape.end()
    return letters + [(letter, done + start, done + end) for letter, start, end in _letters(text[done:])]


def _meant(escape: re.Match[str]) -> str:
    """The character that an escape stands for; the escape itself where it stands for none."""
    group = escape.lastindex or 0
    if group == _BLANK:
        return " "
    if group == _NAMED:
        return html.unescape(f"&{escape[group]};")
    code = int(escape[group], {_OCTAL: 8, _DECIMAL: 10}.get(group, 16))
    return chr(code) if code <= 0x10FFFF else escape[0]


def _put(text: str, spans: list[Span]) -> str:
    parts, done = [], 0
    for span in sorted(spans):
        start = max(span.start, done)
        if span.end <= done:
            continue
        parts += [text[done:start], span.shown]
        done = span.end
    return "".join((*parts, text[done:]))

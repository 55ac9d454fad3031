"""What a contract can be asked and what it says: the functions, events and errors of its ABI, encoded and decoded.

Decoded values: int, bool, str, bytes, EIP-55 addresses, and tuples for arrays and structs (see codec).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from nftbench.chain.codec import DecodingError, EncodingError, Reader, codec
from nftbench.chain.engine import Log
from nftbench.chain.selectors import normalise_signature, selector
from nftbench.values import keccak256

SELECTOR_SIZE = 4
Mutability = Literal["pure", "view", "nonpayable", "payable"]

# Solidity documentation, "Panic via assert and Error via require", in our words.
PANICS = {
    0x00: "a compiler's own check failed",
    0x01: "an assertion failed",
    0x11: "a sum or product overflowed, or a difference went below zero",
    0x12: "a division by zero",
    0x21: "a number that names no member of its enum",
    0x22: "a badly encoded byte array in storage",
    0x31: "an element was taken from an empty array",
    0x32: "an array index out of bounds",
    0x41: "too much memory was asked for",
    0x51: "a call of a function variable that was never set",
}


class UnknownFunction(LookupError):
    """No such function, or several: `candidates` are the signatures that the name fits, or those that come near."""

    def __init__(self, message: str, candidates: tuple[str, ...], ambiguous: bool) -> None:
        super().__init__(message)
        self.candidates = candidates
        self.ambiguous = ambiguous


class Parameter(Struct, frozen=True):
    """An input or output. `type` is the ABI's own (`tuple[]`), `canonical` the one in signatures (`(address,bool)[]`).

    `internal_type` is Solidity's own name of the type (`struct Offer[]`), empty where the ABI has none.
    """

    name: str
    type: str
    canonical: str
    components: tuple[Parameter, ...] = ()
    indexed: bool = False
    internal_type: str = ""


class Function(Struct, frozen=True):
    """A function; `selector` is the 4 bytes a call starts with."""

    name: str
    signature: str
    selector: bytes
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    mutability: Mutability

    @property
    def read_only(self) -> bool:
        return self.mutability in ("view", "pure")

    @property
    def payable(self) -> bool:
        return self.mutability == "payable"

    def encode(self, arguments: Sequence[Any] = ()) -> bytes:
        """Call data; EncodingError for values that the types can't hold or a wrong number of them."""
        return self.selector + encode(self.inputs, arguments)

    def decode_input(self, data: bytes) -> tuple[Any, ...]:
        """The arguments in call data that starts with this function's selector; DecodingError if malformed."""
        return decode(self.inputs, data[SELECTOR_SIZE:])

    def decode_output(self, data: bytes) -> tuple[Any, ...]:
        """The returned values; DecodingError if malformed, as when the callee is no contract and returned nothing."""
        return decode(self.outputs, data)


class Event(Struct, frozen=True):
    """An event; `topic` is its first topic unless `anonymous`."""

    name: str
    signature: str
    topic: bytes
    inputs: tuple[Parameter, ...]
    anonymous: bool


class CustomError(Struct, frozen=True):
    """A Solidity custom error; revert data starts with its `selector`."""

    name: str
    signature: str
    selector: bytes
    inputs: tuple[Parameter, ...]


class DecodedCall(Struct, frozen=True):
    """Call data taken apart."""

    function: Function
    arguments: tuple[Any, ...]


class DecodedEvent(Struct, frozen=True):
    """An event with its arguments by name; an indexed argument of dynamic type is only its 32-byte hash."""

    name: str
    signature: str
    arguments: dict[str, Any]
    log: Log


class DecodedRevert(Struct, frozen=True):
    """Why an execution reverted. `text` is one line for people; a `raw` one's error is in no interface given."""

    kind: Literal["custom", "message", "panic", "raw", "empty"]
    name: str
    arguments: dict[str, Any]
    text: str
    data: bytes


class Interface:
    """A contract's ABI. Functions, events and errors keep the order they were declared in."""

    def __init__(
        self,
        functions: Iterable[Function] = (),
        events: Iterable[Event] = (),
        errors: Iterable[CustomError] = (),
        constructor: tuple[Parameter, ...] = (),
        special: frozenset[str] = frozenset(),
    ) -> None:
        self.functions = tuple(functions)
        self.events = tuple(events)
        self.errors = tuple(errors)
        self.constructor = constructor
        self.has_fallback = "fallback" in special
        self.has_receive = "receive" in special
        self._by_signature = {function.signature: function for function in self.functions}
        self._by_selector = {function.selector: function for function in self.functions}
        self._by_name: dict[str, tuple[Function, ...]] = {}
        for function in self.functions:
            self._by_name[function.name] = (*self.overloads(function.name), function)
        self._errors = {error.selector: error for error in self.errors}
        self._by_topic: dict[bytes, list[Event]] = {}
        for event in self.events:
            if not event.anonymous:
                self._by_topic.setdefault(event.topic, []).append(event)
        self._anonymous = [event for event in self.events if event.anonymous]

    @classmethod
    def from_abi(cls, entries: Sequence[Mapping[str, Any]]) -> Interface:
        """From the JSON that compilers write; ValueError for an unknown type in it."""
        kinds: dict[str, list[Mapping[str, Any]]] = {}
        for entry in entries:
            kinds.setdefault(entry.get("type", "function"), []).append(entry)
        constructors = kinds.get("constructor", [])
        return cls(
            map(_function, kinds.get("function", [])),
            map(_event, kinds.get("event", [])),
            map(_error, kinds.get("error", [])),
            _parameters(constructors[0].get("inputs", ())) if constructors else (),
            frozenset(kinds),
        )

    def overloads(self, name: str) -> tuple[Function, ...]:
        """The functions of a bare name, in the order of the ABI."""
        return self._by_name.get(name, ())

    def function(self, name: str) -> Function:
        """The function of a bare name that is not overloaded, or of a full signature; UnknownFunction otherwise."""
        found = self._by_signature.get(name)
        if found:
            return found
        bare, parenthesis, _ = name.strip().partition("(")
        bare = bare.strip().removeprefix("function ").strip()
        named = self.overloads(bare)
        if parenthesis:
            found = self._by_signature.get(normalise_signature(name))
            if found:
                return found
        elif len(named) == 1:
            return named[0]
        signatures = tuple(function.signature for function in named)
        if signatures and not parenthesis:
            text = f"{bare} is overloaded; give the full signature, one of: {', '.join(signatures)}"
            raise UnknownFunction(text, signatures, True)
        near = signatures or self._near(bare)
        text = f"there is no function {name}" + (f"; near it: {', '.join(near)}" if near else "")
        raise UnknownFunction(text, near, False)

    def function_of_selector(self, selector: bytes) -> Function | None:
        return self._by_selector.get(selector)

    def error_of_selector(self, selector: bytes) -> CustomError | None:
        return self._errors.get(selector)

    def event(self, name: str) -> Event:
        """The first event of that name or full signature; LookupError if there is none."""
        for event in self.events:
            if name in (event.name, event.signature):
                return event
        raise LookupError(f"there is no event {name}; events: {', '.join(e.signature for e in self.events)}")

    def encode_constructor(self, arguments: Sequence[Any] = ()) -> bytes:
        """What is appended to the creation code."""
        return encode(self.constructor, arguments)

    def decode_call(self, data: bytes) -> DecodedCall | None:
        """The call in call data; None if the selector is unknown or the arguments are malformed."""
        function = self._by_selector.get(data[:SELECTOR_SIZE])
        if function is None:
            return None
        try:
            return DecodedCall(function, function.decode_input(data))
        except DecodingError:
            return None

    def decode_log(self, log: Log) -> DecodedEvent | None:
        """The event of a log; None if no event here has its topics and data.

        Events that share a first topic are told apart by how many parameters are indexed: a Transfer has three topics
        in ERC-20, four in ERC-721 and one in collections older than the standard.
        """
        topics = log.topics
        for event in self._by_topic.get(topics[0], ()) if topics else ():
            arguments = _event_arguments(event, topics[1:], log.data)
            if arguments is not None:
                return DecodedEvent(event.name, event.signature, arguments, log)
        for event in self._anonymous:
            arguments = _event_arguments(event, topics, log.data)
            if arguments is not None:
                return DecodedEvent(event.name, event.signature, arguments, log)
        return None

    def _near(self, name: str) -> tuple[str, ...]:
        names = {function.name.lower(): function.name for function in self.functions}
        close = difflib.get_close_matches(name.lower(), names, n=4, cutoff=0.5)
        return tuple(f.signature for match in close for f in self.functions if f.name == names[match])


def encode(parameters: Sequence[Parameter], values: Sequence[Any]) -> bytes:
    """Values as ABI words; EncodingError if they don't fit the parameters."""
    if len(values) != len(parameters):
        raise EncodingError(f"{len(parameters)} arguments are needed and {len(values)} were given")
    return codec(_types(parameters)).encode(values) if parameters else b""


def decode(parameters: Sequence[Parameter], data: bytes) -> tuple[Any, ...]:
    """The values in ABI words; DecodingError if malformed."""
    return tuple(codec(_types(parameters)).decode(Reader(data), 0)) if parameters else ()


def named(parameters: Sequence[Parameter], values: Sequence[Any]) -> dict[str, Any]:
    """Values by parameter name; one with no name, or with another's, is called by its position: arg0, arg1 .."""
    result: dict[str, Any] = {}
    for position, (parameter, value) in enumerate(zip(parameters, values, strict=True)):
        name = parameter.name
        result[name if name and name not in result else f"arg{position}"] = value
    return result


def decode_revert(data: bytes, interfaces: Iterable[Interface] = ()) -> DecodedRevert:
    """What revert data says: a custom error of one of the interfaces, Error(string), Panic(uint256), or raw bytes."""
    if not data:
        return DecodedRevert("empty", "", {}, "no reason was given", data)
    for error in (*_STANDARD_ERRORS, *(i.error_of_selector(data[:SELECTOR_SIZE]) for i in interfaces)):
        if error is None or error.selector != data[:SELECTOR_SIZE]:
            continue
        try:
            values = decode(error.inputs, data[SELECTOR_SIZE:])
        except DecodingError:
            continue
        return _decoded_error(error, values, data)
    return DecodedRevert("raw", "", {}, f"unknown error 0x{data.hex()}", data)


def _decoded_error(error: CustomError, values: tuple[Any, ...], data: bytes) -> DecodedRevert:
    arguments = named(error.inputs, values)
    if error is _ERROR_STRING:
        return DecodedRevert("message", "Error", arguments, values[0], data)
    if error is _PANIC:
        text = f"Panic 0x{values[0]:02x}: {PANICS.get(values[0], 'a code that Solidity does not define')}"
        return DecodedRevert("panic", "Panic", arguments, text, data)
    parts = ", ".join(f"{name}: {plain(value)}" for name, value in arguments.items())
    return DecodedRevert("custom", error.name, arguments, f"{error.name}({parts})", data)


def plain(value: Any) -> str:
    """A decoded value as people write it: bytes in hexadecimal, booleans in lower case."""
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(plain, value)) + "]"
    return str(value)


def _event_arguments(event: Event, topics: Sequence[bytes], data: bytes) -> dict[str, Any] | None:
    plain_inputs = [parameter for parameter in event.inputs if not parameter.indexed]
    if len(topics) != len(event.inputs) - len(plain_inputs):
        return None
    try:
        in_data = iter(decode(plain_inputs, data))
        in_topics = iter(topics)
        values = [
            _indexed_value(parameter, next(in_topics)) if parameter.indexed else next(in_data)
            for parameter in event.inputs
        ]
    except DecodingError:
        return None
    return named(event.inputs, values)


def _indexed_value(parameter: Parameter, topic: bytes) -> Any:
    """The value in a topic, or the topic itself where it is only the value's hash (strings, bytes, arrays, structs)."""
    if parameter.canonical in ("string", "bytes") or parameter.canonical.endswith(("]", ")")):
        return topic
    return codec(parameter.canonical).decode(Reader(topic), 0)


@lru_cache(maxsize=4096)
def _tuple_type(types: tuple[str, ...]) -> str:
    return "(" + ",".join(types) + ")"


def _types(parameters: Sequence[Parameter]) -> str:
    return _tuple_type(tuple([parameter.canonical for parameter in parameters]))


def _parameters(entries: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    return tuple(map(_parameter, entries))


def _parameter(entry: Mapping[str, Any]) -> Parameter:
    kind = entry["type"]
    components = _parameters(entry.get("components", ()))
    canonical = _types(components) + kind.removeprefix("tuple") if kind.startswith("tuple") else kind
    codec(canonical)
    indexed, internal = bool(entry.get("indexed", False)), entry.get("internalType", "")
    return Parameter(entry.get("name", ""), kind, canonical, components, indexed, internal)


def _function(entry: Mapping[str, Any]) -> Function:
    inputs, outputs = _parameters(entry.get("inputs", ())), _parameters(entry.get("outputs", ()))
    signature = entry["name"] + _types(inputs)
    # ABIs from before Solidity 0.5 say `constant` and `payable`.
    old = "view" if entry.get("constant") else "payable" if entry.get("payable") else "nonpayable"
    mutability = entry.get("stateMutability", old)
    return Function(entry["name"], signature, selector(signature), inputs, outputs, mutability)


def _event(entry: Mapping[str, Any]) -> Event:
    inputs = _parameters(entry.get("inputs", ()))
    signature = entry["name"] + _types(inputs)
    return Event(entry["name"], signature, keccak256(signature.encode()), inputs, bool(entry.get("anonymous")))


def _error(entry: Mapping[str, Any]) -> CustomError:
    inputs = _parameters(entry.get("inputs", ()))
    signature = entry["name"] + _types(inputs)
    return CustomError(entry["name"], signature, selector(signature), inputs)


_ERROR_STRING = _error({"name": "Error", "inputs": [{"name": "message", "type": "string"}]})
_PANIC = _error({"name": "Panic", "inputs": [{"name": "code", "type": "uint256"}]})
_STANDARD_ERRORS = (_ERROR_STRING, _PANIC)

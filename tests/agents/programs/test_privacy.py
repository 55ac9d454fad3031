"""A program that prints its environment, or what it finds above itself, puts nothing of the user's into records."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from nftbench.agents.cli import CommandLineBackend, CommandLineSettings
from nftbench.agents.programs.outputs import read_plain
from nftbench.agents.programs.presets import Launch, Program
from nftbench.agents.programs.privacy import Veil
from nftbench.agents.programs.processes import Ended

GIVEN = {
    "MY_API_KEY": "sk-given-0123456789abcdef",
    "https_proxy": "http://alice:pa%24sword99@proxy.corp.example:3128",
    "NO_PROXY": "localhost,127.0.0.1,internal.corp.example",
    "OPENAI_BASE_URL": "http://gpu-node-07:8000/v1",
    "NODE_EXTRA_CA_CERTS": "/Users/alice/corp.pem",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/Users/alice/.local/bin",
    "LANG": "de_CH.UTF-8",
}
AROUND = {
    **GIVEN,
    "HOME": "/Users/alice",
    "HF_TOKEN": "hf_aroundaroundaround1",
    "MODE_AUTH": "ownership",
    "SSH_AUTH_SOCK": "/run/x",
}
TELLING = (
    *("sk-given", "pa%24sword", "pa$sword", "internal.corp", "gpu-node", "/Users/alice", "hf_around"),
    "YWxpY2U6cGEkc3dvcmQ5OQ",  # alice:pa$sword99 as Proxy-Authorization has it, by coreutils' base64
)
SPELLINGS = {
    "as the shell's env": "print('\\n'.join(f'{n}={v}' for n, v in e.items()))",
    "as JSON": "print(json.dumps(dict(e)))",
    "as JSON in JSON": "print(json.dumps(json.dumps(dict(e))))",
    "as Python": "print(dict(e))",
    "percent-encoded": "import urllib.parse; print(urllib.parse.urlencode(e))",
    "in Base64": "import base64; print([base64.b64encode(v.encode()) for n, v in e.items() if 'KEY' in n])",
    "the proxy's header": "import base64; print('Proxy-Authorization: Basic', base64.b64encode(b'alice:pa$sword99').decode())",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_environment_that_is_printed_tells_nothing(
    spelling: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in AROUND.items():
        monkeypatch.setenv(name, value)
    code = f"import json, os, sys; e = os.environ; sys.stderr.write(repr(dict(e))); {SPELLINGS[spelling]}"
    names = tuple(GIVEN)
    program = Program("p", "", names, lambda model, environment: Launch([sys.executable, "-c", code]), read_plain)
    settings = CommandLineSettings(events_path=tmp_path / "events.jsonl", timeout=30)
    said = CommandLineBackend(program, None, settings).invoke("S", "P").text
    recorded = said + (tmp_path / "events.jsonl").read_text()
    if (
        spelling == "percent-encoded"
    ):  # paths and hosts are no secrets: they are taken out as they are, not in every spelling
        recorded = recorded.replace("%2FUsers%2Falice", "")
    assert [telling for telling in TELLING if telling in recorded] == []
    assert "[MY_API_KEY]" in recorded


def test_what_is_in_records_anyway_and_words_of_a_language_stay() -> None:
    veil = Veil({**GIVEN, "OPENAI_MODEL": "some-model-7b"}, AROUND)
    text = "some-model-7b decides on ownership of localhost at 127.0.0.1 in /usr/local/bin, de_CH.UTF-8"
    assert veil.on(text) == text


def test_a_call_stays_one() -> None:
    reply = json.dumps(
        {"name": "call", "arguments": {"to": "0x" + "ab" * 20, "args": ["7", "a/b", "https://x.example/1.json"]}}
    )
    assert Veil(GIVEN, AROUND).over(Ended(0, reply, "")).stdout == reply

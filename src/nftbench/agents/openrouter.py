"""The backend for OpenRouter: the same conversation as any other endpoint, with its money watched."""

from __future__ import annotations

from typing import Any, Unpack

from msgspec.structs import replace

from nftbench.agents.chat import HttpOptions, Secret, Settings
from nftbench.agents.layouts.items import ItemsLayout, Layout
from nftbench.agents.openai_compat import ChatBackend, chat_url, endpoint
from nftbench.agents.spend import Charge, SpendGuard, Ticket, Tokens
from nftbench.agents.verdicts.classification import Verdict
from nftbench.agents.wire.spend_journal import MOST_USD, tokens_of

__all__ = ["BASE_URL", "KEY_VARIABLE", "OpenRouterBackend", "SpendGuard"]

BASE_URL = "https://openrouter.ai/api/v1"
KEY_VARIABLE = "OPENROUTER_API_KEY"


class OpenRouterBackend(ChatBackend):
    """A model on OpenRouter. The key is read from OPENROUTER_API_KEY at each call; no call is made that the guard has no
    room for."""

    def __init__(
        self,
        model: str,
        *,
        guard: SpendGuard,
        base_url: str = BASE_URL,
        layout: Layout | None = None,
        **options: Unpack[HttpOptions],
    ) -> None:
        """Options as in HttpOptions; `extra` may hold OpenRouter's own fields (reasoning, provider ...)."""
        settings = Settings(**options)
        settings = replace(settings, extra=_with_own_fields(settings.extra or {}, guard))
        meter = OpenRouterMeter(guard, settings, is_free=model.endswith(":free"))
        where = endpoint(chat_url(base_url), model, Secret(KEY_VARIABLE, required=True), settings, meter)
        super().__init__(where, layout or ItemsLayout())


class OpenRouterMeter:
    """Books each attempt with the guard, by what OpenRouter's replies tell about cost."""

    def __init__(self, guard: SpendGuard, settings: Settings, *, is_free: bool) -> None:
        fields = settings.sampling()
        self._guard = guard
        self._most_written = int(fields.get("max_completion_tokens") or settings.reply_tokens)
        self._is_free = is_free

    def before(self, body_bytes: int) -> Ticket:
        """Reserves for a request of so many bytes: no tokenizer makes more tokens than bytes."""
        return self._guard.reserve(Tokens(body_bytes, self._most_written))

    def after(self, ticket: Ticket, verdict: Verdict) -> float | None:
        """Books the attempt; returns dollars, None where nothing tells."""
        tokens = _tokens_of(verdict.usage)
        charge = charge_of(verdict.usage) if verdict.usage is not None else None
        if charge is None and tokens is not None and _is_free(self._is_free, verdict):
            charge = Charge(0.0, tokens)
        if charge is not None:
            self._guard.settle(ticket, charge)
            return charge.cost
        if verdict.usage is None and not _may_be_charged(verdict):
            self._guard.release(ticket)
        else:
            self._guard.settle_untold(ticket, tokens)
        return None

    def lost(self, ticket: Ticket) -> None:
        """Books an attempt broken off from this side, at its worst case."""
        self._guard.settle_untold(ticket, None)


def _is_free(asked_free: bool, verdict: Verdict) -> bool:
    """Whether a reply without a cost was free: not where the paid variant answered, which its name without `:free` tells."""
    served = verdict.reply.served_model if verdict.reply else None
    return asked_free and (verdict.usage or {}).get("cost") is None and (served is None or served.endswith(":free"))


def charge_of(usage: dict[str, Any]) -> Charge | None:
    """What a reply says it cost: `cost` in dollars, and with a key of one's own at the provider (`is_byok`) also what the
    provider bills. None where it does not say."""
    cost, tokens = _amount(usage.get("cost")), _tokens_of(usage)
    if cost is None or tokens is None:
        return None
    details = usage.get("cost_details")
    details = details if isinstance(details, dict) else {}
    if usage.get("is_byok") is True:
        upstream = _amount(details.get("upstream_inference_cost"))
        if upstream is None:
            return None
        cost += upstream
    cached = usage.get("prompt_tokens_details")
    count = cached.get("cached_tokens") if isinstance(cached, dict) else 0
    return Charge(
        cost=cost,
        tokens=tokens,
        prompt_cost=_amount(details.get("upstream_inference_prompt_cost")),
        completion_cost=_amount(details.get("upstream_inference_completions_cost")),
        cached=count if type(count) is int and 0 <= count <= tokens.prompt else 0,
    )


def _may_be_charged(verdict: Verdict) -> bool:
    """Whether an attempt without any usage may still cost: its reply was lost on the way, or came and cannot be read. Error
    replies are free."""
    return verdict.reached and (
        verdict.kind == "incomplete_output" or verdict.cause in ("lost", "timeout", "no_response")
    )


def _with_own_fields(extra: dict[str, Any], guard: SpendGuard) -> dict[str, Any]:
    limits = {"prompt": guard.max_price_in, "completion": guard.max_price_out}
    given = {name: price for name, price in limits.items() if price is not None}
    provider = {**extra.get("provider", {}), **({"max_price": given} if given else {})}
    return {"usage": {"include": True}, **extra, **({"provider": provider} if provider else {})}


def _tokens_of(usage: dict[str, Any] | None) -> Tokens | None:
    return tokens_of(((usage or {}).get("prompt_tokens"), (usage or {}).get("completion_tokens")))


def _amount(value: object) -> float | None:
    return float(value) if type(value) in (int, float) and 0 <= value <= MOST_USD else None  # type: ignore[operator, arg-type]

"""Whether an error says that there is no money left, or nothing left of what was bought. Matched in lower case.

One table of things that run out, one of the states they are in then; a new word goes into its table, nowhere else.
"""

from __future__ import annotations

import re

_THING = (
    r"(?:account |credit |wallet |user )?balances?|\bcredits?|\bfunds|\bwallet|prepa(?:id|yment)|allowance|\ballotment"
    r"|(?<!rate )(?<!concurrency )(?<!request )\bquotas?|(?<!memory )(?<!cpu )(?<!resource )(?<!disk )(?<!gpu )\busage limits?"
    r"|spend(?:ing)? (?:limit|cap)|billing[ _](?:hard[ _])?limit|key limit|plan limit|your (?:usage|plan|account|api) limits?"
    r"|free (?:tier|trial|allocation|plan|usage|credits?)|\btrial|your (?:model )?capacity"
    r"|session limits?|weekly limits?|monthly limits?|(?:five|\d+)[- ]?hour (?:usage )?limits?"
    r"|(?<!token )(?<!thinking )(?<!reasoning )(?<!time )(?<!timeout )(?<!retry )(?<!cache )\bbudget"
)
_GONE = (
    r"insufficient|not enough|isn't enough|too low|exhaust(?:ed|ion)|deplet(?:ed|ion)|used up|r[au]n out|running out|out of"
    r"|\bempty|(?:is |are |of )(?:zero|0\b)|(?:has |have |been |was |is |you've )*(?:exceeded|reached|hit|consumed|spent)"
    r"|negative|overdrawn|over your|crossed|\blow\b|(?:has|have|is) expired|finished"
)
_NO_MORE = r"\bno(?: more| remaining)?"
_TOLD = re.compile(
    rf"(?:{_THING})\b[^.;\n]{{0,40}}?(?:{_GONE})"
    rf"|(?:{_GONE}|\bexceeds|{_NO_MORE})[ _:]+(?:[^.;\n]{{0,30}}?[ _])?(?:{_THING})\b"
)
"""Both tables, in whichever order."""
_SENTENCE = re.compile(
    r"insufficient_(?:user_)?(?:quota|credits?|funds|(?:account_)?balance)|balance_depleted|credit balance"
    r"|(?:requires?|need) more credits|add(?:ing)? \$?\d* ?(?:more )?credits|(?:any|all available|included|enough) credits"
    r"|limit exhausted|can only afford|payment required|please recharge|\btop(?: |-)?up\b"
    r"|exceededbudget|(?:over|crossed)(?: \w+)? budget|free allocation|api usage limits"
    r"|arrearage|\boverdue\b|non-?payment|subscription (?:has )?expired|billing (?:is )?(?:not |in)active"
    r"|billing is (?:not enabled|disabled)|in good standing|account .{0,60}is (?:suspended|frozen)"
    r"|余额不足|额度不足|额度已?用[尽完]|配额(?:不足|已?用[尽完])|欠费|请充值"
)
"""What says it without such a pair."""
HARD_QUOTA_CODES = frozenset(
    {
        *("insufficient_quota", "insufficient_user_quota", "insufficient_credits", "insufficient_balance"),
        *("insufficient_balance_error", "billing_hard_limit_reached", "billing_not_active", "budget_exceeded"),
        *("exceeded_current_quota_error", "pre_consume_token_quota_failed", "arrearage"),
    }
)
"""Codes that no wait of a minute lifts."""


def is_credit(text: str, codes: frozenset[str]) -> bool:
    """Whether the text says that there is no money left."""
    return bool(codes & HARD_QUOTA_CODES) or bool(_SENTENCE.search(text)) or bool(_TOLD.search(text))

"""What an error text is about, by its words: rates and quotas, keys, loading, models, filters. See `overflow` and `money` too.

One table a subject, in lower case, English and Chinese. A new phrasing goes into its table, nowhere else.
"""

from __future__ import annotations

import re

from nftbench.agents.verdicts.money import HARD_QUOTA_CODES, is_credit

_DAILY = re.compile(
    r"per[- _]?day|perday|\bdaily\b|\brpd\b|\btpd\b|per[- _]?month|\bmonthly\b|per[- _]?week|\bweekly\b"
    r"|(?:calls|requests|tokens) ?/ ?(?:day|month|week)|\bthis (?:month|week)\b|每日|每天|当日|每月"
)
_PER_MINUTE = re.compile(r"per[- _]?min|perminute|per[- _]?sec|\btpm\b|\brpm\b|\bqps\b|per[- _]?hour|/ ?min")
_RATE = re.compile(
    r"rate[ _-]?limit|requests? limit (?:reached|exceeded)|too many (?:concurrent )?requests|throttl"
    r"|(?:token|request)s? per min|\bqps request limit"
    r"|limit_requests|limit_burst_rate|request rate increased|concurrency limit"
)
_RATE_CODES = frozenset({"rate_limit_exceeded", "rate_limit_error", "ratelimitexceeded", "too_many_requests"})
_AUTH = re.compile(
    r"(?:invalid|incorrect|no|missing|expired|malformed|unknown) (?:x?-?api[ _-]?key|token was|auth credentials|authentication)"
    r"|invalid (?:api|access|auth\w*|bearer|subscription|admin|proxy server|user) (?:key|token)"
    r"|api[ _-]?key (?:not valid|not found|is invalid|is missing|expired|required)|(?:invalid_api_key|api_key_invalid)"
    r"|(?:access|security) token (?:included in the request )?(?:is )?(?:invalid|expired)|authentication key is missing"
    r"|authentication[ _]?error|auth_error|invalid_authentication|authentication failed|not authenticated|unauthenticated"
    r"|\bunauthori[sz]ed\b|login fail|missing (?:bearer|authorization)|authorization header|account[_ ](?:is )?deactivated"
    r"|no_db_connection|no connected db"  # a litellm proxy without a database, about a key that it does not know
    r"|身份验证|无效的(?:令牌|密钥)|令牌无效|(?:认证|鉴权|授权)失败|未提供令牌"
)
_LOADABLE = r"model|server|service|engine|deployment|endpoint|instance|worker|weights|replica|backend|app|container|pod"
_NOT_YET = (
    r"(?:load|start|initiali[sz]|warm|spinn|pull|download|boot|compil|deploy|provision)ing"
    r"|being (?:loaded|started|initiali[sz]ed|warmed|pulled|downloaded|booted|compiled|deployed|provisioned|scaled)"
)
_LOADING = re.compile(
    rf"\b(?:{_LOADABLE})\b(?:[^.;\n]|\.(?=\S)){{0,60}}?\b(?:(?:is|are) (?:still |currently |now )*(?:{_NOT_YET})\b"
    r"|(?:is )?not (?:yet |currently )?(?:ready|loaded yet|up yet|started yet|available yet|warm))"
    rf"|(?:loading|initiali[sz]ing|starting|warming up|pulling|downloading) (?:the )?(?:{_LOADABLE})\b"
    rf"|still (?:{_NOT_YET})\b|warming up|starting up|spinning up|\bcold start|not (?:yet )?ready to (?:serve|accept)"
)
"""What can be loaded, and that it is not yet."""
_OUTPUT = (
    r"model(?:'s)? (?:output|reply|response|generation)|generated (?:text|output|response|tool[ _]?calls?|tokens?|json)"
    r"|tool[ _]?calls?(?: arguments)?|function calls?|\bfc\b|assistant (?:message|output|response)|harmony(?: message| output)?"
    r"|message header|channel marker|output parser|chat output|model produced output"
)
_UNREADABLE = (
    r"(?:could|can|did) ?not (?:be )?(?:parsed?|read|decoded?|match)|cannot (?:be )?(?:parsed?|read|decoded?)"
    r"|(?:failed|unable|error)(?: to)? (?:pars\w+|decod\w+|read)|does not match|malformed|unparsable|unparseable"
    r"|pars(?:e|ing) (?:error|failed|failure)|validation failed"
    r"|unexpected tokens?|no (?:channel|recipient|message) value|no channel value present|is (?:not valid|invalid) json|truncated"
)
_MODEL_OUTPUT = re.compile(
    rf"(?:{_OUTPUT})\b[^.;\n]{{0,60}}?(?:{_UNREADABLE})|(?:{_UNREADABLE})[^.;\n]{{0,60}}?(?:{_OUTPUT})\b"
    r"|failed to parse input at pos|(?:invalid|malformed)[ _](?:tool|function)[ _]call(?:s)? (?:from|by) "
    r"|failed to (?:call a function|generate tool_calls)"
    r"|malformed_function_call|tool_use_failed|failed_generation"
)
_PARSERS_OWN = re.compile(
    r"unexpected tokens? .{0,60}(?:message header|start token)|unexpected eos while waiting|channel marker present"
    r"|expecting start token|\bunknown role:? ['\"]?(?!(?:tool|developer|function|system|user|assistant)\b)[\w<]"
)
"""What readers of a model's channels say of its output, and of no request."""
_PARSERS_OR_A_REQUESTS = re.compile(
    r"\bunknown role\b|unexpected eos\b|unexpected end of (?:message|generation)|invalid (?:message )?header"
)
"""What they say too, but what a refusal of a request may say as well; that would come with a 4xx."""
_FILTERED = re.compile(
    r"\bflagged\b|moderation|content[ _-]?(?:filter|policy|management)|safety system|violates? .{0,40}(?:polic|guideline)"
    r"|safety filter|(?:blocked|rejected|refused) by .{0,40}(?:safety|polic)|inappropriate content|data_inspection_failed"
    r"|content exists risk|considered high risk|safety_check|prohibited[ _]content"
    r"|responsibleai|new_sensitive|sensitive (?:content|words?|information)|guardrail (?:checks?|intervened|blocked|failed)"
    r"|敏感|不安全|违规"
)
_REQUEST = re.compile(
    r"\d+ validation errors?\b|field required|unexpected fields|request validation|extra inputs are not permitted"
)
_NO_MODEL = re.compile(
    r"model\b.{0,120}(?:does not exist|not found|not exist\b|is not available|is not supported)"
    r"|model\b.{0,120}has been (?:decommissioned|retired|removed)|model: \S+ \| (?:error )?not_found_error"
    r"|model\b.{0,60} is (?:unknown|not (?:loaded|deployed|served))|model_not_(?:found|available)"
    r"|invalid model(?: name|:|_)|no models? (?:are |is )?(?:currently )?loaded|no such (?:model|deployment)"
    r"|model_decommissioned|unknown model|unsupported model|not a valid model|not found the model|unable to access model"
    r"|deploymentnotfound|api deployment for this resource|no healthy deployments? for|repository not found"
    r"|no endpoints (?:found|available)|no available channel|models/\S+ is not found"
    r"|无可用渠道|模型不存在|模型.{0,10}不可用"
)
_NOTHING_SERVED = re.compile(
    r"model_not_found|no models? (?:are |is )?(?:currently )?loaded|no available channel|无可用渠道"
)
_WRONG_PATH = re.compile(r"unexpected endpoint or method|unknown (?:path|endpoint|route)|no route for")
_CRASH = re.compile(
    r"(?:model|engine|runner|worker|process)\b[^.]{0,40}\b(?:crashed|terminated|died|is dead|unloaded|reloaded)"
    r"|out of memory|insufficient memory|more system memory|cuda error|enginecore|enginedead|command buffer execution failed"
)
_TOO_BIG = re.compile(
    r"entity[ .]too[ .]large|payload (?:is )?too (?:large|big)|\bbody\b.{0,40}(?:too (?:large|big)|limit|exceed)"
    r"|length limit exceeded|content length too large"
)
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)\s*>|<[^>]{0,500}>", re.DOTALL | re.IGNORECASE)


def is_rate_limit(text: str, codes: frozenset[str]) -> bool:
    """Whether a refusal is about how much is asked for in a short time."""
    return bool(codes & _RATE_CODES) or bool(_RATE.search(text))


def is_quota(text: str, codes: frozenset[str], *, is_soon_over: bool = False) -> bool:
    """Whether a refusal for too many requests is about a day's or an account's limit, which no short wait lifts.
    `is_soon_over`: the server asks to be tried again after a short time."""
    by_minute = bool(_PER_MINUTE.search(text))
    if codes & HARD_QUOTA_CODES or (_DAILY.search(text) and not (by_minute and is_soon_over)):
        return True
    return is_credit(text, codes) and not by_minute and not is_soon_over


def is_auth(text: str) -> bool:
    """Whether the text is about a missing or wrong key."""
    return bool(_AUTH.search(text))


def is_loading(text: str) -> bool:
    """Whether the server says that it is still starting."""
    return bool(_LOADING.search(text))


def is_model_output(text: str, *, of_the_server: bool = True) -> bool:
    """Whether the server fails because it could not read what the model itself wrote; `of_the_server`: it is the server's
    failure by its status, not a refusal of the request."""
    return (
        bool(_MODEL_OUTPUT.search(text))
        or bool(_PARSERS_OWN.search(text))
        or (of_the_server and bool(_PARSERS_OR_A_REQUESTS.search(text)))
    )


def is_parsers_own(text: str) -> bool:
    """Whether it is what a reader of a model's channels says, in whose mouth a role is the model's."""
    return bool(_PARSERS_OWN.search(text) or _PARSERS_OR_A_REQUESTS.search(text))


def is_filtered(text: str) -> bool:
    """Whether a content filter stopped the reply or the request."""
    return bool(_FILTERED.search(text))


def is_request_fault(text: str) -> bool:
    """Whether the server refuses the form of the request, whatever its status says."""
    return bool(_REQUEST.search(text))


def is_no_model(text: str) -> bool:
    """Whether the server does not have the model."""
    return bool(_NO_MODEL.search(text))


def is_nothing_served(text: str) -> bool:
    """Whether it says so in words that leave no doubt, whatever its status."""
    return bool(_NOTHING_SERVED.search(text))


def is_wrong_path(text: str) -> bool:
    """Whether the server does not know the path."""
    return bool(_WRONG_PATH.search(text))


def is_crash(text: str) -> bool:
    """Whether the model's own process is in trouble, whatever the status says."""
    return bool(_CRASH.search(text))


def is_too_big(text: str) -> bool:
    """Whether the bytes of the request, not its tokens, are too many."""
    return bool(_TOO_BIG.search(text))


def is_html(text: str) -> bool:
    """Whether the text is a web page, not an answer of an API."""
    start = text[:200].lstrip().lower()
    return start.startswith(("<!doctype", "<html", "<head", "<body", "<?xml"))


def shown(text: str, longest: int = 500) -> str:
    """An error text for people: without tags, in one line, at most so long."""
    plain = _TAG.sub(" ", text[: longest * 8]) if "<" in text else text[: longest * 8]
    line = " ".join(plain.split())
    return line if len(line) <= longest else line[:longest] + "..."

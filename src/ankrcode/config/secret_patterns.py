r"""What secrets look like, as tables.

Every pattern begins with fixed text and repeats possessively (`*+`) or within bounds, so the
time is linear in the length of the text whatever it holds.
"""

import re

# Kind, how it begins, what follows: here the beginning is proof enough.
TOKENS = (
    ("anthropic-key", "sk-ant-", r"[A-Za-z0-9_-]{16,}+"),
    ("openai-key", "sk-proj-", r"[A-Za-z0-9_-]{20,}+"),
    ("openai-key", "sk-svcacct-", r"[A-Za-z0-9_-]{20,}+"),
    ("openai-key", "sk-admin-", r"[A-Za-z0-9_-]{20,}+"),
    ("openrouter-key", "sk-or-", r"[A-Za-z0-9_-]{20,}+"),
    ("openai-key", "sk-", r"(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,}+"),
    ("stripe-key", "sk_", r"(?:live|test|prod)_[A-Za-z0-9]{16,}+"),
    ("stripe-key", "rk_", r"(?:live|test|prod)_[A-Za-z0-9]{16,}+"),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/=]{24,}+"),
    ("speech-key", "sk_", r"(?:[a-z0-9]{8}_[A-Za-z0-9]{20,}+|[a-f0-9]{48}(?![A-Za-z0-9]))"),
    ("aws-key", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github-token", "ghp_", r"[A-Za-z0-9]{30,}+"),
    ("github-token", "gho_", r"[A-Za-z0-9]{30,}+"),
    ("github-token", "ghu_", r"[A-Za-z0-9]{30,}+"),
    ("github-token", "ghs_", r"[A-Za-z0-9]{30,}+"),
    ("github-token", "ghr_", r"[A-Za-z0-9]{30,}+"),
    ("github-token", "github_pat_", r"[A-Za-z0-9_]{22,}+"),
    ("gitlab-token", "glpat-", r"[A-Za-z0-9_.-]{20,}+"),
    ("gitlab-token", "gl", r"(?:oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{20,}+"),
    ("slack-token", "xox", r"[abeoprs]-[A-Za-z0-9-]{10,}+"),
    ("slack-token", "xapp-", r"[0-9]-[A-Za-z0-9-]{20,}+"),
    ("slack-token", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}+"),
    ("discord-token", "discord.com/api/webhooks/", r"[0-9]{15,}+/[A-Za-z0-9_-]{40,}+"),
    ("telegram-token", "api.telegram.org/bot", r"[0-9]{6,12}:[A-Za-z0-9_-]{30,}+"),
    ("google-key", "AIza", r"[A-Za-z0-9_-]{30,}+"),
    ("google-key", "GOCSPX-", r"[A-Za-z0-9_-]{20,}+"),
    ("google-key", "ya29.", r"[A-Za-z0-9_-]{20,}+"),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}+"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{30,}+"),
    ("xai-key", "xai-", r"[A-Za-z0-9]{40,}+"),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{32,}+"),
    ("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9]{20,}+"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}+"),
    ("nvidia-key", "nvapi-", r"[A-Za-z0-9_-]{40,}+"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{30,}+"),
    ("pypi-token", "pypi-AgE", r"[A-Za-z0-9_-]{30,}+"),
    ("rubygems-key", "rubygems_", r"[a-f0-9]{40,}+"),
    ("docker-token", "dckr_", r"(?:pat|oat)_[A-Za-z0-9_-]{20,}+"),
    ("digitalocean-token", "do", r"[opr]_v1_[a-f0-9]{40,}+"),
    ("databricks-token", "dapi", r"[a-f0-9]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}+"),
    ("mailgun-key", "key-", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("twilio-key", "SK", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("shopify-token", "shp", r"(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+"),
    ("vault-token", "hvs.", r"[A-Za-z0-9_-]{24,}+"),
    ("grafana-token", "glsa_", r"[A-Za-z0-9_]{32,}+"),
    ("linear-key", "lin_api_", r"[A-Za-z0-9]{32,}+"),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{40,}+"),
    ("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{24,}+"),
    ("supabase-token", "sbp_", r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("figma-token", "figd_", r"[A-Za-z0-9_-]{36,}+"),
    ("newrelic-key", "NRAK-", r"[A-Z0-9]{24,}+"),
    ("sentry-token", "sntrys_", r"[A-Za-z0-9_+/=]{40,}+"),
    ("doppler-token", "dp.pt.", r"[A-Za-z0-9_.-]{40,}+"),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    ("jwt", "eyJ", r"(?<![_-]eyJ)[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{8,}+){2,4}"),
)


def token_pattern(beginning: str, rest: str) -> str:
    r"""A token begins where a word begins: also after `\n` spelled out, `%3D`, a terminal colour.

    Looking back from behind the beginning keeps fixed text in front, which is fast to find.
    """
    start = re.escape(beginning)
    return (
        rf"{start}(?:(?<![A-Za-z0-9]{start})|(?<=\\[nrtfb]{start})|(?<=%[0-9A-Fa-f]{{2}}{start})"
        rf"|(?<=[;\[]m{start})|(?<=[;\[][0-9]m{start})"
        rf"|(?<=[;\[][0-9]{{2}}m{start})|(?<=[;\[][0-9]{{3}}m{start})){rest}"
    )


_KEY_LINE = r"-----{edge}[ ](?:[A-Z0-9]{{1,20}}[ ]){{0,3}}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----"
_KEY_BEGIN, _KEY_END = _KEY_LINE.format(edge="BEGIN"), _KEY_LINE.format(edge="END")

# Between the two lines stands only what a key may hold, not the code that looks for one. A text
# may also stop before the end; then whatever looks like a line of the key belongs to it.
PRIVATE_KEY = rf"""(?x) {_KEY_BEGIN} (?:
    (?=(?:(?!-----)[^(){{}}\[\];])*?(?=[A-Za-z]?[a-z]{{0,40}}[A-Z0-9+/])[A-Za-z0-9+/]{{12}})
    (?:(?!-----)[^(){{}}\[\];])*+ {_KEY_END}
  | (?:(?:\s|\\[nr]|[>+|"'\#]|[0-9]{{1,6}}\t)*+ [A-Za-z0-9+/=]{{24,}}+)++
    (?:(?:\r?\n|\\n) [A-Za-z0-9+/]{{1,23}}={{0,2}}(?=\r?\n|\\n|["']|\Z))?+
)"""

URL_LOGIN = (
    r"(?P<before>://[^\s/@:\"'<>`()\[\]{}|\\^]{0,200}+:)"
    r"(?P<value>[^\s/\"'<>`()\[\]{}|\\^]{1,500})(?=@[^\s@])"
)

AUTHORIZATION = r"""(?ix)
    (?P<before>
        (?: (?P<header>authorization)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?
            (?:bearer|basic|token|digest|apikey)
          | (?<![a-z])bearer
        ) [ ]{1,4}
    )(?P<value>[a-z0-9._~+/=-]{8,}+)"""

_SENSITIVE_WORD = r"""(?:
    (?<![a-z])pass | passw(?:or)?d | passphrase | passcode | (?<![a-z])pwd
  | secret | token | credentials?
  | (?:api|access|secret|private|account|auth|encryption|signing|master|shared|client|license)
    [_-]?(?:access[_-]?)?key
)
(?:[_-]?(?:[0-9]{1,2}|prod|production|staging|dev|test|live|base|value|b64|base64|old|new))?"""
SENSITIVE_STEMS = ("pass", "pwd", "secret", "token", "credential", "key")

_VALUE = r"""(?P<quote>\\{0,3}["'`]?)(?P<value>[^\s"'`,;&|<>(){}\[\]\\]{8,}+)(?P<after>[(\[{]?)"""

ASSIGNMENT = rf"""(?ix)
    (?P<before>
        (?<![:/]) (?P<name>{_SENSITIVE_WORD})
        \\{{0,3}}["'\]]{{0,2}} (?P<sign>\s{{0,8}}(?:={{1,3}}|:=|=>|[:>])[ \t]{{0,8}})
    ){_VALUE}"""

# `--password x`, `curl -u name:x`, and the lines of a .netrc file.
OPTION = rf"""(?ix)
    (?P<before>
        (?: (?<!-)--(?:[a-z]{{1,20}}-){{0,3}}?(?P<name>{_SENSITIVE_WORD})[ ]{{1,4}}
          | (?<![a-z-])(?:-u[ ]?|--user[ =])["']?[^\s:"']{{1,64}}:
          | (?<![a-z])login[ ]\S{{1,100}}[ ]password[ ]
        ) (?P<sign>)
    ){_VALUE}"""

# What templates and documents put where a secret belongs, and the names of variables.
PLACEHOLDER = r"""(?x)
    [$%][A-Za-z_{(] | [<*{] | (?i:sha(?:1|256|384|512)|md5)[:-]
  | (?i:your|change|replace|insert|enter|example|sample|placeholder|redacted|hidden|dummy|fake
       |todo|xxx) (?![a-z]*[0-9!@\#%^&])
  | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z
  | (?P<one>.)(?P=one)*\Z"""

# `response.data2.token` and `OAuth2Token`: names made of words, with a number or two.
CODE_REFERENCE = r"""(?x)
    [A-Za-z_$][A-Za-z0-9_$]* (?:(?:\.|->|::|=)[A-Za-z_$][A-Za-z0-9_$]*)+\Z
  | (?=[^0-9]*[0-9]+[^0-9]*(?:[0-9]+[^0-9]*)?\Z)
    (?:[A-Z]{1,3}[a-z_]++|[a-z_]{2,}+|[A-Z_]++|[0-9]++)++\Z"""

# What a name in camel case is made of.
PART = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"

# Words of a sentence, a template or a name, in any script: `token-goes-here`, `oldPassword`.
WORDING = r"(?:(?:[A-Z]?[a-z\u0080-\U0010ffff]{2,24}+|[A-Z]{2,24}+(?![a-z]))[-_./:]*+)++\Z"

SENSITIVE_VARIABLE = r"""(?ix)
    (?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:^|_)PASS|_PWD|_PAT|_AUTH)
    [0-9]{0,2}\Z"""

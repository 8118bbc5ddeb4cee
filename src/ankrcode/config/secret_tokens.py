"""Tokens that are known by their own look, as services publish it."""

import re

# What every token is made of, and no token is shorter: most texts have few such runs.
RUN = r"[A-Za-z0-9_./:+=~-]{15,}+"

UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
DISCORD = r"[A-Za-z0-9_-]{22,24}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])"

# Kind, how it begins, what follows: here the beginning is proof enough.
# No word is like that: a digit somewhere, or small letters beside capitals.
_DIGIT_OR_CASES = r"[A-Za-z]{0,31}[0-9]|[A-Za-z]{0,30}(?:[a-z][A-Z]|[A-Z][a-z])"
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
    ("gitlab-token", "glpat-", r"[A-Za-z0-9_-]{20,}+(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
    ("gitlab-token", "GR1348941", r"[A-Za-z0-9_-]{20,}+"),
    ("gitlab-token", "gl", r"(?:oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{20,}+"),
    ("slack-token", "xoxe.", r"xox[bp]-[0-9]-[A-Za-z0-9-]{10,}+"),
    ("slack-token", "xox", r"[abeoprs]-(?=[A-Za-z-]{0,20}[0-9])[A-Za-z0-9-]{10,}+"),
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
    ("doppler-token", "dp.", r"(?:pt|ct|sa|scim|audit)\.[A-Za-z0-9_-]{40,}+"),
    ("sentry-token", "sntryu_", r"[a-f0-9]{60,}+"),
    ("doppler-token", "dp.st.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9_-]{40,}+"),
    ("facebook-token", "EAACEdEose0cBA", r"[A-Za-z0-9]{20,}+"),
    ("google-key", "1//0", r"[A-Za-z0-9_-]{40,}+"),
    ("fly-token", "fo1_", r"[A-Za-z0-9_-]{40,}+"),
    ("apify-token", "apify_api_", r"[A-Za-z0-9]{36,}+"),
    ("prefect-token", "pn", r"[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("square-token", "sq0", r"(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}+"),
    ("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),
    ("tailscale-key", "tskey-", r"[a-z]{2,10}-[A-Za-z0-9-]{16,}+"),
    ("flutterwave-key", "FLWSECK", r"(?:_TEST)?-[a-f0-9]{12,}+(?:-X)?"),
    ("razorpay-key", "rzp_", r"(?:live|test)_[A-Za-z0-9]{14,}+"),
    ("netlify-token", "nfp_", r"[A-Za-z0-9]{36,}+"),
    ("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_-]{32,}+"),
    ("pulumi-token", "pul-", r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("buildkite-token", "bkua_", r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("circleci-token", "CCIPAT_", r"[A-Za-z0-9_]{40,}+"),
    ("bitbucket-token", "ATBB", r"[A-Za-z0-9_=-]{28,}+"),
    ("contentful-token", "CFPAT-", r"[A-Za-z0-9_-]{40,}+"),
    ("brevo-key", "xkeysib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ("langsmith-key", "lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ("onepassword-token", "ops_eyJ", r"[A-Za-z0-9_=+/-]{100,}+"),
    (
        "onepassword-key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    ("langfuse-key", "sk-lf-", UUID),
    ("jina-key", "jina_", r"[A-Za-z0-9]{50,}+"),
    ("nuget-key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])"),
    *(("discord-token", start, DISCORD) for start in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz")),
    *(("discord-token", start, DISCORD) for start in ("OD", "OT")),
    ("notion-token", "secret_", r"(?=[A-Za-z]{0,42}[0-9])[A-Za-z0-9]{43}(?![A-Za-z0-9])"),
    ("hubspot-token", "pat-", r"(?:na|eu|ap)[0-9]-" + UUID),
    ("dropbox-token", "sl.", r"(?:u\.)?[A-Za-z0-9_=-]{100,}+"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/=]{32,}+"),
    ("readme-key", "rdme_", r"[a-z0-9]{64,}+"),
    ("cloudflare-key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{146}"),
    ("dynatrace-token", "dt0", r"[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("easypost-key", "EZ", r"[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    ("duffel-token", "duffel_", r"(?:live|test)_[A-Za-z0-9_=-]{43}"),
    ("alibaba-key", "LTAI", r"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    ("adobe-secret", "p8e-", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("octopus-key", "API-", r"(?=[A-Z]{0,25}[0-9])[A-Z0-9]{25,32}(?![A-Za-z0-9])"),
    ("openshift-token", "sha256~", r"[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])"),
    ("sourcegraph-token", "sgp_", r"(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("shippo-token", "shippo_", r"(?:live|test)_[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("riot-key", "RGAPI-", UUID),
    ("deno-token", "dd", r"[pw]_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("neon-key", "napi_", r"[a-z0-9]{64}(?![A-Za-z0-9])"),
    ("square-token", "EAAA", r"[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])"),
    ("aws-key", "amzn.mws.", UUID),
    ("aws-key", "FwoGZXIvYXdz", r"[A-Za-z0-9+/=]{100,}+"),
    ("aws-key", "IQoJb3JpZ2lu", r"[A-Za-z0-9+/=]{100,}+"),
    ("yandex-key", "AQVN", r"[A-Za-z0-9_-]{35,38}(?![A-Za-z0-9_-])"),
    ("yandex-key", "t1.", r"[A-Za-z0-9_-]{30,}+\.[A-Za-z0-9_-]{86}"),
    ("baidu-key", "bce-v3/ALTAK-", r"[A-Za-z0-9]{21}/[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("vault-token", "hvb.", r"[A-Za-z0-9_-]{90,}+"),
    ("fly-token", "fm", r"[12]r?_[A-Za-z0-9+/=]{80,}+"),
    ("crates-token", "cio", rf"(?={_DIGIT_OR_CASES})[A-Za-z0-9]{{32}}(?![A-Za-z0-9])"),
    ("new-relic-key", "NRII-", r"[A-Za-z0-9_-]{32}(?![A-Za-z0-9])"),
    ("intra42-secret", "s-s4t2", r"(?:ud|af)-[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("artifactory-key", "AKCp", r"[A-Za-z0-9]{69}(?![A-Za-z0-9])"),
    ("artifactory-key", "cmVmdGtuOj", r"[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    ("fireworks-key", "fw_", r"(?=[a-z]{0,21}[A-Z0-9])[A-Za-z0-9]{22,24}(?![A-Za-z0-9_])"),
    ("pinecone-key", "pcsk_", r"[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,}+"),
    ("e2b-key", "e2b_", r"[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("supabase-token", "sb_secret_", r"[A-Za-z0-9_-]{31}(?![A-Za-z0-9_-])"),
    ("context7-key", "ctx7sk-", UUID),
    ("browserbase-key", "bb_live_", r"[A-Za-z0-9_-]{27}(?![A-Za-z0-9_-])"),
    ("dbt-token", "dbt", r"[csu]?_[A-Za-z0-9+/=]{40}(?![A-Za-z0-9])"),
    ("zuplo-key", "zpka_", r"[a-z0-9]{32}_[a-f0-9]{8}(?![A-Za-z0-9])"),
    ("plaid-token", "access-", r"(?:production|development|sandbox)-" + UUID),
    ("settlemint-token", "sm_", r"(?:pat|aat|sat)_[A-Za-z0-9]{16}(?![A-Za-z0-9])"),
    ("typeform-token", "tfp_", r"[A-Za-z0-9_=-]{40,}+"),
    ("heroku-key", "HRKU-", r"[A-Za-z0-9_-]{36,}+"),
    ("cerebras-key", "csk-", r"[a-z0-9]{40,}+"),
    ("mapbox-token", "sk.eyJ", r"[A-Za-z0-9_-]{20,}+\.[A-Za-z0-9_-]{20,}+"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{58}"),
    ("jwt", "eyJ", r"(?<![_-]eyJ)[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{8,}+){2,4}"),
)


# The same for what is known by its middle: kind, fixed text, how far before it the token may begin,
# and the whole.
MARKED = (
    ("telegram-token", ":AA", (10, 9, 8), r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    (
        *("azure-secret", "8Q~", (3,)),
        r"[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
    ),
    ("terraform-token", ".atlasv1.", (14,), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}+"),
    (
        "braintree-token",
        "$production$",
        (12,),
        r"access_token\$production\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    ("mailchimp-key", "-us", (32,), r"[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
)


# Documents show tokens as `ghp_xxxxxxxx`.
DRAWN = r"(?P<one>[A-Za-z0-9])(?P=one){7}\Z"

# Services not listed above make theirs alike: a short name, then a long run that no word has.
JOINTS = ("_", "-")
OTHERS = r"[_-](?P<rest>[A-Za-z0-9]{32,}+[A-Za-z0-9_-]*+|[A-Za-z0-9_-]{40,}+)(?![+/=.][A-Za-z0-9])"
OTHER_NAME = (
    r"(?<![A-Za-z0-9_.+/-])(?:[a-z][a-z0-9]{1,11}|[A-Z][A-Z0-9]{1,11})"
    r"(?:[_-](?:[a-z0-9]{1,8}|[A-Z0-9]{1,8})){0,2}\Z"
)
TELLING_NAMES = frozenset(("live", "prod", "api", "pat", "secret", "token", "key", "sk"))
MAX_OTHER_NAME = 30
MIN_OTHER = 32  # characters after the joint; all of it stands in one RUN


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

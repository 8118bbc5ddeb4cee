"""What is taken out of a text, and what is not. Samples are composed: none stands here whole."""

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankrcode.config.secret_tokens import TOKENS
from ankrcode.config.secrets import redact, secret_values

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE64 = ALNUM + "+/"


def noise(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    """Random text that is the same in every run, and has a digit in it."""
    chooser = random.Random(f"{seed}{length}{alphabet}")
    return "".join(chooser.choice(alphabet) for _ in range(length - 2)) + "7a"[: min(length, 2)]


BODY = noise(40)
KEY = noise(32)
PASSWORD = "S3c" + "r3t!Pw"
PEM_HEADERS = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{noise(32, HEX).upper()}"
PEM_BODY = "\n".join(noise(64, BASE64, seed) for seed in range(4)) + "\nab3=\n"

UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
TOKEN_SAMPLES = {
    "adobe-secret": [f"p8e-{noise(32)}"],
    "alibaba-key": [f"LTAI{noise(20)}"],
    "artifactory-key": [f"AKCp{noise(69)}", f"cmVmdGtuOj{noise(54)}"],
    "baidu-key": [f"bce-v3/ALTAK-{noise(21)}/{noise(40, HEX)}"],
    "browserbase-key": [f"bb_live_{noise(27)}"],
    "cloudflare-key": [f"v1.0-{noise(24, HEX)}-{noise(146, HEX)}"],
    "context7-key": [f"ctx7sk-{UUID}"],
    "crates-token": [f"cio{noise(32)}"],
    "dbt-token": [f"dbtc_{noise(40)}"],
    "deno-token": [f"ddp_{noise(36)}", f"ddw_{noise(36)}"],
    "dropbox-token": [f"sl.{noise(140)}", f"sl.u.{noise(140)}"],
    "duffel-token": [f"duffel_live_{noise(43)}"],
    "dynatrace-token": [f"dt0c01.{noise(24).upper()}.{noise(64).upper()}"],
    "e2b-key": [f"e2b_{noise(40, HEX)}"],
    "easypost-key": [f"EZAK{noise(54)}", f"EZTK{noise(54)}"],
    "fireworks-key": [f"fw_{noise(24)}"],
    "hubspot-token": [f"pat-na1-{UUID}", f"pat-eu1-{UUID}"],
    "intra42-secret": [f"s-s4t2ud-{noise(64, HEX)}"],
    "jina-key": [f"jina_{noise(60)}"],
    "langfuse-key": [f"sk-lf-{UUID}"],
    "neon-key": [f"napi_{noise(64).lower()}"],
    "nuget-key": [f"oy2{noise(43).lower()}"],
    "octopus-key": [f"API-{noise(26).upper()}"],
    "onepassword-key": ["A3-C4ZJMN-PQTZTL-HGL84-G64M7-KVZRN-4ZVP6"],
    "openshift-token": [f"sha256~{noise(43)}"],
    "pinecone-key": [f"pcsk_{noise(6)}_{noise(63)}"],
    "plaid-token": [f"access-production-{UUID}"],
    "readme-key": [f"rdme_{noise(70).lower()}"],
    "resend-key": [f"re_{noise(8)}_{noise(24)}"],
    "riot-key": [f"RGAPI-{UUID}"],
    "settlemint-token": [f"sm_pat_{noise(16)}"],
    "shippo-token": [f"shippo_live_{noise(40, HEX)}"],
    "sourcegraph-token": [f"sgp_{noise(16, HEX)}_{noise(40, HEX)}", f"sgp_{noise(40, HEX)}"],
    "typeform-token": [f"tfp_{noise(44)}_{noise(14)}"],
    "yandex-key": [f"AQVN{noise(36)}", f"t1.{noise(80)}.{noise(86)}"],
    "zuplo-key": [f"zpka_{noise(32).lower()}_{noise(8, HEX)}"],
    "airtable-token": [f"pat{noise(14)}.{noise(64, HEX)}"],
    "bitbucket-token": [f"ATBB{noise(32)}"],
    "brevo-key": [f"xkeysib-{noise(64, HEX)}-{noise(16)}"],
    "buildkite-token": [f"bkua_{noise(40, HEX)}"],
    "cerebras-key": [f"csk-{noise(48, HEX)}"],
    "circleci-token": [f"CCIPAT_{noise(22)}_{noise(40, HEX)}"],
    "contentful-token": [f"CFPAT-{noise(43)}"],
    "apify-token": [f"apify_api_{noise(36)}"],
    "facebook-token": [f"EAACEdEose0cBA{noise(60)}"],
    "flutterwave-key": [f"FLWSECK_TEST-{noise(32, HEX)}-X", f"FLWSECK-{noise(32, HEX)}-X"],
    "fly-token": [f"fo1_{noise(43)}", f"fm2_{noise(120)}"],
    "heroku-key": [f"HRKU-{noise(40)}"],
    "langsmith-key": [f"lsv2_pt_{noise(32, HEX)}_{noise(10, HEX)}"],
    "mapbox-token": [f"sk.eyJ{noise(40)}.{noise(22)}"],
    "netlify-token": [f"nfp_{noise(40)}"],
    "onepassword-token": [f"ops_eyJ{noise(120)}"],
    "planetscale-token": [f"pscale_tkn_{noise(43)}"],
    "new-relic-key": [f"NRII-{noise(32)}"],
    "prefect-token": [f"pnu_{noise(36)}", f"pnb_{noise(36)}"],
    "postman-key": [f"PMAK-{noise(24, HEX)}-{noise(34, HEX)}"],
    "pulumi-token": [f"pul-{noise(40, HEX)}"],
    "razorpay-key": [f"rzp_live_{noise(14)}"],
    "square-token": [f"sq0atp-{noise(22)}", f"sq0csp-{noise(43)}", f"EAAA{noise(60)}"],
    "tailscale-key": [f"tskey-auth-{noise(12)}-{noise(32)}"],
    "age-key": ["AGE-SECRET-KEY-1" + noise(58, string.ascii_uppercase)[:57] + "Q"],
    "anthropic-key": [f"sk-ant-api03-{BODY}_x-Y", f"sk-ant-oat01-{BODY}"],
    "atlassian-token": [f"ATATT3xFf{noise(60)}=1A2B"],
    "aws-key": [
        *(f"{kind}{noise(16, UPPER)[:13]}Q7Z" for kind in ("AKIA", "ASIA")),
        *(f"{kind}{noise(200)}" for kind in ("FwoGZXIvYXdz", "IQoJb3JpZ2lu")),
        f"amzn.mws.{UUID}",
    ],
    "databricks-token": [f"dapi{noise(32, HEX)}"],
    "digitalocean-token": [f"dop_v1_{noise(64, HEX)}"],
    "discord-token": [
        f"discord.com/api/webhooks/123456789012345678/{noise(60)}",
        *(
            f"{kind}{noise(22)}.{noise(6)}.{noise(38)}"
            for kind in ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT")
        ),
    ],
    "docker-token": [f"dckr_pat_{noise(27)}"],
    "doppler-token": [f"dp.pt.{noise(43)}", f"dp.st.{noise(43)}"],
    "figma-token": [f"figd_{noise(40)}"],
    "github-token": [f"gh{kind}_{noise(36)}" for kind in "pousr"] + [f"github_pat_{noise(82)}"],
    "gitlab-token": [f"glpat-{noise(20)}", f"gldt-{noise(20)}", f"GR1348941{noise(20)}"],
    "google-key": [
        f"AIza{noise(35)}",
        f"ya29.{noise(60)}",
        f"GOCSPX-{noise(28)}",
        f"1//0{noise(60)}",
    ],
    "grafana-token": [f"glsa_{noise(32)}_{noise(8, HEX)}", f"glc_{noise(60)}"],
    "groq-key": [f"gsk_{noise(52)}"],
    "huggingface-token": [f"hf_{noise(34)}"],
    "jwt": [f"eyJhbGciOiJIUzI1NiJ9.eyJ{noise(30)}.{noise(43)}"],
    "linear-key": [f"lin_api_{noise(40)}"],
    "mailgun-key": [f"key-{noise(32, HEX)}"],
    "newrelic-key": [f"NRAK-{noise(27, UPPER)[:26]}Q"],
    "notion-token": [f"ntn_{noise(46)}", f"secret_{noise(43)}"],
    "npm-token": [f"npm_{noise(36)}"],
    "nvidia-key": [f"nvapi-{noise(64)}"],
    "openai-key": [f"sk-{kind}-{BODY}" for kind in ("proj", "svcacct", "admin")]
    + [f"sk-{BODY}", f"sk-{noise(32, HEX)}"],
    "openrouter-key": [f"sk-or-v1-{noise(64, HEX)}"],
    "perplexity-key": [f"pplx-{noise(48)}"],
    "pypi-token": [f"pypi-AgEIcHlwaS5vcmc{noise(60)}"],
    "replicate-token": [f"r8_{noise(37)}"],
    "rubygems-key": [f"rubygems_{noise(48, HEX)}"],
    "sendgrid-key": [f"SG.{noise(22)}.{noise(43)}"],
    "sentry-token": [f"sntrys_{noise(60)}", f"sntryu_{noise(64, HEX)}"],
    "shopify-token": [f"shpat_{noise(32, HEX)}"],
    "slack-token": [f"xoxe.xoxp-1-{noise(60)}"]
    + [f"xox{kind}-123456789012-{noise(24)}" for kind in "baprs"]
    + [f"xapp-1-A0-{noise(30)}", f"hooks.slack.com/services/T0/B0/{noise(24)}"],
    "speech-key": [f"sk_{noise(8, HEX)}_{noise(32)}", f"sk_{noise(48, HEX)}"],
    "stripe-key": [f"sk_live_{noise(24)}", f"rk_test_{noise(24)}", f"whsec_{noise(32)}"],
    "supabase-token": [f"sbp_{noise(40, HEX)}", f"sb_secret_{noise(31)}"],
    "tavily-key": [f"tvly-dev-{noise(32)}", f"tvly-{noise(32)}"],
    "telegram-token": [f"api.telegram.org/bot123456789:AA{noise(33)}"],
    "twilio-key": [f"SK{noise(32, HEX)}"],
    "vault-token": [f"hvs.{noise(90)}", f"hvb.{noise(140)}"],
    "xai-key": [f"xai-{noise(80)}"],
}


def samples() -> list[tuple[str, str]]:
    return [(kind, text) for kind, texts in TOKEN_SAMPLES.items() for text in texts]


@pytest.mark.parametrize(("kind", "token"), samples())
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "key {} end",
        '"{}"',
        "export KEY={}",
        "({})",
        "a\n{}\nb",
        '{{"x": "line\\n{}"}}',
        "\x1b[32m{}\x1b[0m",
        "\x1b[38;5;196m{}\x1b[m",
        "x%3D{}&y",
        "   12\t{}",
        "https://host/?k={}&x",
        "कुंजी: {}।",
    ],
)
def test_a_token_of_a_well_known_kind_is_replaced_wherever_it_stands(
    kind: str, token: str, around: str
) -> None:
    assert redact(around.format(token)) == around.format(f"[redacted:{kind}]")


def test_every_kind_and_beginning_of_the_table_has_a_sample() -> None:
    for kind, beginning, _ in TOKENS:
        assert any(sample.startswith(beginning) for sample in TOKEN_SAMPLES[kind]), beginning
    assert set(TOKEN_SAMPLES) == {kind for kind, _, _ in TOKENS}


PRIVATE_KEYS = [
    f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}-----END {kind}PRIVATE KEY-----"
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ")
] + [
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{PEM_BODY}-----END PGP PRIVATE KEY BLOCK-----",
    f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_HEADERS}\n\n{PEM_BODY}-----END RSA PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\r\n{PEM_BODY}-----END PRIVATE KEY-----".replace("\n", "\r\n"),
    f"-----BEGIN PRIVATE KEY-----\\n{noise(64, BASE64)}\\n-----END PRIVATE KEY-----",
]


@pytest.mark.parametrize("block", PRIVATE_KEYS)
def test_a_private_key_is_replaced_as_a_whole(block: str) -> None:
    assert redact(f"before\n{block}\nafter") == "before\n[redacted:private-key]\nafter"


def test_a_private_key_is_found_among_line_numbers() -> None:
    lines = PRIVATE_KEYS[0].splitlines()
    shown = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, 1))
    assert redact(shown) == "     1\t[redacted:private-key]"


def test_a_private_key_that_was_cut_off_is_replaced_to_where_it_stops() -> None:
    begun = PRIVATE_KEYS[0].partition("ab3=")[0]
    assert redact(begun).strip() == "[redacted:private-key]"
    assert redact(f"{begun}\n\nThe end, which is not of the key.").endswith(
        "The end, which is not of the key."
    )


NAMED_SECRETS = [
    ("password={}", PASSWORD, "password"),
    ("PASSWORD={}", "hunter22", "password"),
    ("DB_PASSWORD={}", "hunter22", "password"),
    ('password: "{}"', "hunter22", "password"),
    ("'passwd' => '{}',", "hunter22", "password"),
    ("passphrase: {}", PASSWORD, "password"),
    ("<password>{}</password>", PASSWORD, "password"),
    ("Password={};Server=db", PASSWORD, "password"),
    ('"api_key": "{}"', KEY, "key"),
    ('\\"api_key\\": \\"{}\\"', KEY, "key"),
    ("apiKey: '{}',", KEY, "key"),
    ("api-key: {}", KEY, "key"),
    ("X-Api-Key: {}", KEY, "key"),
    ("export OPENAI_API_KEY={}", KEY, "key"),
    ("API_KEY_PROD={}", KEY, "key"),
    ("aws_secret_access_key = {}", noise(40, BASE64), "key"),
    ("AWS_SECRET_ACCESS_KEY={}", "/" + noise(39), "key"),
    ("SECRET_KEY_BASE={}", noise(64, HEX), "key"),
    ("AccountKey={};EndpointSuffix=x", noise(86, BASE64) + "==", "key"),
    ('config["token"] = "{}"', KEY, "token"),
    ("token := `{}`", KEY, "token"),
    ("token: {}", noise(40, HEX), "token"),
    ('if token == "{}":', KEY, "token"),
    ("?access_token={}&page=2", KEY, "token"),
    ("refresh_token={}", KEY, "token"),
    ("_authToken={}", noise(36, HEX), "token"),
    ("client_secret: {}", "0f8fad5b-d9cb-469f-a165-70867728950e", "secret"),
    ("webhook-secret: {}", KEY, "secret"),
    ("--token {}", KEY, "token"),
    ("--db-password {} --verbose", PASSWORD, "password"),
    ("--api-key={}", KEY, "key"),
    ("curl -u admin:{} https://x", PASSWORD, "password"),
    ("curl --user admin:{} https://x", PASSWORD, "password"),
    ("machine x login asha password {}", PASSWORD, "password"),
    ("Authorization: Bearer {}", KEY, "authorization"),
    ('"Authorization": "Bearer {}"', KEY, "authorization"),
    ("authorization: Basic {}", "dXNlcjpwYXNz" + "d29yZA==", "authorization"),
    ("-H 'Authorization: token {}'", noise(40, HEX), "authorization"),
    ("Bearer {}", KEY, "authorization"),
    ("postgres://app:{}@db.local/prod", "p4ss", "password"),
    ("mongodb+srv://me:{}@c.example.net", "correcthorse", "password"),
    ("redis://:{}@cache:6379/0", "letmein", "password"),
    ("https://u:{}@host/x", "p%40ss", "password"),
    ("https://u:{}@host", "p@ss", "password"),
]


@pytest.mark.parametrize(("text", "secret", "kind"), NAMED_SECRETS)
def test_a_secret_is_known_by_what_stands_before_it(text: str, secret: str, kind: str) -> None:
    assert redact(text.format(secret)) == text.format(f"[redacted:{kind}]")


ORDINARY = [
    # code
    "password: str",
    "token: Optional[str] = None",
    "token: OAuth2Token",
    "private_key: Ed25519PrivateKey",
    "password = os.environ['DB_PASSWORD1']",
    "token = get_token2(x1)",
    "const token = response.data2.token3",
    "reset_password_token = user.reset_password_token",
    "claude: { apiKey: process.env.ANTHROPIC_API_KEY }",
    "self.assertEqual(token1, token2)",
    "if token == TOKEN_KIND_2:",
    'PASSWORD: "challengePassword"',
    "password = 'Password used to generate key'",
    're.compile(r"://[^:]+:([^@]+)@")',
    "Token::new(TokenKind2::Ident3)",
    "max_tokens: 4096, token_count=12345678",
    "tokenizer: bert-base-uncased-v2-12",
    "if s.startswith('-----BEGIN PRIVATE KEY-----') and s.endswith('-----END PRIVATE KEY-----'):",
    "class='sk-fading-circle sk-cube1234567890'",
    "risk-assessment-2024-abcdefghijklmnop",
    "hf_model_name_that_is_long_enough_x1",
    "npm_config_registry=https://registry.npmjs.org/abc",
    # templates and examples
    "api_key: ${API_KEY}",
    "password: {{ db_password }}",
    "TOKEN=$(gcloud auth print-access-token)",
    'TOKEN="$GITHUB_TOKEN1"',
    "API_KEY=your-api-key-here",
    "API_KEY=YOUR_API_KEY_2",
    "password: changeme",
    "password: ********",
    "password=<password>",
    "token: xxxxxxxxxxxxxxxx",
    "Authorization: Bearer YOUR_API_KEY",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${process.env.TAVILY_API_KEY}",
    "Authorization: Bearer token-goes-here",
    "https://user:${PASS}@host",
    "https://user:<password>@host",
    # prose
    "Authorization: Basic authentication is not enough",
    "the bearer certificate authority",
    "from -----BEGIN PRIVATE KEY----- to the corresponding -----END PRIVATE KEY----- line",
    "Password: at least 8 characters with 1 digit",
    'password="Enter your password2 here"',
    "पासवर्ड: कृपया अपना पासवर्ड डालें",
    # hashes, ids, places
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    '"integrity": "sha512-AbC123+/AbC123+/=="',
    f"-----BEGIN CERTIFICATE-----\n{PEM_BODY}-----END CERTIFICATE-----",
    f"-----BEGIN PUBLIC KEY-----\n{PEM_BODY}-----END PUBLIC KEY-----",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:MySecret-a1b2c3",
    "secret: projects/123/secrets/foo/versions/1",
    "PWD=/home/u1/a2b3/c4d5",
    "private_key = /home/u/.ssh/id_ed25519",
    "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "git@github.com:a/b1c2d3e4.git",
    "http://localhost:8080/a@b",
    "docker run -u 1000:1000 image",
    "2024-01-01T00:00:00Z token expired",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_the_full_stop_after_a_secret_belongs_to_the_sentence() -> None:
    assert redact(f"The password: {PASSWORD}. Bye") == "The password: [redacted:password]. Bye"


def test_several_secrets_of_one_text_are_all_replaced() -> None:
    text = f"a={TOKEN_SAMPLES['npm-token'][0]} b={TOKEN_SAMPLES['groq-key'][0]} token={KEY}"
    assert redact(text) == "a=[redacted:npm-token] b=[redacted:groq-key] token=[redacted:token]"


@pytest.mark.parametrize("length", [20, 32, 40, 64])
def test_most_generated_values_are_recognised(length: int) -> None:
    values = [noise(length, seed=seed) for seed in range(300)]
    missed = [value for value in values if value in redact(f'token: "{value}"')]
    assert len(missed) <= 6


# --- values known to be secret


def test_a_known_value_is_replaced_whatever_it_looks_like() -> None:
    assert redact("say open sesame!", {"open sesame"}) == "say [redacted:known]!"


def test_a_short_known_value_is_left_alone() -> None:
    assert redact("a short word", {"short", ""}) == "a short word"


def test_the_longest_known_value_wins() -> None:
    assert redact("abcdefghijkl", {"abcdefgh", "abcdefghijkl"}) == "[redacted:known]"


def test_a_known_value_is_not_read_as_a_pattern() -> None:
    assert redact("aaaaaaaaaa (a+)+$xyz", ["(a+)+$xyz"]) == "aaaaaaaaaa [redacted:known]"


def test_a_known_value_does_not_spoil_the_placeholders_of_others() -> None:
    known = {"redacted", "redacted:known", "known-value"}
    assert redact("known-value", known) == "[redacted:known]"


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "CLIENT_SECRET",
        "DB_PASS",
        "GITHUB_PAT",
        "API_KEY2",
        "registry_auth",
        "MY_CREDENTIALS",
    ],
)
def test_variables_with_telling_names_hold_secrets(name: str) -> None:
    assert secret_values({name: "a value of it"}) == {"a value of it"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "/usr/bin:/bin"),
        ("PWD", "/home/asha/project"),
        ("OLDPWD", "/home/asha/project"),
        ("KEYBOARD", "devanagari"),
        ("TOKENIZERS_PARALLELISM", "disabled"),
        ("SSH_AUTH_SOCK", "/run/user/1000/ssh"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/home/asha/key.json"),
        ("API_KEY", "short"),
        ("API_KEY", ""),
        ("BYPASS", "everything"),
    ],
)
def test_other_variables_do_not(name: str, value: str) -> None:
    assert secret_values({name: value}) == frozenset()


# --- whatever the text


FRAGMENTS = st.sampled_from(
    [
        *(
            "password=",
            "token: ",
            '"api_key": "',
            "Authorization: Bearer ",
            "://u:",
            "@h",
            "--token ",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "sk-",
            "ghp_",
            "eyJ",
            ".",
            "\n",
        ),
        *(
            "[redacted:",
            "]",
            "-u a:",
            "login a password ",
            "%3D",
            "\x1b[0m",
            "\\n",
            "ज्ञ",
            KEY,
            BODY,
        ),
    ]
)
TEXTS = st.lists(st.one_of(FRAGMENTS, st.text(max_size=12)), max_size=12).map("".join)


@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(TEXTS, st.lists(st.text(max_size=20), max_size=3))
def test_no_known_value_survives(text: str, known: list[str]) -> None:
    whole = text + "".join(known)
    for value in known:
        if len(value) >= 8 and value not in "[redacted:known]":
            assert value not in redact(whole, [value]).replace("[redacted:known]", "")


@given(st.text(alphabet="abcdefghij \n.,!?कखगघा", max_size=300))
def test_plain_words_are_never_touched(text: str) -> None:
    assert redact(text) == text


@given(st.lists(FRAGMENTS, max_size=6).map("".join), st.sampled_from(samples()))
def test_a_token_does_not_survive_whatever_stands_before_it(
    before: str, sample: tuple[str, str]
) -> None:
    _, token = sample
    assert token not in redact(f"{before} {token} after")


HOSTILE = [
    *("a", "1", " ", "\n", "-", "--", "--a", "--a-", "=", "\\", "'", "a@", "%3D", "Aa1!"),
    *("eyJ", "-eyJ", "eyJa.", "[0meyJ", "sk-", "sk_", "://", "://a:", "://:a@"),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nabc ", "-----BEGIN A A A "),
    *("-----BEGIN PRIVATE KEY-----\n" + "A" * 70, "-----BEGIN PRIVATE KEY-----\n" + "a b " * 99),
    *("password", "password ", "password=", "password=a", "token: ", "key", "api_key_", "bearer "),
    *("authorization: bearer ", "-u a:", "--user a:", "login a ", "login a password "),
    *(
        "cookie: sess=",
        "cookie: a",
        "sess",
        "?sig=",
        "mysql ",
        "mysql -",
        "sshpass -p",
        "login -p ",
    ),
    *("password='a;", 'password="a&b"', "\npassword: a1", "12345678:AA", "8Q~", "0a-us1", "auth="),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_time_grows_no_faster_than_the_text(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    started = time.process_time()
    redact(text)
    redact(text[:-1] + "!")
    assert time.process_time() - started < 2

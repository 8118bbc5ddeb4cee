"""AWS signatures against AWS's own published example, and credentials from its usual places."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ankrcode.providers.health import Health
from ankrcode.providers.resolve import model_for
from ankrcode.providers.transport.aws import Aws, read_profile
from ankrcode.providers.transport.secret import Secret
from ankrcode.providers.transport.sigv4 import AwsCredentials, signed_headers
from providers.asking import ask, quick
from providers.server import answer, serving
from providers.test_table import WHOLE

# The key of AWS's documentation and of its public test suite for signatures.
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
CREDENTIALS = AwsCredentials(access_key="AKIDEXAMPLE", secret_key=Secret(SECRET))
MOMENT = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)


def signature(method: str, url: str, body: bytes = b"", **headers: str) -> str:
    signed = signed_headers(
        method,
        url,
        headers,
        body,
        credentials=CREDENTIALS,
        region="us-east-1",
        service="service",
        now=MOMENT,
    )
    return signed["authorization"].rpartition("Signature=")[2]


@pytest.mark.parametrize(
    ("method", "url", "expected"),
    [
        (
            "GET",
            "https://example.amazonaws.com/",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "POST",
            "https://example.amazonaws.com/",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "GET",
            "https://example.amazonaws.com/?Param2=value2&Param1=value1",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
    ],
    ids=["get-vanilla", "post-vanilla", "get-vanilla-query-order-key-case"],
)
def test_the_published_examples_come_out_right(method: str, url: str, expected: str) -> None:
    assert signature(method, url) == expected


def test_everything_that_is_sent_is_signed() -> None:
    base = signature("POST", "https://h.test/model/a/converse", b"{}", accept="x")
    others = [
        signature("GET", "https://h.test/model/a/converse", b"{}", accept="x"),
        signature("POST", "https://i.test/model/a/converse", b"{}", accept="x"),
        signature("POST", "https://h.test/model/b/converse", b"{}", accept="x"),
        signature("POST", "https://h.test/model/a/converse", b"[]", accept="x"),
        signature("POST", "https://h.test/model/a/converse", b"{}", accept="y"),
        signature("POST", "https://h.test/model/a/converse?q=1", b"{}", accept="x"),
    ]
    assert len({base, *others}) == 7


def test_a_path_is_encoded_once_more() -> None:
    """`%3A` on the wire is `%253A` in what is signed: both ways of writing it differ."""
    plain = signature("POST", "https://h.test/model/a:0/converse")
    encoded = signature("POST", "https://h.test/model/a%3A0/converse")
    assert plain != encoded


def test_a_session_token_travels_and_is_signed() -> None:
    credentials = AwsCredentials(
        access_key="AKIDEXAMPLE", secret_key=Secret(SECRET), session_token=Secret("token/1")
    )
    signed = signed_headers(
        "POST", "https://h.test/", {}, b"", credentials=credentials, region="r", service="bedrock"
    )
    assert signed["x-amz-security-token"] == "token/1"
    assert "x-amz-security-token" in signed["authorization"].partition("SignedHeaders=")[2]
    assert SECRET not in repr(signed)
    assert SECRET not in repr(credentials)
    assert "token/1" not in repr(credentials)


# ── who we are ──────────────────────────────────────────────────────────────────────────────────
def test_variables_count_first(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "AWS_ACCESS_KEY_ID": "AKIA1",
        "AWS_SECRET_ACCESS_KEY": "s1",
        "AWS_SESSION_TOKEN": "t1",
        "AWS_REGION": "ap-south-1",
        "AWS_DEFAULT_REGION": "us-west-2",
    }
    aws = Aws(environ)
    credentials = aws.credentials()
    assert credentials is not None
    assert credentials.access_key == "AKIA1"
    assert credentials.secret_key.reveal() == "s1"
    assert credentials.session_token is not None
    assert aws.region() == "ap-south-1"


FILES = {
    "credentials": "# mine\n[default]\naws_access_key_id = AKIAD\naws_secret_access_key=sd\n\n"
    "[work]\naws_access_key_id=AKIAW\naws_secret_access_key = s/w+=\naws_session_token = tw\n",
    "config": "[default]\nregion = eu-west-1\n[profile work]\nregion = ap-south-1 # here\n"
    "s3 =\n  region = no\n",
}


@pytest.fixture
def with_files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / ".aws").mkdir()
    for name, content in FILES.items():
        (tmp_path / ".aws" / name).write_text(content, encoding="utf-8")
    return {"HOME": str(tmp_path)}


@pytest.mark.parametrize(
    ("profile", "key", "secret", "region"),
    [("", "AKIAD", "sd", "eu-west-1"), ("work", "AKIAW", "s/w+=", "ap-south-1")],
)
def test_a_profile_of_the_shared_files_is_used(
    with_files: dict[str, str], profile: str, key: str, secret: str, region: str
) -> None:
    aws = Aws({**with_files, "AWS_PROFILE": profile})
    credentials = aws.credentials()
    assert credentials is not None
    assert (credentials.access_key, credentials.secret_key.reveal()) == (key, secret)
    assert aws.region() == region


def test_a_profile_that_is_not_there_is_nobody(with_files: dict[str, str]) -> None:
    aws = Aws({**with_files, "AWS_PROFILE": "nobody"})
    assert aws.credentials() is None
    assert aws.region() == ""


def test_files_can_be_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "c").write_text(FILES["credentials"], encoding="utf-8")
    environ = {"HOME": "/nonexistent", "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "c")}
    credentials = Aws(environ).credentials()
    assert credentials is not None
    assert credentials.access_key == "AKIAD"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[default", b"[default]\nno equals sign"])
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "credentials"
    path.write_bytes(content)
    assert read_profile(path, "default") == {}


# ── on the wire ─────────────────────────────────────────────────────────────────────────────────
async def test_a_request_to_bedrock_is_signed(with_files: dict[str, str]) -> None:
    async with serving([answer(WHOLE["bedrock"])]) as server:
        model = model_for(
            "bedrock/us.anthropic.claude-x-v1:0",
            quick(),
            {**with_files, "AWS_PROFILE": "work"},
            base_url=server.url,
            health=Health(),
        )
        outcome = await ask(model)
    assert outcome.text == "Hello"
    (heard,) = server.heard
    assert heard.target == "/model/us.anthropic.claude-x-v1%3A0/converse-stream"
    login = heard.headers["authorization"]
    assert login.startswith("AWS4-HMAC-SHA256 Credential=AKIAW/")
    assert "/ap-south-1/bedrock/aws4_request" in login
    assert heard.headers["x-amz-security-token"] == "tw"
    signed = login.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    added = ("host", "x-amz-date", "x-amz-security-token")
    sent = {name: heard.headers[name] for name in signed if name not in added}
    again = signed_headers(
        "POST",
        f"{server.url}{heard.target}",
        sent,
        heard.body,
        credentials=AwsCredentials(
            access_key="AKIAW", secret_key=Secret("s/w+="), session_token=Secret("tw")
        ),
        region="ap-south-1",
        service="bedrock",
        now=datetime.strptime(heard.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC),
    )
    assert again["authorization"] == login

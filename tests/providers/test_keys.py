"""Keys come from three places and are seen in none."""

import copy
import os
import pickle
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import msgspec
import pytest

from ankrcode.config.models import ProviderSettings
from ankrcode.config.settings import Settings
from ankrcode.errors import ProviderError
from ankrcode.providers.health import Health
from ankrcode.providers.keys import Keys, key_file, read_key_file
from ankrcode.providers.resolve import model_for
from ankrcode.providers.transport.auth import Login
from ankrcode.providers.transport.secret import Secret
from providers.asking import ask
from providers.server import answer, serving

VALUE = "sk-test-0123456789abcdefghij"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def write_keys(home: dict[str, str], content: bytes, mode: int = 0o600) -> Path:
    path = Path(key_file(home))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_the_first_variable_that_is_set_counts(home: dict[str, str]) -> None:
    environ = {**home, "A_KEY": " ", "B_KEY": "second-key", "C_KEY": "third-key"}
    found = Keys(environ, keyring=False).find("p", ("A_KEY", "B_KEY", "C_KEY"))
    assert found is not None
    assert found.reveal() == "second-key"


def test_blanks_around_a_key_are_dropped(home: dict[str, str]) -> None:
    found = Keys({**home, "K": f"  {VALUE}\n"}, keyring=False).find("p", ("K",))
    assert found is not None
    assert found.reveal() == VALUE


@pytest.mark.parametrize("value", ["sk-a\nb", "sk-a\x1b[0m", "sk-ключ", "sk-a\u200bb"])
def test_a_key_that_was_pasted_wrongly_is_refused_unseen(home: dict[str, str], value: str) -> None:
    with pytest.raises(ProviderError) as caught:
        Keys({**home, "K": value}, keyring=False).find("groq", ("K",))
    assert "groq" in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_nothing_anywhere_is_nothing(home: dict[str, str]) -> None:
    keys = Keys(home, keyring=False)
    assert keys.find("groq", ("GROQ_API_KEY",)) is None
    assert not keys.has("groq", ("GROQ_API_KEY",))


def test_a_file_of_ones_own_holds_keys_by_provider(home: dict[str, str]) -> None:
    write_keys(home, msgspec.json.encode({"groq": VALUE}))
    keys = Keys(home, keyring=False)
    found = keys.find("groq", ("GROQ_API_KEY",))
    assert found is not None
    assert found.reveal() == VALUE
    assert keys.has("groq", ())
    assert keys.find("other", ()) is None


def test_the_environment_counts_before_the_file(home: dict[str, str]) -> None:
    write_keys(home, msgspec.json.encode({"groq": VALUE}))
    found = Keys({**home, "GROQ_API_KEY": "newer-key"}, keyring=False).find(
        "groq", ("GROQ_API_KEY",)
    )
    assert found is not None
    assert found.reveal() == "newer-key"


def test_the_file_can_be_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    assert key_file({"ANKRCODE_KEY_FILE": str(path), "HOME": "/x"}) == str(path)
    usual = "/x/.config/ankrcode/keys.json"
    assert key_file({"ANKRCODE_KEY_FILE": "relative", "HOME": "/x"}) == usual


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o602, 0o777])
def test_a_file_that_others_may_use_is_refused(home: dict[str, str], mode: int) -> None:
    path = write_keys(home, msgspec.json.encode({"groq": VALUE}), mode)
    with pytest.raises(ProviderError) as caught:
        Keys(home, keyring=False).find("groq", ())
    assert str(path) in str(caught.value)
    assert "chmod 600" in str(caught.value)
    assert VALUE not in str(caught.value)


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_of_ones_own_is_accepted(home: dict[str, str], mode: int) -> None:
    write_keys(home, msgspec.json.encode({"groq": VALUE}), mode)
    assert Keys(home, keyring=False).has("groq", ())


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"a": 1}', b"{", b"\xff", b'{"a": "' + b"x" * 70_000 + b'"}']
)
def test_a_file_that_makes_no_sense_is_named(home: dict[str, str], content: bytes) -> None:
    path = write_keys(home, content)
    with pytest.raises(ProviderError) as caught:
        Keys(home, keyring=False).find("groq", ())
    assert str(path) in str(caught.value)


def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    os.mkfifo(path, 0o600)
    with pytest.raises(ProviderError):
        read_key_file(str(path))
    with pytest.raises(ProviderError):
        read_key_file(str(tmp_path))


def test_a_file_that_is_not_needed_is_not_read(home: dict[str, str]) -> None:
    write_keys(home, b"nonsense", 0o666)
    assert Keys({**home, "K": VALUE}, keyring=False).find("p", ("K",)) is not None


# ── the keyring ─────────────────────────────────────────────────────────────────────────────────
class Ring(ModuleType):
    """What the package `keyring` looks like from here."""

    def __init__(self, passwords: dict[tuple[str, str], str], *, is_locked: bool = False) -> None:
        super().__init__("keyring")
        self.errors = SimpleNamespace(KeyringError=LookupError)
        self.passwords = passwords
        self.is_locked = is_locked
        self.asked = 0

    def get_password(self, service: str, name: str) -> str | None:
        self.asked += 1
        if self.is_locked:
            raise LookupError("locked")
        return self.passwords.get((service, name))


def test_the_keyring_is_asked_last(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Ring({("ankrcode", "groq"): VALUE})
    monkeypatch.setitem(sys.modules, "keyring", ring)
    keys = Keys({**home, "K": "from-environment"})
    found = keys.find("p", ("K",))
    assert found is not None
    assert ring.asked == 0
    found = keys.find("groq", ("GROQ_API_KEY",))
    assert found is not None
    assert found.reveal() == VALUE


def test_looking_around_does_not_wake_the_keyring(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Ring({("ankrcode", "groq"): VALUE})
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert not Keys(home).has("groq", ())
    assert Keys(home, keyring=False).find("groq", ()) is None
    assert ring.asked == 0


def test_a_locked_keyring_and_none_at_all_are_no_failure(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", Ring({}, is_locked=True))
    assert Keys(home).find("groq", ()) is None
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert Keys(home).find("groq", ()) is None


# ── unseen ──────────────────────────────────────────────────────────────────────────────────────
def test_a_secret_has_no_text_form() -> None:
    secret = Secret(VALUE)
    for shown in (repr(secret), str(secret), f"{secret}", repr([secret]), repr({"k": secret})):
        assert VALUE not in shown
    assert bool(secret)
    assert not Secret("")


def test_a_secret_is_not_copied_to_disk() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret(VALUE))
    with pytest.raises(TypeError):
        copy.copy(Secret(VALUE))
    with pytest.raises(TypeError):
        msgspec.json.encode(Secret(VALUE))


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {VALUE}.",
        f'{{"key": "{VALUE}"}}',
        "Incorrect API key provided: sk-tes**************ghij. See the page.",
        "Wrong key sk-test*****",
        "Key *******ghij is wrong",
    ],
)
def test_a_key_is_taken_out_of_what_servers_say(said: str) -> None:
    shown = Secret(VALUE).removed_from(said)
    assert VALUE not in shown
    assert "sk-tes" not in shown
    assert "ghij" not in shown
    assert "…" in shown


@pytest.mark.parametrize("said", ["All is well.", "a ** b", "*important*", "sk-"])
def test_other_words_stay_as_they_are(said: str) -> None:
    assert Secret(VALUE).removed_from(said) == said
    assert Secret("").removed_from(said) == said


@pytest.mark.parametrize("value", ["x", "k", "test", "none"])
def test_a_word_in_the_place_of_a_key_hides_nothing(value: str) -> None:
    """Servers on this machine want any key at all: what they say must stay readable."""
    said = "the latest model broke off: none of the texts fit"
    assert Secret(value).removed_from(said) == said


@pytest.mark.parametrize(
    ("style", "header", "value"),
    [
        ("bearer", "Authorization", f"Bearer {VALUE}"),
        ("x-api-key", "x-api-key", VALUE),
        ("api-key", "api-key", VALUE),
        ("x-goog-api-key", "x-goog-api-key", VALUE),
        ("subscription", "api-subscription-key", VALUE),
    ],
)
def test_each_style_has_its_header(style: str, header: str, value: str) -> None:
    url, headers = Login(style, Secret(VALUE)).put_on("https://h/x", {"a": "b"}, b"")
    assert url == "https://h/x"
    assert headers == {"a": "b", header: value}


def test_a_key_in_the_query_is_put_there() -> None:
    login = Login("query", Secret(VALUE))
    assert login.put_on("https://h/x", {}, b"") == (f"https://h/x?key={VALUE}", {})
    assert login.put_on("https://h/x?a=b", {}, b"") == (f"https://h/x?a=b&key={VALUE}", {})


def test_a_header_that_a_person_set_wins() -> None:
    own = {"authorization": "Bearer mine"}
    assert Login("bearer", Secret(VALUE)).put_on("https://h", own, b"") == ("https://h", own)


def test_without_a_key_nothing_is_added() -> None:
    assert Login("none", None).put_on("https://h", {"a": "b"}, b"") == ("https://h", {"a": "b"})
    assert Login("none", None).hidden("text") == "text"
    assert VALUE not in Login("bearer", Secret(VALUE)).hidden(f"it is {VALUE}")


# ── a wrong one says where it stands ──────────────────────────────────────────────────────────
async def refused(environ: dict[str, str], name: str, own: ProviderSettings | None = None) -> str:
    wrong = answer(b'{"error": {"message": "Incorrect API key provided"}}', 401)
    async with serving([wrong]) as server:
        settings = Settings(providers={name: own} if own else {})
        model = model_for(f"{name}/m", settings, environ, base_url=server.url, health=Health())
        return (await ask(model)).failure.message


async def test_a_wrong_key_of_the_key_file_names_that_file(home: dict[str, str]) -> None:
    file = write_keys(home, msgspec.json.encode({"groq": VALUE}))
    message = await refused(home, "groq")
    assert f"set 'groq' in {file} to a valid one" in message
    assert VALUE not in message


async def test_a_variable_that_is_set_is_the_one_that_is_named(home: dict[str, str]) -> None:
    write_keys(home, msgspec.json.encode({"zai": VALUE}))
    assert "set ZHIPU_API_KEY to" in await refused({**home, "ZHIPU_API_KEY": VALUE}, "zai")


@pytest.mark.parametrize("variable", ["", "WORK_KEY"])
async def test_a_server_of_ones_own_that_wants_a_key_says_how_to_set_one(
    home: dict[str, str], variable: str
) -> None:
    message = await refused(home, "work", ProviderSettings(key_env=variable, wire="openai-chat"))
    assert f"set {variable or 'providers.work.key_env'} to" in message

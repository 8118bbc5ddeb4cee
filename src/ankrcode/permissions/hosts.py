"""Host names and addresses: one spelling for each name, and which addresses are public.

A name that different programs would read differently is no name at all here: the check and the
connection must mean the same machine.
"""

import re
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

MAX_HOST_CHARS = 253
MAX_LABEL_CHARS = 63

# Everything IANA lists as not globally reachable (RFC 6890 and its successors), and what cloud
# providers answer on: 168.63.129.16 looks public and is not.
_CLOSED_V4 = tuple(
    map(
        IPv4Network,
        [
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24"),
            *("192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4"),
            *("240.0.0.0/4", "168.63.129.16/32"),
        ],
    )
)
_OPEN_V6 = IPv6Network("2000::/3")  # the only block that is given out
_CLOSED_V6 = tuple(
    map(
        IPv6Network,
        [
            *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
        ],
    )
)
METADATA_HOSTS = frozenset(
    [
        *("metadata", "metadata.google.internal", "metadata.goog", "instance-data"),
        *("instance-data.ec2.internal", "metadata.azure.internal", "metadata.packet.net"),
        *("metadata.tencentyun.com", "kubernetes.default.svc"),
    ]
)
LOCAL_SUFFIXES = (".localhost", ".test")  # names that a person may give to this machine

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\Z")
_NUMBER_LIKE = re.compile(r"(?:[0-9]+|0[xX][0-9A-Fa-f]*)\Z")
# Scripts that are written together in one word.
_TOGETHER = (
    frozenset(("LATIN", "CJK", "HIRAGANA", "KATAKANA")),
    frozenset(("LATIN", "CJK", "HANGUL")),
    frozenset(("LATIN", "CJK", "BOPOMOFO")),
)


class BadHost(ValueError):
    """The host has no single meaning; the text says why."""


def normal_host(host: str) -> str:
    """The one spelling: lower case, IDNA's ASCII form, no final dot; an address in short form."""
    if host.startswith("["):
        return str(_bracketed(host))
    name = host[:-1] if host.endswith(".") else host
    labels = [_ascii_label(label) for label in name.split(".")]
    if len(".".join(labels)) > MAX_HOST_CHARS:
        raise BadHost("the host name is too long")
    if _NUMBER_LIKE.match(labels[-1]):
        return _dotted_quad(host)
    return ".".join(labels)


def as_address(host: str) -> Address | None:
    """The address that a host in its one spelling is; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """May anyone on the Internet be there? Addresses inside addresses are looked at too."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        return (
            address in _OPEN_V6
            and address.scope_id is None
            and not any(address in network for network in _CLOSED_V6)
        )
    return not any(address in network for network in _CLOSED_V4)


def is_loopback(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return False  # an odd spelling of it
    return address.is_loopback


def is_localhost(host: str) -> bool:
    """Does the name itself say that it means this machine?"""
    return host in ("localhost", "localhost.localdomain") or host.endswith(".localhost")


def may_be_local(host: str) -> bool:
    """Any other name that leads to this machine is a trick."""
    return is_localhost(host) or host.endswith(LOCAL_SUFFIXES)


def is_mixed(host: str) -> bool:
    """Has one of its labels letters of scripts that are not written together?"""
    return any(_is_mixed_label(label) for label in host.split(".") if label.startswith("xn--"))


def _bracketed(host: str) -> IPv6Address:
    inner = host[1:-1]
    if not host.endswith("]") or "%" in inner or not inner.isascii():
        raise BadHost("the address in brackets is malformed or has a zone")
    try:
        return IPv6Address(inner)
    except ValueError:
        raise BadHost("the address in brackets is malformed") from None


def _dotted_quad(host: str) -> str:
    """Numbers are an address; only the usual spelling of it means the same to all programs."""
    try:
        address = IPv4Address(host)
    except ValueError:
        raise BadHost("the address is spelled in an unusual way") from None
    return str(address)


def _ascii_label(label: str) -> str:
    if label.isascii():
        label = label.lower()
        if len(label) > MAX_LABEL_CHARS or not _LABEL.match(label):
            raise BadHost("the host name is malformed")
        if label.startswith("xn--"):
            _check_is_encoded(label)
        elif label[2:4] == "--":
            raise BadHost("the host name is malformed")
        return label
    label = label.lower()
    if len(label) > MAX_LABEL_CHARS or not _is_plain_unicode(label):
        raise BadHost("the host name holds look-alikes or invisible characters")
    encoded = "xn--" + label.encode("punycode").decode("ascii")
    if len(encoded) > MAX_LABEL_CHARS:
        raise BadHost("the host name is too long")
    return encoded


def _check_is_encoded(label: str) -> None:
    """An `xn--` label must decode to what would be encoded as this very label."""
    decoded = decoded_label(label)
    if decoded.isascii() or not _is_plain_unicode(decoded):
        raise BadHost("the host name is wrongly encoded")
    if "xn--" + decoded.encode("punycode").decode("ascii") != label:
        raise BadHost("the host name is wrongly encoded")


def decoded_label(label: str) -> str:
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        raise BadHost("the host name is wrongly encoded") from None


def _is_plain_unicode(label: str) -> bool:
    """Letters, marks, digits and hyphens, in the form that IDNA leaves as it is."""
    if unicodedata.normalize("NFKC", label) != label or label != label.lower():
        return False
    kinds = {unicodedata.category(char) for char in label if char != "-"}
    is_word = kinds <= {"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"} and not kinds.isdisjoint({"Ll", "Lo"})
    return is_word and not label.startswith("-") and not label.endswith("-")


def _is_mixed_label(label: str) -> bool:
    scripts = {_script(char) for char in decoded_label(label) if char.isalpha()}
    return len(scripts) > 1 and not any(scripts <= group for group in _TOGETHER)


def _script(char: str) -> str:
    """The first word of a letter's name is its script: LATIN, CYRILLIC, DEVANAGARI."""
    return unicodedata.name(char, "?").partition(" ")[0].partition("-")[0]

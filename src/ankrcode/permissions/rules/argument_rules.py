"""Rules about other arguments: `WebFetch(domain:x)`, `Task(Explore)`, `Skill(review)`."""

from ankrcode.permissions.calls import CallFacts
from ankrcode.permissions.hosts import BadHost
from ankrcode.permissions.rules.rules import Rule
from ankrcode.permissions.rules.wildcards import glob_fits
from ankrcode.permissions.urls import Entry, Url, parse_entry, parse_url

# What a rule without a name means, by tool.
_MEANT = {
    "Task": "subagent_type",
    "Agent": "subagent_type",
    "Skill": "skill",
    "SlashCommand": "command",
    "WebSearch": "query",
    "RunCode": "language",
}


def fits(rule: Rule, call: CallFacts) -> bool:
    """Does one argument of the call fit what stands between the brackets?"""
    if call.tool == "WebFetch":
        return _fits_url(rule, call.arguments.get("url"))
    name, colon, value = rule.what.partition(":")
    if colon and name in call.arguments:
        return _fits_text(value, call.arguments[name])
    meant = _MEANT.get(call.tool)
    return meant is not None and _fits_text(rule.what, call.arguments.get(meant))


def _fits_text(pattern: str, given: object) -> bool:
    if isinstance(given, bool):
        return pattern == str(given).lower()
    if not isinstance(given, str | int | float):
        return False
    text = str(given)
    if pattern.endswith(":*"):
        pattern = pattern[:-2] + " *"
    head = pattern.removesuffix(" *")
    return glob_fits(pattern, text) or (head != pattern and glob_fits(head, text))


def _fits_url(rule: Rule, url: object) -> bool:
    """By label; a port that is not usual needs to be named to be allowed, not to be denied."""
    entry = parse_entry(rule.what.removeprefix("domain:"))
    if entry is None or not isinstance(url, str):
        return False
    try:
        parsed = parse_url(url)
    except BadHost:
        return rule.kind != "allow" and _is_spelled_there(entry, url)
    if rule.kind != "allow":
        parsed = Url(scheme=parsed.scheme, host=parsed.host, port=entry.port or 443)
    return entry.covers(parsed)


def _is_spelled_there(entry: Entry, url: str) -> bool:
    """A URL that cannot be read with certainty is denied if the host stands in it at all."""
    return entry.host == "*" or entry.host in url.lower()

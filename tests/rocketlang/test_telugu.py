"""Telugu: postpositions apart or written on."""

import pytest

from ankrcode.rocketlang.sentence import read_sentence
from rocketlang.sentences import only_call, refused

EDITED = ("Edit", {"file_path": "app.py", "old_string": "foo", "new_string": "bar"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py chaduvu",
        "app.py ni chadavandi",
        "app.py nu chaduvu",
        "app.pyni chaduvu",
        "app.py teruvu",
        "app.py chupinchu",
        "app.py choopinchandi",
        "dayachesi app.py chupinchandi",
        "app.py open cheyyi",
        "app.py open cheseyi",
        "app.py చదువు",
        "app.pyని చదవండి",
        "app.pyను చూపించు",
        "app.py ఫైల్ తెరవండి",
        "దయచేసి app.py చూపించండి",
        "app.py ఓపెన్ చేయి",
        "నాకు app.py చూపించు",
    ],
)
def test_ways_to_read(text: str) -> None:
    assert read_sentence(text).lang == "te"
    assert only_call(text) == ("Read", {"file_path": "app.py"})


@pytest.mark.parametrize(
    "text",
    [
        "old.log tolaginchu",
        "old.log tholaginchandi",
        "old.log ni teesey",
        "old.log teeseyandi",
        "old.log teesiveyi",
        "old.log delete cheyyi",
        "old.log delete cheseyandi",
        "old.log తొలగించు",
        "old.logని తొలగించండి",
        "old.log తీసివేయండి",
        "old.log తీసెయ్",
        "old.log డిలీట్ చేయండి",
    ],
)
def test_ways_to_delete(text: str) -> None:
    assert only_call(text) == ("Delete", {"path": "old.log"})


@pytest.mark.parametrize(
    "text",
    [
        'app.py lo "foo" ni "bar" ga marchu',
        'app.py lo "foo" nu "bar" gaa maarchandi',
        'app.py lo "foo" ni "bar" tho marchu',
        'app.py lo "foo" badulu "bar" raayi',
        'app.py lo "foo" ki badulu "bar" rayandi',
        'app.py lo "foo" ni "bar" tho replace cheyyi',
        'app.pyలో "foo"ని "bar"గా మార్చు',
        'app.py లో "foo" ను "bar" తో మార్చండి',
        'app.py లో "foo" బదులు "bar" రాయి',
        'app.py లో "foo" కు బదులుగా "bar" రాయండి',
    ],
)
def test_ways_to_replace(text: str) -> None:
    assert only_call(text) == EDITED


@pytest.mark.parametrize(
    "text",
    [
        "src lo TODO vetuku",
        "src lo TODO vethuku",
        "src lopala TODO vetakandi",
        "src folder lo TODO vetuku",
        "src lo unna TODO vetuku",
        "srcలో TODO వెతుకు",
        "src లోపల TODO వెతకండి",
        "src ఫోల్డర్‌లో TODO వెతుకు",
        "src లో ఉన్న TODO వెతుకు",
        "src lo TODO search chey",
        "TODO ni src lo vetuku",
        "src లో TODO శోధించు",
    ],
)
def test_ways_to_find(text: str) -> None:
    assert only_call(text) == ("Grep", {"pattern": "TODO", "path": "src"})


@pytest.mark.parametrize(
    "text",
    [
        "app.py tolaginchavaddu",
        "app.py tolaginchoddu",
        "app.py tolaginchaku",
        "app.py tolaginchakandi",
        "app.py delete cheyyavaddu",
        "app.py delete cheyyoddu",
        "app.py delete cheyyaku",
        "app.py తొలగించవద్దు",
        "app.py తొలగించొద్దు",
        "app.py తొలగించకు",
        "app.py తొలగించకండి",
        "app.py తొలగించకూడదు",
        "app.py మార్చవద్దు",
        "app.py రాయవద్దు",
        "app.py చదవవద్దు",
    ],
)
def test_ways_to_forbid(text: str) -> None:
    assert refused(text) == "negated"


@pytest.mark.parametrize(
    "text",
    [
        "nenu app.py tolaginchanu",
        "app.py tolaginchadu",
        "app.py tolaginchali",
        "app.py tolaginchala",
        "app.py tolaginchithe",
        "app.py delete chesanu",
        "app.py తొలగించాను",
        "app.py తొలగించాలి",
        "app.py తొలగించాలా",
        "app.py తొలగించితే",
        "అతను app.py తొలగించాడు",
        "app.py enduku tolaginchu",
        "app.py ఎలా తొలగించు",
    ],
)
def test_what_is_told_or_asked_is_not_done(text: str) -> None:
    assert refused(text)


def test_padi_is_ten_beside_lines() -> None:
    assert only_call("app.py modati padi lines chupinchu")[1]["limit"] == 10


def test_ki_leads_to_and_lo_is_in() -> None:
    assert only_call("a.py ni lib/ ki taralinchu")[1] == {"source": "a.py", "destination": "lib/"}
    assert only_call("a.py ni lib/ loki taralinchu")[1] == {"source": "a.py", "destination": "lib/"}

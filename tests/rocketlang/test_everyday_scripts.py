"""Scripts as people write them, in six languages: the same work, said in each of them."""

from typing import Any

import pytest

from rocketlang.scripts import TESTS, Call, bash, finds, played, read, said, stub, suite

RUN = bash(TESTS)
GLOB: Call = ("Glob", {"pattern": "**/*.py", "path": "src"})
FOUND = finds("src/a.py", "src/b.py")


def edit(path: str, **more: Any) -> Call:
    return "Edit", {"file_path": path, "old_string": "foo", "new_string": "bar", **more}


# ── test, then commit and push, or undo ───────────────────────────────────────────────────────
SHIP = {
    "en": """
        # ship it
        run tests
        if pass then
          commit "all green"
          push
        else
          undo
          say "taken back"
        end
    """,
    "hi-Latn": """
        # bhej do
        tests chalao
        agar pass ho to
          "all green" commit karo
          push karo
        warna
          wapas lo
          "taken back" bolo
        khatam
    """,
    "hi": """
        टेस्ट चलाओ
        अगर पास हो तो
          "all green" commit करो
          push करो
        वरना
          वापस लो
          "taken back" बोलो
        खत्म
    """,
    "mr": """
        टेस्ट चालवा
        जर पास तर
          "all green" commit करा
          push करा
        नाहीतर
          मागे घ्या
          "taken back" सांगा
        संपले
    """,
    "mr-Latn": """
        tests chalva
        jar pass tar
          "all green" commit kara
          push kara
        nahitar
          maage ghya
          "taken back" saanga
        sampla
    """,
    "ta": """
        test இயக்கு
        pass என்றால்
          "all green" commit பண்ணு
          push பண்ணு
        இல்லையெனில்
          மீளமை
          "taken back" சொல்
        முடிவு
    """,
    "ta-Latn": """
        tests run pannu
        pass endraal
          "all green" commit pannu
          push pannu
        illaiyenil
          meelamai
          "taken back" sollu
        mudivu
    """,
    "te": """
        test నడుపు
        pass అయితే
          "all green" commit చేయి
          push చేయి
        లేకపోతే
          వెనక్కి తీసుకో
          "taken back" చెప్పు
        ముగింపు
    """,
    "te-Latn": """
        tests run cheyyi
        pass ayithe
          "all green" commit cheyyi
          push cheyyi
        lekapothe
          venakki teesuko
          "taken back" cheppu
        mugimpu
    """,
    "kn": """
        test ಓಡಿಸು
        pass ಆದರೆ
          "all green" commit ಮಾಡು
          push ಮಾಡು
        ಇಲ್ಲದಿದ್ದರೆ
          ಹಿಂತೆಗೆ
          "taken back" ಹೇಳು
        ಮುಗಿಯಿತು
    """,
    "kn-Latn": """
        tests run maadu
        pass aadare
          "all green" commit maadu
          push maadu
        illadiddare
          hintege
          "taken back" helu
        mugiyithu
    """,
}


@pytest.mark.parametrize("language", SHIP)
def test_ship_if_the_tests_pass(language: str) -> None:
    commit, push = bash("git commit -m 'all green'"), bash("git push")
    assert played(SHIP[language]) == [RUN, commit, push]
    back = [RUN, ("Undo", {}), said("taken back")]
    assert played(SHIP[language], suite(ok=False)) == back


# ── the same change in every file that was found ──────────────────────────────────────────────
CHANGE = {
    "en": """
        files = find python files in src
        for each f in $files:
          in $f change "foo" to "bar" everywhere
        end
        say "{files} done"
    """,
    "hi-Latn": """
        files = src mein python files dhoondo
        har f $files mein:
          $f mein sab jagah "foo" ko "bar" se badlo
        khatam
        "{files} done" bolo
    """,
    "hi": """
        files = src में python files खोजो
        $files में हर f:
          {f} में सब जगह "foo" को "bar" से बदलो
        खत्म
        "{files} done" बोलो
    """,
    "mr": """
        files = src मध्ये python files शोधा
        प्रत्येक f $files मध्ये:
          $f मध्ये सगळीकडे "foo" ला "bar" ने बदला
        संपले
        "{files} done" सांगा
    """,
    "ta": """
        files = src-இல் python files தேடு
        $files-இல் ஒவ்வொரு f:
          $f-இல் எல்லா இடத்திலும் "foo"-ஐ "bar"-ஆக மாற்று
        முடிவு
        "{files} done" சொல்
    """,
    "te": """
        files = src లో python files వెతుకు
        $files లో ప్రతి f:
          $f లో అన్ని చోట్ల "foo" ని "bar" గా మార్చు
        ముగింపు
        "{files} done" చెప్పు
    """,
    "kn": """
        files = src ನಲ್ಲಿ python files ಹುಡುಕು
        $files ನಲ್ಲಿ ಪ್ರತಿ f:
          $f ನಲ್ಲಿ ಎಲ್ಲಾ ಕಡೆ "foo" ಅನ್ನು "bar" ಗೆ ಬದಲಿಸು
        ಮುಗಿಯಿತು
        "{files} done" ಹೇಳು
    """,
}


@pytest.mark.parametrize("language", CHANGE)
def test_change_every_file_that_is_found(language: str) -> None:
    calls = played(CHANGE[language], FOUND)
    assert calls == [
        GLOB,
        edit("src/a.py", replace_all=True),
        edit("src/b.py", replace_all=True),
        said("src/a.py\nsrc/b.py done"),
    ]
    assert played(CHANGE[language], finds()) == [GLOB, said(" done")]


# ── make what is missing ──────────────────────────────────────────────────────────────────────
MAKE = {
    "en": "if setup.py does not exist then create setup.py else read setup.py",
    "hi-Latn": "agar setup.py nahi hai to setup.py banao warna setup.py padho",
    "hi": "अगर setup.py नहीं है तो setup.py बनाओ वरना setup.py पढ़ो",
    "mr": "जर setup.py नाही तर setup.py बनवा नाहीतर setup.py वाचा",
    "ta": "setup.py இல்லை என்றால் setup.py உருவாக்கு இல்லையெனில் setup.py படி",
    "te": "setup.py లేదు అయితే setup.py సృష్టించు లేకపోతే setup.py చదువు",
    "kn": "setup.py ಇಲ್ಲ ಆದರೆ setup.py ರಚಿಸು ಇಲ್ಲದಿದ್ದರೆ setup.py ಓದು",
}


@pytest.mark.parametrize("language", MAKE)
def test_make_what_is_missing(language: str) -> None:
    looked: Call = ("Glob", {"pattern": "setup.py"})
    made: Call = ("Write", {"file_path": "setup.py", "content": ""})
    assert played(MAKE[language]) == [looked, made]
    there = stub("Glob", result=["setup.py"], pattern="setup.py")
    assert played(MAKE[language], there) == [looked, read("setup.py")]


# ── try again, at most three times ────────────────────────────────────────────────────────────
AGAIN = {
    "en": '3 times:\n  run tests\n  if fail then say "again"\nend',
    "hi-Latn": 'teen baar:\n  tests chalao\n  agar fail to "again" bolo\nbas',
    "hi": 'तीन बार:\n  टेस्ट चलाओ\n  अगर फेल हो तो "again" बोलो\nबस',
    "mr": '३ वेळा:\n  टेस्ट चालवा\n  जर फेल तर "again" सांगा\nसंपले',
    "ta": 'மூன்று முறை:\n  test இயக்கு\n  fail என்றால் "again" சொல்\nமுடிவு',
    "te": 'మూడు సార్లు:\n  test నడుపు\n  fail అయితే "again" చెప్పు\nముగింపు',
    "kn": 'ಮೂರು ಬಾರಿ:\n  test ಓಡಿಸು\n  fail ಆದರೆ "again" ಹೇಳು\nಮುಗಿಯಿತು',
}


@pytest.mark.parametrize("language", AGAIN)
def test_try_three_times(language: str) -> None:
    flaky = [suite(ok=False), suite(ok=False), suite(ok=True)]
    assert played(AGAIN[language], *flaky) == [RUN, said("again"), RUN, said("again"), RUN]


# ── a command of one's own ────────────────────────────────────────────────────────────────────
CLEAN = {
    "en": "macro clean\n  find *.log | delete\nend\nclean\nrun clean",
    "hi-Latn": "kaam clean\n  *.log dhoondo | hatao\nkhatam\nclean karo\nclean chalao",
    "hi": "काम clean\n  *.log खोजो | हटाओ\nखत्म\nclean करो\nclean चलाओ",
    "mr": "काम clean\n  *.log शोधा | हटवा\nसंपले\nclean करा\nclean चालवा",
    "ta": "பணி clean\n  *.log தேடு | நீக்கு\nமுடிவு\nclean பண்ணு\nclean இயக்கு",
    "te": "పని clean\n  *.log వెతుకు | తొలగించు\nముగింపు\nclean చేయి\nclean నడుపు",
    "kn": "ಕೆಲಸ clean\n  *.log ಹುಡುಕು | ಅಳಿಸು\nಮುಗಿಯಿತು\nclean ಮಾಡು\nclean ಓಡಿಸು",
}


@pytest.mark.parametrize("language", CLEAN)
def test_a_macro_with_a_pipe_in_it(language: str) -> None:
    once: list[Call] = [
        ("Glob", {"pattern": "*.log"}),
        ("Delete", {"path": "a.log"}),
        ("Delete", {"path": "b c.log"}),
    ]
    logs = stub("Glob", result=["a.log", "b c.log"], pattern="*.log")
    assert played(CLEAN[language], logs) == [*once, *once]


# ── look into what was printed ────────────────────────────────────────────────────────────────
LOOK = {
    "en": 'out = $ make\nif "error" in $out then say $out else say "fine"',
    "en contains": 'out = $ make\nif $out contains "error" then say $out else say "fine"',
    "hi-Latn": 'out = $ make\nagar $out mein "error" hai to $out bolo warna "fine" bolo',
    "hi": 'out = $ make\nअगर $out में "error" है तो $out बोलो वरना "fine" बोलो',
    "mr": 'out = $ make\nजर $out मध्ये "error" आहे तर $out सांगा नाहीतर "fine" सांगा',
    "ta": 'out = $ make\n$out-இல் "error" என்றால் $out சொல் இல்லையெனில் "fine" சொல்',
    "te": 'out = $ make\n$out లో "error" అయితే $out చెప్పు లేకపోతే "fine" చెప్పు',
    "kn": 'out = $ make\n$out ನಲ್ಲಿ "error" ಆದರೆ $out ಹೇಳು ಇಲ್ಲದಿದ್ದರೆ "fine" ಹೇಳು',
}


@pytest.mark.parametrize("language", LOOK)
def test_look_into_what_a_command_printed(language: str) -> None:
    make = bash("make")
    bad = stub("Bash", result="an error here", command="make")
    assert played(LOOK[language], bad) == [make, said("an error here")]
    assert played(LOOK[language]) == [make, said("fine")]


# ── nothing found ─────────────────────────────────────────────────────────────────────────────
NONE = {
    "en": 'r = find TODO in src\nif $r is empty then say "none" else say "some"',
    "hi-Latn": 'r = src mein TODO dhoondo\nagar $r khaali hai to "none" bolo warna "some" bolo',
    "hi": 'r = src में TODO खोजो\nअगर $r खाली है तो "none" बोलो वरना "some" बोलो',
    "mr": 'r = src मध्ये TODO शोधा\nजर $r रिकामे आहे तर "none" सांगा नाहीतर "some" सांगा',
    "ta": 'r = src-இல் TODO தேடு\n$r காலி என்றால் "none" சொல் இல்லையெனில் "some" சொல்',
    "te": 'r = src లో TODO వెతుకు\n$r ఖాళీ అయితే "none" చెప్పు లేకపోతే "some" చెప్పు',
    "kn": 'r = src ನಲ್ಲಿ TODO ಹುಡುಕು\n$r ಖಾಲಿ ಆದರೆ "none" ಹೇಳು ಇಲ್ಲದಿದ್ದರೆ "some" ಹೇಳು',
}


@pytest.mark.parametrize("language", NONE)
def test_say_whether_anything_was_found(language: str) -> None:
    grep: Call = ("Grep", {"pattern": "TODO", "path": "src"})
    assert played(NONE[language]) == [grep, said("none")]
    some = stub("Grep", result=["src/a.py"], pattern="TODO", path="src")
    assert played(NONE[language], some) == [grep, said("some")]


# ── languages mixed in one script ─────────────────────────────────────────────────────────────
def test_everybody_in_a_team_writes_a_line() -> None:
    text = """
        let files = src mein python files dhoondo
        $files లో ప్రతి f:
          $f படி
        end
        टेस्ट चलाओ
        if pass then "सब ठीक" ಹೇಳು else maage ghya
    """
    assert played(text, FOUND) == [GLOB, read("src/a.py"), read("src/b.py"), RUN, said("सब ठीक")]

"""Made-up secrets: written as `<alnum36>` in the corpus, so that none stands there whole."""

import random
import re
import string
import uuid

ALNUM = string.ascii_letters + string.digits
ALPHABETS = {
    "alnum": ALNUM,
    "hex": "0123456789abcdef",
    "UPPER": string.ascii_uppercase + string.digits,
    "b64_": ALNUM + "+/",
    "b64u_": ALNUM + "-_",
    "b64s": ALNUM + "/",
}
_MACRO = re.compile(r"<(?:(alnum|hex|UPPER|b64_|b64u_|b64s)([0-9]+)|uuid)>")


def filled(text: str) -> str:
    """The same macro becomes the same text, everywhere and in every run."""
    return _MACRO.sub(_made_up, text)


def _made_up(macro: re.Match[str]) -> str:
    chooser = random.Random(macro[0])
    if macro[1] is None:
        return str(uuid.UUID(int=chooser.getrandbits(128), version=4))
    alphabet, length = ALPHABETS[macro[1]], int(macro[2])
    return "".join(chooser.choice(alphabet) for _ in range(length))

"""Yes and no, as people say them in six languages. Whatever is neither counts as no."""

from ankrcode.rocketlang.pieces import plain

_YES = (
    "y yes yeah yep ok okay sure go do allow approve 1 true"
    " haan ha han haa haanji ji jihaan jee theek thik karo kardo chalo bilkul"
    " हाँ हां हा जी जीहाँ ठीक करो कर हो होय"
    " ho hoy chalel kara"
    " aama aam aamaa aamam sari seri ஆம் ஆமா ஆமாம் சரி"
    " avunu avnu sare సరే అవును"
    " haudu houdu hawdu sari ಹೌದು ಸರಿ"
)
_NO = (
    "n no nope never stop cancel deny 0 false don't dont"
    " nahi nahin na naa mat rehne ruko nai नहीं नही ना मत रुको"
    " nako naka naahi नको नका नाही"
    " illai illa venda vendam vendaam இல்லை வேண்டாம்"
    " vaddu ledu kaadu వద్దు లేదు కాదు"
    " beda illa alla ಬೇಡ ಇಲ್ಲ"
)
_POLITE = "ji please do karo kardo hai sir bhai run it जी करो करें"
_YES_WORDS = frozenset(plain(word) for word in _YES.split())
_NO_WORDS = frozenset(plain(word) for word in _NO.split())
_FURTHER = frozenset(plain(word) for word in _POLITE.split())


def answered(text: str) -> bool | None:
    """True for a yes, False for a no, None for neither: a yes and a no at once are neither."""
    words = [plain(word).strip(".!।") for word in text.replace(",", " ").split()]
    words = [word for word in words if word]
    if not words:
        return None
    if any(word in _NO_WORDS for word in words):
        return False
    is_yes = words[0] in _YES_WORDS and all(word in _YES_WORDS | _FURTHER for word in words)
    return True if is_yes else None

r"""What secrets look like, as tables.

Every pattern begins with fixed text and repeats possessively (`*+`) or within bounds, so the
time is linear in the length of the text whatever it holds. Groups that repeat are atomic (`(?>…)`)
instead: early releases of Python 3.11 lose matches over possessive ones.
"""

_KEY_LINE = r"-----{edge}[ ](?:[A-Z0-9]{{1,20}}[ ]){{0,3}}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----"
_KEY_BEGIN, _KEY_END = _KEY_LINE.format(edge="BEGIN"), _KEY_LINE.format(edge="END")

# Between the two lines stands only what a key may hold, not the code that looks for one. A text
# may also stop before the end; then whatever looks like a line of the key belongs to it.
PRIVATE_KEY = rf"""(?x) {_KEY_BEGIN} (?:
    (?=(?:(?!-----)[^(){{}}\[\];])*?(?=[A-Za-z]?[a-z]{{0,40}}[A-Z0-9+/])[A-Za-z0-9+/]{{12}})
    (?>(?:(?!-----)[^(){{}}\[\];])*) {_KEY_END}
  | (?>(?:(?>(?:\s|\\[nr]|[>+|"'\#]|[0-9]{{1,6}}\t)*) [A-Za-z0-9+/=]{{24,}}+)+)
    (?>(?:(?:\r?\n|\\n) [A-Za-z0-9+/]{{1,23}}={{0,2}}(?=\r?\n|\\n|["']|\Z))?)
)"""

URL_LOGIN = (
    r"(?P<before>://(?:[^\s/@:\"'<>`()\[\]{}|\\^]{0,200}+|\[redacted:[a-z0-9:-]{1,60}\]):)"
    r"(?P<value>[^\s/\"'<>`()\[\]{}|\\^]{1,500})(?=@[^\s@])"
)

URL_USER = r"(?P<before>://)(?P<value>[A-Za-z0-9_-]{20,200}+)(?=@[^\s@])"

# `user:password@` is how documents write it.
EXAMPLE_LOGIN = r"(?i)://(?:user(?:name)?|login|name):(?:pass(?:wd|word)?|pwd)\Z"

AUTHORIZATION_BEGINS = ("authorization", "bearer")
AUTHORIZATION = r"""(?ix)
    (?P<before>
        (?: (?P<header>authorization)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?
            (?: (?P<scheme>bearer|basic|token|digest|apikey)[ ]{1,4} | (?=[a-z0-9._~+/=-]{20}) )
          | (?<![a-z])bearer[ ]{1,4}
        )
    )(?P<value>[a-z0-9._~+/=-]{8,}+)"""

_OWNERS = (
    "api|admin|access|secret|private|account|auth|encryption|signing|master|shared|client|license"
    "|subscription|storage|service|consumer|application|session|deploy|hmac|mnemonic|webhook"
)
_VERSION = (
    r"(?:[_-]?(?:[0-9]{1,2}|prod|production|staging|dev|test|live|base|value|b64|base64|old|new))?"
)
_SENSITIVE_WORD = rf"""(?:
    (?<![a-z])pass | passw(?:or)?d | passphrase | passcode | (?<![a-z])pwd
  | secret | token | credentials? | (?<=_)pat(?=["'\]]?\s?[=:])
  | (?<![a-z-])_?auth(?=\\{{0,3}}["'=])
  | (?:{_OWNERS})[_\ -]?(?:access[_-]?)?key
){_VERSION}"""

_VALUE = (
    r"""(?P<quote>\\{0,3}["'`]?)(?P<value>[^\s"'`,;&|<>(){}\[\]\\\x00-\x1f\x7f]{6,}+)"""
    r"(?P<after>[(\[{]?)"
)

_OPTION_VALUE = _VALUE.replace("&|", "|")  # a shell's word, not a part of a query

ASSIGNMENT = rf"""(?ix)
    (?P<before>
        (?:(?<![:/])|(?<=env:)|(?<=[\s(\{{,]:)|(?<=\A:)) (?P<name>{_SENSITIVE_WORD})
        (?: ["']?(?:\s{{0,4}}:\s{{0,4}}|[ ])[&\w.\[\]<>|?']{{1,40}}\s{{0,4}}=\s{{0,4}}(?=["'])
          | \\{{0,3}}["'\]]{{0,2}} (?P<sign>\s{{0,8}}(?:={{1,3}}|:=|=>|[:>])[ \t]{{0,8}})
            (?:[>|][+-]?[ ]{{0,4}}\r?\n[ ]{{1,20}} # a block of YAML
              |[bur]{{1,2}}(?=["']))?
          | (?P<comma>["']\s{{0,4}},\s{{0,8}}(?=["'])) # define("NAME", "value")
          | (?:["']?\s{{0,4}},\s{{0,40}}|["']?\s{{1,40}})["']?value["']?\s{{0,4}}[:=]\s{{0,4}}
          | [ ]is[ :]{{1,2}}
        )
    ){_VALUE}"""

# `--password x`, `curl -u name:x`, and the lines of a .netrc file.
OPTION = rf"""(?ix)
    (?P<before>
        (?: (?<!-)--(?:[a-z]{{1,20}}-){{0,3}}?(?P<name>{_SENSITIVE_WORD})[ ]{{1,4}}
          | (?<![a-z-])(?:-u[ ]?|--user[ =])["']?[^\s:"']{{1,64}}:
          | (?<![a-z])login[ ]\S{{1,100}}\s{{1,20}}password[ ]
          | (?<![a-z])sshpass[ ]-p[ ]?
          | (?<![a-z])secret[ ]set[ ]\S{{1,60}}[ ](?:--body|-b)[ =]
          | (?<![a-z])configure[ ]set[ ][\w.]{{0,60}}(?:_key|token)[ ]
          | (?<![a-z])curl[ ][^\n|;&]{{0,200}}?(?<=[ ])-b[ ]["']?[\w.-]{{1,40}}=
          | (?<![a-z])(?:un)?zip[ ][^\n|;&]{{0,100}}?(?<=[ ])-P[ ]
          | (?<![a-z])ldap[a-z]{{2,10}}[ ][^\n|;&]{{0,100}}?(?<=[ ])-w[ ]
          | (?<![a-z])openssl[ ][^\n|;&]{{0,100}}?(?<=[ ])(?:-k[ ]|-pass(?:in|out)?[ ]pass:)
          | (?<![a-z])smbclient[ ][^\n|;&]{{0,100}}?(?<=[ ])-U[ ]?[^\s%]{{1,60}}%
          | (?<![a-z])redis-cli[ ][^\n|;&]{{0,100}}?(?<=[ ])-a[ ]
          | (?<![a-z])mongo(?:sh|dump|restore|import|export)?[ ][^\n|;&]{{0,100}}?(?<=[ ])-p[ ]
          | (?<![a-z])login[ ][^\n|;&]{{0,100}}?(?<=[ ])-p[ ]
          | (?<![a-z])(?:echo|printf|print)[ ](?:-[a-z]{{1,2}}[ ]|["']?%s(?:\\n)?["']?[ ])?["']?
            (?=[^\n|]{{6,200}}\|[^\n|;&]{{0,200}}--(?:(?:password|passphrase|token)-stdin|with-token))
          | (?<![a-z])net[ ]use[ ](?:[a-z*]:?[ ])?\\{{2,4}}\S{{1,200}}[ ](?!/)
          | (?<![a-z])htpasswd[ ](?=-[a-z0-9]{{0,8}}b|[^\n|;&]{{0,40}}[ ]-[a-z0-9]{{0,8}}b)
            (?:-\w{{1,8}}[ ]){{1,4}}(?:[^\s-]\S{{0,200}}[ ]){{1,2}}
            (?=["']?[^\s"']{{6,200}}["']?[ ]*(?:$|[\n;&|<>]))
          | (?<![a-z])(?:mysql|mysqldump|mysqladmin|mariadb)[ ][^\n|;&]{{0,100}}?(?<=[ ])-p
        ) (?P<sign>)
    ){_OPTION_VALUE}"""

# A quoted value that goes on beyond what may stand without quotes: `"p@ss;word&1"`.
QUOTED = rf"""(?ix)
    (?P<before>
        (?:(?<![:/])|(?<=env:)|(?<=[\s(\{{,]:)|(?<=\A:)) (?P<name>{_SENSITIVE_WORD})
        \\{{0,3}}["'\]]{{0,2}} (?P<sign>\s{{0,8}}(?:={{1,3}}|:=|=>|[:>])[ \t]{{0,8}})
    )(?P<quote>["'])(?P<value>[^\s"'`\\\x00-\x1f]{{8,200}}+)(?P<after>)(?=(?P=quote))"""

# A signature makes a URL as good as a password.
SIGNED_URL = (
    r"(?i)(?P<before>(?:[?&]|signedheaders=[^,\s]{1,200},[ ]?)"
    r"(?:x-amz-signature|x-goog-signature|sig|signature)=)"
    r"(?P<value>[A-Za-z0-9%+/=_-]{32,}+)"
)

# Cookies that say who someone is, in the header that carries them.
COOKIES = r"""(?i)(?<![a-z])cookie(?:\\{0,3}["']?[ ]{0,4}[:=]|[ ](?=\S{1,40}=))[^\r\n]{1,4096}"""
SESSION_COOKIE = (
    r"""(?i)(?P<before>(?<![\w.-])[\w.-]{0,30}?(?:sess|auth|token|sid|jwt|remember)"""
    r"""[\w.-]{0,30}=)(?P<value>[^\s;,"'\\]{16,}+)"""
)

# `db.password` at the beginning of a line and nothing after the value: a line of a configuration.
CONFIG = r"""(?imx)
    ^(?P<before>[ \t]{0,20}+(?:-[ ]|export[ ]|[0-9]{1,6}\t)?[\w.-]{0,60}?
        (?:password|passwd|passphrase|(?<![a-z])pwd|(?<![a-z])pass)(?::[ \t]{1,4}|=))
    (?P<value>\S{6,200}+)(?=[ \t]*$|[ \t]*\r)"""

# Where one of the patterns for names and values can match at all: a word that is quickly found, and
# what has to stand around it in lower case. The patterns themselves are too slow for every place.
_NAMED = (
    rf"""{_VERSION}(?:\\{{0,3}}["'\]]{{0,2}}\s{{0,8}}[=:>]"""
    r"""|["']\s{0,4},\s{0,8}["']|["']?\s{0,4},?\s{0,40}["']?value["']?\s{0,4}[:=]"""
    r"""| is[ :]| [\w.\[\]]{1,30}\s{0,4}=\s{0,4}["'])"""
)
_OWNED = "|".join(
    f"(?<={owner}{mark}key)" for owner in _OWNERS.split("|") for mark in ("", "_", "-", " ")
)
TELLING = (
    *((stem, stem + _NAMED) for stem in ("pwd", "secret", "token", "auth")),
    ("pass", f"pass(?:wd|word|phrase|code)?{_NAMED}"),
    ("credential", f"credentials?{_NAMED}"),
    ("key", rf"key(?={_NAMED})(?:{_OWNED})"),
    ("--", rf"(?x)--(?:[a-z]{{1,20}}-){{0,3}}?{_SENSITIVE_WORD}[ ]"),
    ("-u", r"""-u(?:ser[ =]|[ ]?)["']?[^\s:"']{1,64}:"""),
    ("login ", r"login (?:\S{1,100}\s{1,20}password |[^\n|;&]{0,100}?-p )"),
    ("sshpass -p", "sshpass -p"),
    ("-stdin", "-stdin"),
    ("--with-token", "--with-token"),
    ("net use ", "net use "),
    ("htpasswd ", "htpasswd "),
    ("_pat", f"_pat{_NAMED}"),
    ("secret set ", "secret set "),
    ("configure set ", "configure set "),
    ("redis-cli ", "redis-cli "),
    ("curl ", "curl [^\\n|;&]{0,200}?-b "),
    ("zip ", "zip [^\\n|;&]{0,100}?-p "),
    ("ldap", "ldap[a-z]{2,10} [^\\n|;&]{0,100}?-w "),
    ("openssl ", "openssl [^\\n|;&]{0,100}?-(?:k |pass)"),
    ("smbclient ", "smbclient "),
    ("mongo", "mongo(?:sh|dump|restore|import|export)? "),
    ("mysql", r"mysql(?:dump|admin)? [^\n|;&]{0,100}?-p"),
    ("mariadb", r"mariadb [^\n|;&]{0,100}?-p"),
)

# What stands before a value of a query; its fragment is not a part of it.
IN_QUERY = r"[?&][\w.-]{0,40}\Z"
IN_CALL = r"\w\(\s{0,4}[\"'][\w.-]{0,60}\Z"
NEXT_PAIR = r"[;&,]\w{1,40}="
LONG_HEX = r"(?=[0-9]*[a-fA-F])(?=[a-fA-F]*[0-9])(?:[0-9a-f]{16,}+|[0-9A-F]{16,}+)\Z"

# What templates and documents put where a secret belongs, and the names of variables.
PLACEHOLDER = r"""(?x)
    [$%][A-Za-z_{(] | [<*{] | (?i:sha(?:1|256|384|512)|md5)[:-]
  | (?i:your|change|replace|insert|enter|example|sample|placeholder|redacted|hidden|dummy|fake
       |todo|xxx) (?![a-z]*[0-9!@\#%^&])
  | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z
  | (?P<one>.)(?P=one)*\Z"""

# `response.data2.token` and `OAuth2Token`: names made of words, with a number or two.
CODE_REFERENCE = r"""(?x)
    [A-Za-z_$][A-Za-z0-9_$]* (?:(?:\.|->|::|=)[A-Za-z_$][A-Za-z0-9_$]*)+\Z
  | (?=[^0-9]*[0-9]+[^0-9]*(?:[0-9]+[^0-9]*)?\Z)
    (?>(?:[A-Z]{1,3}[a-z_]++|[a-z_]{2,}+|[A-Z_]++|[0-9]++)+)\Z"""

# A call, an index or a template: `getpass()`, `env["X"]`, `{{ x }}`.
CALL = r"[A-Za-z0-9_.]\([^()]{0,100}\)|\[[\"'A-Za-z0-9]|\{\{|\$\{"

# What a name in camel case is made of.
PART = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"

# Words of a sentence, a template or a name, in any script: `token-goes-here`, `oldPassword`.
WORDING = r"(?>(?:(?:[A-Z]?[a-z\u0080-\U0010ffff]{2,24}+|[A-Z]{2,24}+(?![a-z]))[-_./:]*+)+)\Z"

SENSITIVE_VARIABLE = r"""(?ix)
    (?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:^|_)PASS|_PWD|_PAT|_AUTH)
    [0-9]{0,2}\Z"""

"""Environment variables: which are harmless to set, which change what programs do, which hold
secrets. What is not known to be harmless is judged by the smell of its name.
"""

import re

# Patterns are text here: each is compiled by its first use, not by every start.
_SAFE = (
    r"LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|COLORTERM|COLUMNS|LINES"
    r"|TERM|CI|DEBUG|VERBOSE|QUIET|RUST_BACKTRACE|RUST_LOG|NODE_ENV|RAILS_ENV|APP_ENV|ENVIRONMENT"
    r"|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|GREP_COLORS?|LS_COLORS|BLOCK_?SIZE|TIME_STYLE"
    r"|TIMEFORMAT|HISTTIMEFORMAT|OPTIND|REPLY|MANWIDTH|GIT_PAGER_IN_USE"
    r"|SOURCE_DATE_EPOCH|DEBIAN_FRONTEND|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING"
    r"|PYTHONUTF8|PYTHONHASHSEED|PIP_DISABLE_PIP_VERSION_CHECK|HOMEBREW_NO_AUTO_UPDATE|DEPTH"
)
# Pagers that only print: the usual way to say "no pager".
_PAGERS = r"(GIT_|MAN|BAT_|GH_|AWS_|SYSTEMD_)?PAGER"
_PLAIN_PAGERS = ("", "cat", "/bin/cat", "/usr/bin/cat")

_NAMESPACES = (
    # whole families, whatever follows
    r"(LD_|DYLD_|GIT|BASH|PYTHON|PERL|RUBY|NODE_|NPM_|YARN_|PNPM_|JAVA_|_JAVA|JDK_|MAVEN_|GRADLE_"
    r"|RUSTC|RUSTUP_|CARGO|GOROOT|GOPATH|GOFLAGS|GO111|MAKE|CMAKE|PIP_|UV_|POETRY_|CONDA_|DOCKER_"
    r"|COMPOSE_|KUBE|HELM_|AWS_|AZURE_|GOOGLE_|CLOUDSDK_|SSH_|SSL_|CURL_|WGET|GNUPG|GPG_|LESS"
    r"|MAN|VIM|ZDOT|ZSH|FISH_|PROMPT|GLIBC_|MALLOC_|GCONV_|LOCPATH|NLSPATH|TERMINFO|TERMCAP|RES_"
    r"|HOSTALIASES|XDG_|DBUS_|QT_|GTK_|LUA_|PHP|COMPOSER_|TCL|ERL_|ELIXIR_|MIX_|DOTNET_|NUGET_"
    r"|MSBUILD|TERRAFORM_|TF_|ANSIBLE_|VAULT_|SUDO_|RIPGREP_|FZF_|BAT_|DELTA_|TAR_|GZIP|XZ_|ZSTD_"
    r"|BZIP|ZIPOPT|UNZIP|RSYNC_|JQ_|PG[A-Z]|MYSQL_|REDIS|ANTHROPIC_|OPENAI_|ANKRCODE_|CLAUDE_"
    r"|HIST|GLOB|SHELLOPTS|FUNCNEST|EXECIGNORE|GROFF_|CDPATH|FPATH|CLASSPATH|LD$).*"
    # single names
    r"|PATH|IFS|ENV|PS\d|EDITOR|VISUAL|BROWSER|PAGER|SHELL|HOME|USER|LOGNAME|PWD|OLDPWD|TMPDIR|TMP"
    r"|TEMP|DISPLAY|WAYLAND_DISPLAY|CC|CXX|CPP|AR|AS|NM|FC|EXINIT|INPUTRC|MAIL|MAILPATH|FCEDIT"
    r"|FIGNORE|TMOUT|DIRSTACK|COPROC|UID|EUID|PPID|GROUPS|POSIX_ME_HARDER|ALL_PROXY|CHILD_MAX"
)
_FRAGMENTS = (
    r"PATH|PRELOAD|OPTS?(_|$)|OPTIONS|FLAGS|ARGS|CONFIG|RC(_|$|FILE)|PAGER|EDITOR|EXEC|CMD|COMMAND"
    r"|SHELL|PROXY|INIT|HOOK|WRAPPER|LOAD|PLUGIN|MODULE|AGENT|SOCK|BROWSER|EXTERNAL|ASKPASS"
    r"|LIBRARY|INCLUDE|STARTUP|INTERPRETER|COMPILER|LINKER|RUNNER|LAUNCHER|ENDPOINT|REGISTRY"
)
_LOWER = r"(https?|ftp|all|no|rsync)_proxy|npm_config_.*|pip_.*|cargo_.*|_"
_HIDDEN = (
    r".*(SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY"
    r"|AUTH_KEY|SIGNING_KEY|ENCRYPTION_KEY|_KEY$|_PASS$|_PWD$|_AUTH$|_PAT$|_DSN$|COOKIE|SESSION_ID"
    r"|DATABASE_URL|REDIS_URL|MONGO_URL|MONGODB_URI|CONNECTION_STRING).*|PASS|KEY|GPG_KEY|PGPASSWORD"
)


def is_secret(name: str) -> bool:
    """Does a variable of this name usually hold a key or a password?"""
    return re.fullmatch(_HIDDEN, name.upper()) is not None and not name.islower()


def danger(name: str, value: str | None = None) -> bool:
    """Could setting it change what a program does, beyond what it prints?"""
    if re.fullmatch(_SAFE, name):
        return False
    if re.fullmatch(_PAGERS, name) and value is not None:
        return value not in _PLAIN_PAGERS
    if name != name.upper():
        return re.fullmatch(_LOWER, name) is not None
    return re.fullmatch(_NAMESPACES, name) is not None or re.search(_FRAGMENTS, name) is not None

"""Doors that stood open once, each with a neighbour that must stay quiet."""

from pathlib import Path

import pytest

from permissions.verdicts import at, verdict_of

ASKED = {
    # bash calculates an index, and what a variable in it holds
    "index of an element": "x='a[$(touch y)]'; b[x]=1",
    "index of an item": "x='a[$(touch y)]'; b=([x]=1)",
    "index from a file": "x=$(cat f); a=([$x]=1)",
    "index added to": "x='b[$(touch y)]'; a[x]+=1",
    "index of items added": "x='b[$(touch y)]'; a+=([x]=2)",
    "a name that names a name": "y='a[$(touch z)]'; x=y; ((x))",
    "a sum that names a name": "z='a[$(touch q)]'; x=1+z; echo $((x))",
    "wait sets a variable": "sleep 0 & wait -n -p 'a[$(touch y)]'",
    "wait with its name attached": "wait -np'a[$(touch y)]'",
    "wait with an unknown name": 'wait -p "$x"',
    # variables for one command only
    "prefix seen by the script": "x='a[$(touch y)]' bash -c '((x))'",
    "prefix given by env": "env x='a[$(touch y)]' bash -c '((x))'",
    # arguments of the line itself
    "first argument as a command": "$1",
    "all arguments as a command": '"$@"',
    "shifted arguments": 'shift; "$@"',
    "sliced arguments": '"${@:2}"',
    # options that stand in files
    "binutils with a file of options": "nm @options",
    "strings with a file of options": "strings @options",
    "binutils with an unknown argument": "objdump $x",
    "tar with a list that may hold options": "tar -tf a.tar -T list",
    "tar with a long list": "tar -tf a.tar --files-from=list",
    # files named in files
    "sort of unknown files": "sort --files0-from=list",
    "wc of unknown files": "wc --files0-from=list",
    "tree of a secret file": "tree --fromfile .env",
    "awk with other files": "awk 'BEGIN{ARGV[1]=\"/etc/shadow\"; ARGC=2} 1'",
    "yq that loads a file": "yq eval 'load_str(\"/etc/shadow\")' a.yml",
    "yq that shows a variable": "yq 'strenv(TOKEN)' a.yml",
    "xmllint that follows entities": "xmllint --noent a.xml",
    # programs whose letters mean other things alone
    "rpm installs": "rpm -i x.rpm",
    "rpm fetches": "rpm -qp https://example.com/x.rpm",
    "busybox installs itself": "busybox --install -s",
    "xargs sets PATH": "xargs --process-slot-var=PATH ls",
    # other repositories have other settings
    "git in a temporary folder": "cd /tmp && git status",
    "git -C in a temporary folder": "git -C /tmp/x log",
    "git in another git folder": "git --git-dir=evil status",
    "git in a bare folder": "git --bare log",
    "git with a work tree outside": "git --git-dir=.git --work-tree=/tmp status",
    # descriptions that hold the environment of a container
    "docker inspect whole": "docker inspect web",
    "docker inspect as JSON": "docker inspect -f '{{json .}}' web",
    "docker inspect everything": "docker inspect -f '{{.}}' web",
    "docker inspect the environment": "docker inspect -f '{{.Config.Env}}' web",
    # databases
    "sqlite may write": "sqlite3 a.db 'select 1'",
    "sqlite from its input": "sqlite3 -readonly a.db",
    "sqlite runs a shell": "sqlite3 -readonly a.db '.shell id'",
    "sqlite loads code": "sqlite3 -readonly a.db \"select load_extension('x')\"",
    "sqlite writes a file": "sqlite3 -readonly a.db \"select writefile('x', 'y')\"",
    "sqlite copies itself": "sqlite3 -readonly a.db \"vacuum into 'x'\"",
    "sqlite hides a second statement": "sqlite3 -readonly a.db 'select 1; .output x'",
    # help that is none
    "help of a script": "npm run deploy --help",
    "help behind an argument": "docker run alpine --help",
    "help of an unknown sub-command": "cargo mytool --help",
    "version and more": "python3 --version -c 'print(1)'",
    # dry runs that are none
    "rsync without -n": "rsync -a a b",
    "rsync -n from afar": "rsync -n host:a b",
    "rsync -n with a program": "rsync -n -e 'sh -c id' a b",
}

QUIET = {
    "an element by number": "a[0]=1; echo ${a[0]}",
    "an item by number": "a=([0]=x [1]=y); echo ${a[1]}",
    "a key": "declare -A m; m[one]=1; m=([two]=2); echo ${m[two]}",
    "a sum of numbers": "y=2; x=y+1; echo $((x))",
    "wait for all": "sleep 1 & wait",
    "wait for one": "sleep 1 & wait -n; wait $!",
    "wait with a plain name": "sleep 1 & wait -n -p done_pid; echo $done_pid",
    "prefix of a script": "N=3 bash -c 'echo hi'",
    "arguments that were set": 'set -- src tests; ls "$@"; ls "$1"; shift; ls "$1"',
    "arguments of a function": 'f() { ls "${@:2}"; }; f x src',
    "binutils": "nm lib.so; strings a.out",
    "tar": "tar -tf a.tar --exclude='*.o'",
    "awk": "awk 'BEGIN{FS=\",\"} {print $1}' a.csv",
    "yq": "yq '.load.env' a.yml",
    "yq of a file called load": "yq .a load.yml",
    "xmllint": "xmllint --noout a.xml",
    "rpm queries": "rpm -qi bash; rpm -ql bash; rpm -V bash",
    "git in the workspace": "cd src && git status && git --git-dir=../.git log -1",
    "docker inspect a state": "docker inspect -f '{{.State.Status}}' web",
    "docker inspect addresses": (
        "docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' web"
    ),
    "sqlite asks": "sqlite3 -readonly a.db 'select name from t; select count(*) from u;'",
    "sqlite shows its tables": "sqlite3 -readonly a.db .tables",
    "help of a sub-command": "docker run --help; kubectl get --help; cargo build --help",
    "version at length": "rustc --version --verbose; docker --version",
    "rsync -n": "rsync -avn --delete a/ b/",
    "certificates are public": "openssl x509 -in server.pem -noout -text",
}


@pytest.mark.parametrize("line", ASKED.values(), ids=ASKED)
def test_it_is_asked(line: str) -> None:
    assert verdict_of(line) == "needs_approval"


@pytest.mark.parametrize("line", QUIET.values(), ids=QUIET)
def test_its_neighbour_is_not(line: str) -> None:
    assert verdict_of(line) == "read_only"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("yarn --version", ".yarnrc.yml"),
        ("cargo --version", "rust-toolchain.toml"),
        ("mvn --version", ".mvn"),
        ("pytest --version", "conftest.py"),
        ("rails --version", "bin/rails"),
    ],
)
def test_a_program_that_obeys_a_file_here_is_asked_even_for_its_version(
    line: str, name: str, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    assert verdict_of(line, at(tmp_path, cwd=inner)) == "read_only"
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert verdict_of(line, at(tmp_path, cwd=inner)) == "needs_approval"
    assert verdict_of(line, at(tmp_path)) == "needs_approval"

"""Lines that would leave `canary.txt` behind, each in its own way; the folder is `prepared`.

They are tried in a folder of their own and harm nothing: what they do is make one file.
"""

import os
import subprocess
from pathlib import Path

CANARY = "canary.txt"
SCRIPT = "#!/bin/sh\ntouch canary.txt\n"
FILES = {
    "a.txt": "one\n",
    "b.txt": "two\n",
    "list.txt": "canary.txt\n",
    "Makefile": "canary.txt: a.txt\n\ttouch canary.txt\nall: canary.txt\n",
    "package.json": '{"name": "p", "scripts": {"pretest": "touch canary.txt", "test": "ls"}}\n',
    "w.py": "open('canary.txt', 'w')\n",
    "w.sh": SCRIPT,
    "w.awk": 'BEGIN { print > "canary.txt" }\n',
    "w.sed": "w canary.txt\n",
    "w.diff": "--- /dev/null\n+++ b/canary.txt\n@@ -0,0 +1 @@\n+x\n",
    "sub/c.txt": "three\n",
}
COMMANDS = {
    "where": [
        "cd sub && echo x > ../canary.txt",
        "cd /; cd - > /dev/null; touch canary.txt",
        "pushd sub > /dev/null && touch ../canary.txt",
        "(cd sub; cat c.txt > ../canary.txt)",
        'x=canary; echo x > "$x.txt"',
        "for f in canary.txt; do echo x > $f; done",
        'echo x > "$(cat list.txt)"',
        "echo x > canary.t[x]t; echo x > canary.txt",
        "echo x > ./sub/../canary.txt",
        "echo x > $PWD/canary.txt",
        "CDPATH=. cd sub; touch ../canary.txt",
    ],
    "redirections": [
        "ls >| canary.txt",
        "ls &> canary.txt",
        "ls >& canary.txt",
        "ls &>> canary.txt",
        "cat <> canary.txt",
        "true 3<> canary.txt",
        "true {fd}> canary.txt",
        "exec > canary.txt; ls",
        "{ ls; pwd; } > canary.txt",
        "while read l; do echo $l; done < a.txt > canary.txt",
        "if true; then ls; fi > canary.txt",
        "f() { ls; } > canary.txt; f",
        "[[ -f a.txt ]] > canary.txt",
        "cat << END > canary.txt\nx\nEND",
        "cat <<- 'END' | tee canary.txt\n\tx\n\tEND",
        "ls 2> canary.txt",
        "ls missing 2>> canary.txt; true",
        "ls > >(cat > canary.txt); wait; sleep 0.1",
    ],
    "shells": [
        "bash <<< 'touch canary.txt'",
        "bash << 'END'\ntouch canary.txt\nEND",
        "echo touch canary.txt | sh",
        "sh w.sh",
        ". ./w.sh",
        "source <(echo touch canary.txt)",
        ". /dev/stdin <<< 'touch canary.txt'",
        "BASH_ENV=w.sh bash -c true",
        "trap 'touch canary.txt' EXIT",
        "coproc touch canary.txt; wait",
        "printf -v x 'touch canary.txt'; $x",
        "x='$(touch canary.txt)'; echo \"${x@P}\"",
        "echo ${unset_one:=$(touch canary.txt)}",
        "echo $(( x[$(touch canary.txt)0] ))",
        "[[ 'x[$(touch canary.txt)0]' -eq 0 ]]",
        "printf -v 'x[$(touch canary.txt)0]' y",
        "let 'x[$(touch canary.txt)0]=1'",
        "declare -a 'x[$(touch canary.txt)0]=1'",
        "mapfile -c 1 -C 'touch canary.txt;:' x < a.txt",
        "test -v 'x[$(touch canary.txt)0]'",
        "history -w canary.txt",
        "shopt -s expand_aliases\nalias look='touch canary.txt'\nlook",
        "env -S 'touch canary.txt'",
        "timeout 5 touch canary.txt",
        "setsid -w touch canary.txt",
        "stdbuf -o0 touch canary.txt",
        "nice touch canary.txt",
        "xargs -a list.txt touch",
        "printf 'canary.txt\\0' | xargs -0 touch",
        "xargs -I{} cp a.txt {} <<< canary.txt",
        "ls a.txt | xargs -n1 sh -c 'touch canary.txt'",
        "find . -maxdepth 1 -name a.txt -exec sh -c 'touch canary.txt' ';'",
        "find . -maxdepth 1 -name a.txt -execdir touch canary.txt ';'",
        "find . -fls canary.txt",
        "find . -fprintf canary.txt x",
    ],
    "programs": [
        "tee -a canary.txt < a.txt",
        "uniq a.txt canary.txt",
        "shuf -o canary.txt a.txt",
        "sort a.txt -ocanary.txt",
        "split a.txt canary. && mv canary.aa canary.txt",
        "csplit -sf canary.txt a.txt 1; mv canary.txt00 canary.txt",
        "iconv -o canary.txt a.txt",
        "gzip -c a.txt > canary.txt",
        "awk -f w.awk",
        "awk 'BEGIN { system(\"touch canary.txt\") }'",
        "awk 'BEGIN { \"touch canary.txt\" | getline }'",
        'awk \'BEGIN { printf "x" | "cat > canary.txt" }\'',
        "sed '1e touch canary.txt' a.txt",
        "sed -n -f w.sed a.txt",
        "sed -i.bak s/one/1/ a.txt; mv a.txt.bak canary.txt",
        "sed --in-place=.bak s/one/1/ a.txt; mv a.txt.bak canary.txt",
        "sed 's/one/touch canary.txt/e' a.txt",
        "perl -i.bak -pe 1 a.txt; mv a.txt.bak canary.txt",
        "perl -e 'system(\"touch canary.txt\")'",
        "python3 w.py",
        "python3 - << 'END'\nopen('canary.txt', 'w')\nEND",
        "python3 -m zipfile -c canary.txt a.txt",
        "echo \"open('canary.txt', 'w')\" | python3",
        "PYTHONSTARTUP=w.py python3 -c 'import w'",
        "sqlite3 canary.txt 'create table t (x)'",
        "sqlite3 :memory: '.output canary.txt' 'select 1'",
        "sqlite3 :memory: '.shell touch canary.txt'",
        "make",
        "make canary.txt",
        "printf 'x:\\n\\ttouch canary.txt\\n' | make -f -",
        "make -p -f Makefile all > /dev/null",
        "npm test",
        "npm run pretest",
        "node -e \"require('fs').writeFileSync('canary.txt', '')\"",
        "openssl rand -out canary.txt 4",
        "flock canary.txt true",
        "script -qc ls canary.txt",
        "strace -o canary.txt ls",
        "patch -s -p1 -i w.diff",
        "ed -s a.txt <<< 'w canary.txt'",
        "ex -sc 'w canary.txt|q' a.txt",
        "xxd a.txt canary.txt",
        "zip -q canary.txt a.txt; mv canary.txt.zip canary.txt",
        "diff a.txt b.txt > canary.txt; true",
        "cmp -l a.txt b.txt | tee canary.txt",
        "mktemp -p . && touch canary.txt",
        "LESSOPEN='|touch canary.txt; cat %s' less a.txt | cat",
        "jq -n '\"x\"' > canary.txt",
    ],
    "git": [
        "git init -q canary.txt",
        "git archive -o canary.txt HEAD",
        "git bundle create -q canary.txt HEAD",
        "git log --output=canary.txt",
        "git show --output=canary.txt HEAD",
        "git diff HEAD --output canary.txt",
        "git format-patch -q -1 --root -o . && mv 0001-* canary.txt",
        "git worktree add -q canary.txt",
        "git clone -q . canary.txt",
        "git -c alias.x='!touch canary.txt' x",
        "git -c core.fsmonitor='touch canary.txt; :' status",
        "git -c diff.external='touch canary.txt; :' diff",
        "GIT_EXTERNAL_DIFF='touch canary.txt; :' git diff",
        "git grep -O'touch canary.txt; :' one",
        "git apply w.diff",
        "git stash -q; git rebase -q --root -x 'touch canary.txt'",
        "git submodule foreach 'x'; git stash -q; git stash pop -q; touch canary.txt",
        "git ls-remote --upload-pack='touch canary.txt; :' .",
        "git fetch -q --upload-pack='touch canary.txt; git-upload-pack' .",
        "git show HEAD:a.txt > canary.txt",
        "git cat-file --filters HEAD:a.txt > canary.txt",
        "git mv a.txt canary.txt",
        "git checkout-index --prefix=canary. a.txt && mv canary.a.txt canary.txt",
        "git config core.editor 'touch canary.txt; :' && git commit -q --amend --allow-empty",
        "git hash-object -w a.txt && touch canary.txt",
        "git shortlog HEAD --output=canary.txt",
        "git blame a.txt | tee canary.txt",
    ],
    "ourselves": [
        "ankrcode exec Write file_path=canary.txt content=x --permission-mode bypass",
        "python3 -m ankrcode exec Write file_path=canary.txt content=x --permission-mode bypass",
        "ankrcode rl 'create canary.txt'",
        "ankrcode sandbox run -- touch canary.txt",
        "ankrcode undo",
        "ankrcode -p 'write canary.txt' --permission-mode bypass",
    ],
}
# A program that tries all this in several places, and then looks.
CODE = """
import os, pathlib, subprocess, sys
where = {where!r}
for place in (where, os.getcwd(), os.path.expanduser("~"), os.path.dirname({plan!r})):
    for make in (
        lambda: pathlib.Path(place, "canary.txt").write_text("x"),
        lambda: pathlib.Path(place, "a.txt").write_text("x"),
        lambda: pathlib.Path(place, "a.txt").chmod(0o777),
        lambda: os.rename(place + "/a.txt", place + "/canary.txt"),
        lambda: os.symlink("a.txt", place + "/canary.txt"),
        lambda: os.link(place + "/a.txt", place + "/canary.txt"),
        lambda: os.mkdir(place + "/canary.txt"),
        lambda: os.truncate(place + "/a.txt", 0),
        lambda: os.utime(place + "/a.txt", (0, 0)),
        lambda: os.unlink(place + "/b.txt"),
        lambda: subprocess.run(["touch", place + "/canary.txt"]),
        lambda: subprocess.run(["git", "-C", place, "commit", "-qam", "x"]),
    ):
        try:
            make()
        except OSError:
            pass
print("tried", open(where + "/a.txt").read())
"""


def prepared(folder: Path) -> None:
    """Files to work with, in a repository of their own; one of them has been changed."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *arguments], cwd=folder, env=environment(), check=True)
    (folder / "b.txt").write_text("zwei\n", encoding="utf-8")


def environment() -> dict[str, str]:
    """Somebody who commits, and nobody else's settings."""
    parts = [(who, what) for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    names = {f"GIT_{who}_{what}": "x" for who, what in parts}
    return {**os.environ, **names, "GIT_CONFIG_NOSYSTEM": "1"}

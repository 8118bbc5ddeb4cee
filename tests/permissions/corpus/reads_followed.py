"""The harmless neighbours of what is followed from one command to the next."""

VERDICT = "read_only"
LINES = [
    "printf 'a\\tb\\n' | column -t",
    "echo -e 'a\\tb'",
    "printf '%b' 'a\\nb' | wc -l",
    'declare -A m=([a]=1); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done',
    "declare -A m; m[x]=1; echo ${m[x]}",
    "xargs -d '\\n' wc -l < <(ls *.md)",
    "git log --diff-merges=first-parent -p -2",
    "ls | tee /dev/stderr | wc -l",
    "seq 3 | tee >(wc -l) | head -1",
    "n=$(grep -c x a); (( n > 1 )) && echo yes",
    "cat $(which ls) | head -c 4",
    "find . -name '*.txt' -print0 | xargs -0 sort",
    "find . -type f -print0 | xargs -0 sed -n 1p",
    "git ls-files -z | xargs -0 rg pattern",
    "ls | xargs -I{} sort {}",
    "ls | xargs -d '\\n' sort",
]

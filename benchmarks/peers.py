"""Side by side with the floor and with other agents, where the bench for that lies beside us.

`../shared/peerbench/run.py` drives headless agents with a scripted model on loopback; without it
`agent.py` measures the same scenarios by itself. Arguments are passed on, such as `--peers floor`.
"""

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "shared" / "peerbench" / "run.py"
COMMAND = Path(sys.executable).with_name("ankrcode")
OURS = f"ankrcode={COMMAND} -p {{prompt}} --model openai/gpt-5 --permission-mode bypass"
USUAL = ["--peers", "floor", "--scenarios", "hello,read50,mix30,par8,stream", "--ttft", "0.3"]


def main(arguments: list[str]) -> int:
    if not BENCH.is_file():
        print("peers: the bench with other agents is not beside this project; see agent.py")
        return 0
    own = ["--ours", OURS, "--ours-env", "OPENAI_BASE_URL={base}/v1"]
    own += ["--ours-env", "OPENAI_API_KEY=none"]
    chosen = arguments if "--peers" in arguments else [*USUAL, *arguments]
    return subprocess.run([sys.executable, BENCH, *chosen, *own], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A GGUF file run in this process by llama.cpp (package xllamacpp), in a thread of its own.

One request at a time: the file's weights and its cache serve one answer. Closing the iterator
stops the work at the next token.
"""

import asyncio
import os
import secrets
import threading
from collections.abc import AsyncGenerator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ankrcode.errors import ProviderError

Chunk = dict[str, Any]  # as in a streamed Chat Completions answer; or {"error": {…}}
_MAX_THREADS = 8


class Gguf:
    """Loaded when the first request comes."""

    def __init__(self, path: Path, context_tokens: int) -> None:
        if not path.is_file():
            raise ProviderError.of("gguf_missing", path=str(path))
        self._path = path
        self._context_tokens = context_tokens
        self._server: Any = None
        self._one_at_a_time = threading.Lock()
        try:
            self._llama = import_module("xllamacpp")
        except ImportError:
            raise ProviderError.of("local_missing") from None

    def grammar(self, schema: dict[str, Any]) -> str:
        """A grammar that lets through JSON of this schema and nothing else, without blanks: a
        small model could go on with those for ever."""
        import msgspec

        told = {"x-guidance": {"whitespace_flexible": False, "lenient": True}, **schema}
        return f"%llguidance {{}}\nstart: %json {msgspec.json.encode(told).decode()}\n"

    async def chunks(self, body: dict[str, Any]) -> AsyncGenerator[Chunk]:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Chunk | None] = asyncio.Queue()
        is_given_up = threading.Event()

        def tell(chunk: Chunk | None) -> bool:
            with suppress(RuntimeError):  # the loop is gone, and with it whoever asked
                loop.call_soon_threadsafe(queue.put_nowait, chunk)
            return is_given_up.is_set()

        def work() -> None:
            try:
                with self._one_at_a_time:
                    if not is_given_up.is_set():
                        self._loaded().handle_chat_completions({**body, "stream": True}, tell)
            except (ValueError, RuntimeError) as problem:
                tell({"error": {"code": 400, "message": str(problem)}})
            finally:
                tell(None)

        # Not a daemon: a thread in native code must not outlive the interpreter.
        threading.Thread(target=work, name="ankrcode-gguf").start()
        try:
            while (chunk := await queue.get()) is not None:
                yield chunk
        finally:
            is_given_up.set()

    def close(self) -> None:
        """The weights go when the last answer is done."""
        self._server = None

    def _loaded(self) -> Any:
        if self._server is None:
            self._server = self._llama.Server(self._parameters())
        return self._server

    def _parameters(self) -> Any:
        """Quiet, small, and closed: its own HTTP port is on loopback, and nobody knows the key."""
        chosen = self._llama.CommonParams()
        chosen.model.path = str(self._path)
        chosen.n_ctx = self._context_tokens
        chosen.n_parallel = 1
        # All cores but one: more threads than free cores make it many times slower.
        threads = max(1, min(_MAX_THREADS, (os.cpu_count() or 1) - 1))
        chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = threads
        chosen.verbosity = -1
        chosen.warmup = chosen.ui = chosen.endpoint_slots = chosen.endpoint_props = False
        chosen.offline = True
        chosen.api_keys = [secrets.token_urlsafe(32)]
        return chosen

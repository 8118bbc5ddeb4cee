"""Someone who swaps a folder for a link to somewhere else and back, while others write there."""

import threading
from pathlib import Path


class Swapper:
    """A thread that swaps a folder for a link to somewhere else and back, again and again."""

    def __init__(self, folder: Path, outside: Path) -> None:
        self._folder, self._outside = folder, outside
        self._aside = folder.with_name("aside")
        self._thread = threading.Thread(target=self._swap)
        self._is_over = threading.Event()
        self.swaps = 0

    def _swap(self) -> None:
        while not self._is_over.is_set():
            self._folder.rename(self._aside)
            self._folder.symlink_to(self._outside)
            self._is_over.wait(0.0005)  # let some writes run into it
            self._folder.unlink()
            self._aside.rename(self._folder)
            self.swaps += 1
            self._is_over.wait(0.001)  # and some get through

    def __enter__(self) -> "Swapper":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

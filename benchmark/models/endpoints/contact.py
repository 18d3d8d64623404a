"""Whether an endpoint was ever reached: one that never was is given up, one that is flaky is not."""

from __future__ import annotations

import threading

from benchmark.domain import UserError

_ENOUGH = 3  # attempts, also where a call is given up after the first: one may have come while the service started


class Contact:
    """What the attempts to connect to one address have come to, over all its users in this process.

    Whatever was answered counts as reached, an error too, and once is enough: a call that is then lost is the failure
    of its question, however long the service is away.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._was_made = False
        self._in_vain = 0
        self.is_given_up = False
        """Whether a call ended the run: those of the sweep's next jobs try once, and need not be as patient again."""

    def made(self) -> None:
        self._was_made = True

    def missed(self) -> None:
        """Note an attempt that found nobody."""
        with self._lock:
            self._in_vain += 1

    def must_be_likely(self, fault: str) -> None:
        """For a call that is given up since it found nobody.

        Raises:
            UserError: nobody was ever found there, in several attempts: every further call would be as vain.
        """
        if not self._was_made and self._in_vain >= _ENOUGH:
            self.is_given_up = True
            raise UserError(
                f"{fault}; nothing was reached there in any attempt.\n"
                "    wanted: a service that takes connections at this address\n"
                "    to do:  start it, or correct base_url=...; what is finished stays, and the same command goes on "
                "from there"
            )


_contacts: dict[str, Contact] = {}
_lock = threading.Lock()


def contact_of(base_url: str) -> Contact:
    """The contact to an endpoint, one per process."""
    with _lock:
        return _contacts.setdefault(base_url, Contact())

"""Workers that outlive their pool: to start one takes longer than most tests."""

from ingest.workers.worker import ENTRY, Place, Worker


class WarmWorkers:
    """Makes workers, and gives those that a pool is done with to the next pool."""

    def __init__(self, place: Place) -> None:
        self.free: list[_Warm] = []
        self._place = place  # of all of them: the caches of any test may be written in

    def __call__(self, place: Place) -> Worker:
        if place.entry != ENTRY:
            return Worker(place)
        if self.free:
            return self.free.pop()
        return _Warm(self, self._place)

    def close(self) -> None:
        for worker in self.free:
            Worker.close(worker)


class _Warm(Worker):
    def __init__(self, among: WarmWorkers, place: Place) -> None:
        super().__init__(place)
        self._among = among

    def close(self) -> None:
        if self.idle and self.ready and not (self.ended or self.holding):
            self._among.free.append(self)
        else:
            super().close()

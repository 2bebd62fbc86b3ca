"""Gaussian mixtures whose number of components the Bayesian information criterion chooses."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.raptor.project import Doubles
from index.raptor.steady import one_thread_of_sklearn

MOST = 50  # components of one mixture, as in the paper
_FLOOR = 1e-6  # added to each variance
_GAIN = 1e-9  # by which share a criterion has to be lower to count as lower


@dataclass(frozen=True, slots=True)
class Mixture:
    """Round clouds of points; float32, so that what is kept is what is used."""

    weights: NDArray[np.float32]  # (k,), sum to 1
    means: NDArray[np.float32]  # (k, r)
    variances: NDArray[np.float32]  # (k,), the same in all directions

    def __len__(self) -> int:
        return len(self.weights)

    def share(self, points: Doubles) -> Doubles:
        """How likely each point (n, r) is of each component: float64 (n, k), rows sum to 1.

        Rounded to 9 digits, so that a last bit tips no scale.
        """
        variances = self.variances.astype(np.float64)
        gaps = points[:, None, :] - self.means[None].astype(np.float64)
        logs = -0.5 * np.einsum("nkr,nkr->nk", gaps, gaps) / variances
        logs += np.log(self.weights.astype(np.float64))
        logs -= 0.5 * points.shape[1] * np.log(variances)
        logs -= logs.max(axis=1, keepdims=True)
        likely = np.exp(logs)
        shares: Doubles = (likely / likely.sum(axis=1, keepdims=True)).round(9)
        return shares

    def only(self, kept: list[int]) -> "Mixture":
        """Without the other components."""
        weights = self.weights[kept]
        return Mixture(weights / weights.sum(), self.means[kept], self.variances[kept])


def best_mixture(points: Doubles, fewest: int, most: int, seed: int) -> Mixture:
    """The mixture of `fewest` to `most` components with the lowest criterion, coarse to fine.

    Covariances are spherical: in the space of the principal axes, full and diagonal ones find next to
    no clusters, as their criterion prefers one wide cloud (measured on paragraphs of articles).

    Args:
        points: float64 (n, r).
        fewest: at least 1.
        most: at most n.
        seed: of the starts by k-means.
    """
    search = _Search(points, seed)
    best = size = fewest
    while size < most and best >= size // 2:  # two doublings without a gain end it
        size = min(most, 2 * size)
        best = search.best([best, size])
    step = best // 4
    while step >= 1:
        near = [k for k in (best - step, best + step) if fewest <= k <= most]
        best = search.best([best, *near])
        step //= 2
    return search.fitted(best)


class _Search:
    """Fits by number of components, each made once."""

    def __init__(self, points: Doubles, seed: int) -> None:
        self._points = points
        self._seed = seed
        self._criteria: dict[int, float] = {}
        self._found: dict[int, Mixture] = {}

    def best(self, sizes: list[int]) -> int:
        """The size with the lowest criterion; of equals the first."""
        chosen = sizes[0]
        for size in sizes[1:]:
            lowest = self._criterion(chosen)
            if self._criterion(size) < lowest - _GAIN * abs(lowest):
                chosen = size
        return chosen

    def fitted(self, size: int) -> Mixture:
        self._criterion(size)
        return self._found[size]

    def _criterion(self, size: int) -> float:
        if size not in self._criteria:
            self._fit(size)
        return self._criteria[size]

    def _fit(self, size: int) -> None:
        import warnings

        from sklearn import config_context
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture

        model = GaussianMixture(
            size, covariance_type="spherical", reg_covar=_FLOOR, random_state=self._seed
        )
        with (
            one_thread_of_sklearn(),
            warnings.catch_warnings(),
            config_context(assume_finite=True, skip_parameter_validation=True),
        ):
            # Fewer distinct points than components, or a slow approach: what was found will do.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self._points)
        n, r = self._points.shape
        # The likelihood of the last step: model.bic would go through all points once more.
        self._criteria[size] = size * (r + 2) * math.log(n) - 2 * n * float(model.lower_bound_)
        self._found[size] = Mixture(
            np.asarray(model.weights_, np.float32),
            np.asarray(model.means_, np.float32),
            np.asarray(model.covariances_, np.float32),
        )

"""The cross-encoder: the frozen encoder's question side reads the passage, layer by layer.

Passage tokens never see the question (as in PreTTR, MacAvaney et al., SIGIR 2020, but through all layers),
so their keys and values are the frozen encoder's. The question's tokens attend, from layer FIRST on, to
themselves and to the passage under one softmax. What is learned: low-rank additions to the question's
side (LoRA, Hu et al. 2021), how open each head is to the passage, and a head that starts as plain late
interaction and adds what the reading tells.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from frozen import FIRST, HEADS, LAYERS, SPECIAL, WIDTH, Layer
from torch import Tensor, nn

RANK = 16
HIDDEN = 64
CLOSED = -2.0  # what a head adds to its scores for passage tokens, at first
EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Pairs:
    """b pairs of a question of at most t tokens and a passage of at most p."""

    start: Tensor  # (b, t, 384) the question before the first reading layer
    plain: Tensor  # (b, t, 384) the question's last states, the passage unread
    question: Tensor  # bool (b, t): is a token
    kv: Tensor | None  # (b, p, reading layers, 768); None: the passage is not read, only compared
    said: Tensor  # (b, p, 384) its last states as unit vectors, centred, unit again; 0: no word
    mean: Tensor  # (b, 384) unit vector of the passage
    passage: Tensor  # bool (b, p)


class Low(nn.Module):
    """x A B: nothing at first."""

    def __init__(self, inward: int, outward: int, rank: int = RANK) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.randn(inward, rank) / math.sqrt(inward))
        self.b = nn.Parameter(torch.zeros(rank, outward))

    def forward(self, x: Tensor) -> Tensor:
        """From (…, inward) to (…, outward)."""
        return x @ self.a @ self.b


class Reading(nn.Module):
    """One layer of the question's side."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        for name in ("qkv", "qkv_bias", "out", "out_bias", "up", "up_bias", "down", "down_bias"):
            self.register_buffer(name, torch.tensor(getattr(layer, name)), persistent=False)
        for name in ("norm", "norm_after"):
            for part, value in zip(("weight", "bias"), getattr(layer, name), strict=True):
                self.register_buffer(f"{name}_{part}", torch.tensor(value), persistent=False)
        inner = self.up.shape[1]
        self.low_qkv = Low(WIDTH, 4 * WIDTH)  # the fourth: queries for the passage
        self.low_out = Low(2 * WIDTH, WIDTH)
        self.low_up = Low(WIDTH, inner)
        self.low_down = Low(inner, WIDTH)
        self.open = nn.Parameter(torch.full((HEADS,), CLOSED))

    def forward(self, x: Tensor, own: Tensor, kv: Tensor, read: Tensor) -> Tensor:
        """From x (b, t, 384), own (b, 1, 1, t) and read (b, 1, 1, p) 0 or -inf, kv (b, p, 768)."""
        q, k, v = F.linear(x, self.qkv.T, self.qkv_bias).chunk(3, -1)
        more_q, more_k, more_v, more_reading = self.low_qkv(x).chunk(4, -1)
        kp, vp = kv.to(x.dtype).chunk(2, -1)
        scale = 1 / math.sqrt(WIDTH // HEADS)
        within = _heads((q + more_q) * scale) @ _heads(k + more_k).transpose(-1, -2) + own
        across = _heads((q + more_reading) * scale) @ _heads(kp).transpose(-1, -2)
        across = across + (read + self.open[:, None, None])
        shares = torch.cat([within, across], -1).softmax(-1)
        t = x.shape[1]
        mine = _joined(shares[..., :t] @ _heads(v + more_v))
        theirs = _joined(shares[..., t:] @ _heads(vp))
        out = F.linear(mine + theirs, self.out.T, self.out_bias)
        out = out + self.low_out(torch.cat([mine, theirs], -1))
        x = _norm(x + out, self.norm_weight, self.norm_bias)
        h = F.gelu(F.linear(x, self.up.T, self.up_bias) + self.low_up(x))
        h = F.linear(h, self.down.T, self.down_bias) + self.low_down(h)
        return _norm(x + h, self.norm_after_weight, self.norm_after_bias)


class CrossEncoder(nn.Module):
    """One logit a pair."""

    def __init__(self, layers: list[Layer], centre: Tensor) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Reading(layer) for layer in layers[FIRST:LAYERS])
        self.register_buffer("centre", centre.clone())
        self.low_question = Low(WIDTH, WIDTH)
        self.weigh = nn.Sequential(nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, 1))
        self.told = nn.Linear(2 * WIDTH + 1, HIDDEN)
        self.tell = nn.Linear(HIDDEN, 1)
        self.whole = nn.Linear(WIDTH, 1)
        self.scale = nn.Parameter(torch.tensor([20.0, 10.0]))  # of late interaction, of the means
        self.bias = nn.Parameter(torch.tensor(-3.0))
        for last in (self.weigh[2], self.tell, self.whole):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, pairs: Pairs, drop: float = 0.0) -> Tensor:
        """Logits (b,)."""
        own = _mask(pairs.question)[:, None, None, :]
        read = _mask(pairs.passage)[:, None, None, :]
        x = pairs.plain if pairs.kv is None else pairs.start
        for i, layer in enumerate(self.layers if pairs.kv is not None else ()):
            assert pairs.kv is not None
            x = layer(x, own, pairs.kv[:, :, i], read)
        matches = self._matches(pairs)
        inside = _inside(pairs.question, SPECIAL["query"])
        weights = (self.weigh(pairs.plain)[..., 0] + _mask(inside)).softmax(-1)
        seen = F.dropout(
            torch.cat([x, pairs.plain, 10 * matches[..., None]], -1), drop, self.training
        )
        told = self.tell(F.gelu(self.told(seen)))[..., 0]
        means = F.cosine_similarity(_mean(pairs.plain, pairs.question), pairs.mean, dim=-1)
        logit = self.scale[0] * (weights * matches).sum(-1) + self.scale[1] * (means - 0.8)
        logit = logit + (weights * told).sum(-1) + self.whole(_mean(x, pairs.question))[..., 0]
        return logit + self.bias

    def _matches(self, pairs: Pairs) -> Tensor:
        """The best cosine of each question token with any of the passage's, (b, t)."""
        asked = F.normalize(pairs.plain, dim=-1) - self.centre
        asked = F.normalize(asked + self.low_question(asked), dim=-1)
        return (asked.to(pairs.said.dtype) @ pairs.said.transpose(-1, -2)).amax(-1).float()


def _heads(x: Tensor) -> Tensor:
    b, t, _ = x.shape
    return x.view(b, t, HEADS, WIDTH // HEADS).transpose(1, 2)


def _joined(x: Tensor) -> Tensor:
    b, _, t, _ = x.shape
    return x.transpose(1, 2).reshape(b, t, WIDTH)


def _norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(x, (WIDTH,), weight, bias, EPSILON)


def _mask(keep: Tensor) -> Tensor:
    return torch.zeros_like(keep, dtype=torch.float32).masked_fill(~keep, -1e4)


def said(top: Tensor, centre: Tensor) -> Tensor:
    """What `Pairs.said` holds of a passage's last states (p, 384)."""
    inside = _inside(torch.ones(1, len(top), dtype=torch.bool), SPECIAL["passage"])[0]
    return F.normalize(F.normalize(top, dim=-1) - centre, dim=-1) * inside[:, None]


def _inside(real: Tensor, first: int) -> Tensor:
    """Without start, prefix and end; all of it where nothing is left."""
    place = torch.arange(real.shape[1], device=real.device)
    length = real.sum(-1, keepdim=True)
    inside = (place >= first) & (place < length - 1)
    return torch.where(inside.any(-1, keepdim=True), inside, real)


def _mean(x: Tensor, real: Tensor) -> Tensor:
    return (x * real[..., None]).sum(-2) / real.sum(-1, keepdim=True)

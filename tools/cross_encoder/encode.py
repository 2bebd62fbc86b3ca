"""What the frozen encoder makes of questions and passages, once, for training and evaluation.

    python tools/cross_encoder/encode.py --bundled DIR --texts FILE --role passage|query --out DIR

FILE holds {id, text} a line (text with its title before it). Written to DIR: ids.json, bounds.npy (n + 1),
and flat float16 arrays over all tokens: top.npy (t, 384) and, for passages, kv.npy (t, reading layers,
768), for questions start.npy (t, 384), the input of the first reading layer.
"""

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from frozen import FIRST, LAYERS, WIDTH, Frozen, keys_and_values

LIMIT = {"query": 64, "passage": 256}


def main() -> None:
    """Encode all texts, one a run, and write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--bundled", type=Path, required=True)
    arguments.add_argument("--texts", type=Path, required=True)
    arguments.add_argument("--role", choices=LIMIT, required=True)
    arguments.add_argument("--out", type=Path, required=True)
    options = arguments.parse_args()
    frozen = Frozen(options.bundled)
    with options.texts.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    rows = [frozen.ids(r["text"], options.role, LIMIT[options.role]) for r in records]
    bounds = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
    options.out.mkdir(parents=True, exist_ok=True)
    total = int(bounds[-1])
    passages = options.role == "passage"
    shape = (total, LAYERS - FIRST, 2 * WIDTH) if passages else (total, WIDTH)
    open_as = np.lib.format.open_memmap
    inner = open_as(options.out / ("kv.npy" if passages else "start.npy"), "w+", np.float16, shape)
    top = open_as(options.out / "top.npy", "w+", np.float16, (total, WIDTH))

    def one(i: int) -> None:
        states = frozen.states(rows[i])
        at = slice(bounds[i], bounds[i + 1])
        top[at] = states[LAYERS]
        if not passages:
            inner[at] = states[FIRST]
            return
        for layer in range(FIRST, LAYERS):
            inner[at, layer - FIRST] = keys_and_values(frozen.layers[layer], states[layer])

    with ThreadPoolExecutor(2) as pool:
        for done, _ in enumerate(pool.map(one, range(len(rows)))):
            if done % 500 == 0:
                print(f"{done} of {len(rows)}, {total} tokens", flush=True)
    inner.flush()
    top.flush()
    np.save(options.out / "bounds.npy", bounds)
    (options.out / "ids.json").write_text(json.dumps([r["id"] for r in records]))


if __name__ == "__main__":
    main()

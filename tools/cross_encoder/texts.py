"""The texts that encode.py is to read, from the pairs.

    python tools/cross_encoder/texts.py --pairs DIR [DIR]... --out DIR

Writes passage.jsonl (those that answer a question, title before text, as the product reads them),
query.jsonl, and questions.json, the questions in the order of query.jsonl.
"""

import argparse
import json
from pathlib import Path


def read(folders: list[Path], name: str) -> list[dict]:
    """Records of a JSONL file of this name, of one folder after the other."""
    records = []
    for folder in folders:
        with (folder / name).open(encoding="utf-8") as lines:
            records += [json.loads(line) for line in lines]
    return records


def write(path: Path, texts: dict[str, str]) -> None:
    """One {id, text} a line."""
    with path.open("w", encoding="utf-8") as out:
        for name, text in texts.items():
            out.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")


def main() -> None:
    """Read and write."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--pairs", type=Path, nargs="+", required=True)
    arguments.add_argument("--out", type=Path, required=True)
    options = arguments.parse_args()
    asked = read(options.pairs, "train.jsonl")
    answers = {record["positive"] for record in asked}
    passages = {
        p["id"]: f"{p['title']}\n{p['text']}" if p["title"] else p["text"]
        for p in read(options.pairs, "passages.jsonl")
        if p["id"] in answers
    }
    queries = [record["query"] for record in asked]
    write(options.out / "passage.jsonl", passages)
    write(options.out / "query.jsonl", {str(i): text for i, text in enumerate(queries)})
    (options.out / "questions.json").write_text(json.dumps(queries, ensure_ascii=False))


if __name__ == "__main__":
    main()

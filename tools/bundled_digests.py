"""Write kb/models/bundled/digests.json; run it after replacing a file of the bundled model."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kb.digest import sha256_file
from kb.models.bundled_files import DIGESTS, MODELS, TOKENIZER, model_file


def main() -> None:
    """Hash the files and write their digests."""
    found = {name: sha256_file(model_file(name)) for name in MODELS}
    found[TOKENIZER.name] = sha256_file(TOKENIZER)
    DIGESTS.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    print(f"wrote {DIGESTS}")


if __name__ == "__main__":
    main()

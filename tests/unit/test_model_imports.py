import subprocess
import sys
from pathlib import Path

HEAVY = ("onnxruntime", "tokenizers", "httpx", "huggingface_hub", "tiktoken")


def test_constructing_an_embedder_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from kb.models import llm_tokens, openai_embedder, hub_embedder, http_post, token_bits\n"
        "from kb.models.load import load_embedder\n"
        "from kb.settings import EmbedSettings\n"
        "load_embedder(EmbedSettings()).fingerprint\n"
        "load_embedder(EmbedSettings(embedder='openai', url='http://localhost')).fingerprint\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr

"""Pages of docs/ that are printed from the compiler's tables are what is printed now."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(("script", "page"), [("language_page.py", "language.md")])
def test_page_is_up_to_date(script: str, page: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / script)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    text = (ROOT / "docs" / page).read_text()
    assert text == printed, f"python tools/{script} > docs/{page}"

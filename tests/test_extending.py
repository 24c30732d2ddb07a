"""The code of each guide in docs/extending compiles in its crate, moved by the guide's steps."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Page, crate, module, its folder, the list of entries.
PAGES = [
    ("queue", "acklab-path", "blue", "qdisc", "DISCIPLINES"),
    ("ack-filter", "acklab-path", "newest", "ack_filter", "FILTERS"),
    ("ack-policy", "acklab-proto", "stretch", "ack", "POLICIES"),
    ("congestion-controller", "acklab-proto", "aimd", "cc", "CONTROLLERS"),
]


def moved(page: str, crate: str) -> str:
    """The page's code by steps 1 to 3."""
    block = re.search(r"```rust\n(.*?)```", page, re.DOTALL)
    assert block
    code = block[1].split("\nlet ", 1)[0]
    steps = page[page.index("## Into the crate") :]
    added = re.findall(r"`(use alloc::[a-z:A-Z]+;)`", steps)
    code = code.replace(crate.replace("-", "_") + "::", "crate::")
    code = code.replace("std::collections", "alloc::collections").replace("std::", "core::")
    code = code.replace("static ENTRY", "pub const ENTRY")
    return "\n".join(["//! From the guide.", *added, code, ""])


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_code_of_each_guide_compiles_inside_its_crate(tmp_path: Path) -> None:
    for part in ("crates", "benches", "fuzz/targets", "Cargo.toml", "Cargo.lock", "clippy.toml"):
        of = ROOT / part
        copy = shutil.copytree if of.is_dir() else shutil.copy
        copy(of, tmp_path / part)
    for page, crate, module, folder, entries in PAGES:
        text = (ROOT / "docs/extending" / f"{page}.md").read_text()
        assert f"`pub mod {module};` to `{folder}/mod.rs`" in text
        into = tmp_path / "crates" / crate / "src" / folder
        (into / f"{module}.rs").write_text(moved(text, crate))
        mods = into / "mod.rs"
        mods.write_text(
            mods.read_text().replace("pub mod registry;", f"pub mod {module};\npub mod registry;")
        )
        registry = into / "registry.rs"
        head = f"{entries}: &[Entry<Build>] = &["
        assert head in registry.read_text()
        registry.write_text(
            registry.read_text().replace(head, f"{head}\n    super::{module}::ENTRY,")
        )
    # Imports that only the page's test uses are the reader's to leave out.
    command = ["cargo", "clippy", "-q", "--locked", "-p", "acklab-proto", "-p", "acklab-path"]
    command += ["--target-dir", str(ROOT / "target/guides")]
    command += ["--", "-D", "warnings", "-A", "unused_imports"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr

//! Notes the commit that is compiled, for results that say what made them.
//!
//! `ACKLAB_COMMIT` wins; then git says it; then the file `COMMIT` that a source distribution has.
//! Without any of them nothing is known, and nothing is said.

// The rules of runs do not bind a build script, which reads where it is built.
#![allow(clippy::disallowed_methods)]

use std::env;
use std::path::Path;
use std::process::Command;

/// Files that decide results: the code, and the versions of its dependencies.
const CODE: [&str; 5] = [
    "crates",
    "python/acklab",
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
];

fn main() {
    let crate_ = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = Path::new(&crate_).join("../..");
    println!("cargo::rerun-if-env-changed=ACKLAB_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=COMMIT");
    for file in [
        "crates",
        "Cargo.toml",
        "Cargo.lock",
        ".git/HEAD",
        ".git/logs/HEAD",
    ] {
        let path = root.join(file);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    let known = env::var("ACKLAB_COMMIT")
        .ok()
        .or_else(|| of_git(&root))
        .or_else(|| std::fs::read_to_string(Path::new(&crate_).join("COMMIT")).ok());
    println!(
        "cargo::rustc-env=ACKLAB_COMMIT={}",
        known.unwrap_or_default().trim()
    );
}

/// The commit, with `+modified` behind it if the code is not quite that; only in a clone of its own.
fn of_git(root: &Path) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    let commit = git(root, &["rev-parse", "HEAD"])?;
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(CODE);
    let modified = if git(root, &status)?.is_empty() {
        ""
    } else {
        "+modified"
    };
    Some(format!("{commit}{modified}"))
}

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let done = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(args)
        .output()
        .ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    done.status.success().then(|| text.trim().to_string())
}

//! Mistakes in a tree as a scenario writes it.

use super::class::{KEYS, LEVELS};
use super::config::{depth, is_leaf, word};
use crate::qdisc::registry::{At, Mistake};
use acklab_proto::registry::Params;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The mistake in one class: the key, the mistake, a value that would be right.
pub(crate) type Wrong = (&'static str, &'static str, &'static str);

/// The mistake in a tree of which `key` has the classes, and `check` looks at one.
pub(crate) fn check_tree(
    values: &Params,
    key: &'static str,
    check: &dyn Fn(&Params) -> Option<Wrong>,
) -> Option<Mistake> {
    let classes = values.tables(key);
    let mistake = |i: usize, inner: &'static str, message: String, hint: String| {
        Some(Mistake {
            at: [At::Key(key), At::Index(i), At::Key(inner)].into(),
            message,
            hint,
        })
    };
    if classes.is_empty() {
        let hint = format!("write {key} = [{{ rate = ... }}, ...]");
        return Some(Mistake::in_key(key, "a tree without classes", hint));
    }
    for (i, class) in classes.iter().enumerate() {
        if let Some((inner, message, hint)) = check(class) {
            return mistake(i, inner, message.to_string(), hint.to_string());
        }
        if let Some(parent) = word(class, "parent") {
            let known = classes[..i].iter().any(|c| word(c, "name") == Some(parent));
            if !known {
                let message = format!("no class before this one is called `{parent}`");
                return mistake(i, "parent", message, parents(&classes[..i]));
            }
        }
        let name = word(class, "name");
        if name.is_some() && classes[..i].iter().any(|c| word(c, "name") == name) {
            let message = "another class has this name".to_string();
            return mistake(
                i,
                "name",
                message,
                "give each a name of its own".to_string(),
            );
        }
        if depth(classes, i) >= LEVELS {
            let hint = format!("write at most {LEVELS} levels");
            return mistake(i, "parent", "the tree is too deep".to_string(), hint);
        }
    }
    check_leaves(classes, key, &mistake)
}

/// The values that would be right for `parent` after these classes.
fn parents(before: &[Params]) -> String {
    let names = before.iter().filter_map(|c| word(c, "name"));
    let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    match names.is_empty() {
        true => "give the class above a name, before its children, or leave this out".to_string(),
        false => format!("write {}, or leave it out", names.join(" or ")),
    }
}

/// The first condition of a class on packets.
fn condition(class: &Params) -> Option<&'static str> {
    KEYS.into_iter().find(|key| !class.names(key).is_empty())
}

fn check_leaves(
    classes: &[Params],
    key: &'static str,
    mistake: &dyn Fn(usize, &'static str, String, String) -> Option<Mistake>,
) -> Option<Mistake> {
    let mut leaves = Vec::new();
    for (i, class) in classes.iter().enumerate() {
        if is_leaf(classes, i) {
            leaves.push(i);
            continue;
        }
        let leaf_only = condition(class).or(class.block("child").map(|_| "child"));
        if let Some(key) = leaf_only {
            let message = "packets wait in the classes below this one".to_string();
            return mistake(i, key, message, "write it there".to_string());
        }
    }
    let mut leaves = leaves.into_iter();
    let Some(open) = leaves.find(|i| condition(&classes[*i]).is_none()) else {
        let last = (0..classes.len()).rfind(|i| is_leaf(classes, *i))?;
        let message = "nothing takes the packets that no class takes".to_string();
        let hint = "add a last class without `flow`, `from`, `to` and `dscp`".to_string();
        return mistake(last, condition(&classes[last])?, message, hint);
    };
    Some(unreached(classes, key, open, leaves.next()?))
}

/// The class `open` takes every packet, and the class `lost` comes after it.
fn unreached(classes: &[Params], key: &'static str, open: usize, lost: usize) -> Mistake {
    let of = if key == "queues" { "queue" } else { "class" };
    let called = |i: usize| match word(&classes[i], "name") {
        Some(name) => format!("{of} `{name}`"),
        None => format!("{of} {}", i + 1),
    };
    let (open, name) = (called(open), called(lost));
    Mistake {
        at: [At::Key(key), At::Index(lost)].into(),
        message: format!(
            "{name} is never reached: {open} comes before it, has no condition and takes every packet"
        ),
        hint: format!("put {open} last, or give it a condition: `flow`, `from`, `to` or `dscp`"),
    }
}

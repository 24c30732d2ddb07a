//! Wireshark's dissector for TACK, in Lua.
//!
//! The tables in it are made of [`layout`], the description that tests hold against the codec. What
//! reads packets by them is `dissector.lua`.

use acklab_proto::tack::wire::VERSION;
use acklab_proto::tack::wire::layout::{CONTROL, DATA, DATA_FLAGS, Flag, Item, Kind, Layout};
use std::fmt::Write;

const READER: &str = include_str!("dissector.lua");

/// The dissector's source.
pub fn tack_lua() -> String {
    let mut tables = format!("local VERSION = {VERSION}\n");
    let frames: Vec<_> = CONTROL
        .iter()
        .map(|l| format!("  [{}] = {},\n", l.kind, layout(l)))
        .collect();
    let _ = write!(tables, "local CONTROL = {{\n{}}}\n", frames.concat());
    let _ = writeln!(tables, "local DATA = {}", layout(&DATA));
    let _ = writeln!(tables, "local DATA_FLAGS = {}", flags(DATA_FLAGS));
    READER.replace("@TABLES@", &tables)
}

fn layout(l: &Layout) -> String {
    let (kind, name) = (l.kind, l.name);
    format!(
        "{{ kind = {kind}, name = {name:?}, items = {} }}",
        items(l.items)
    )
}

fn items(all: &[Item]) -> String {
    list(all.iter().map(item))
}

fn list(all: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", all.collect::<Vec<_>>().join(", "))
}

fn flags(all: &[Flag]) -> String {
    list(
        all.iter()
            .map(|f| format!("{{ {}, {:?}, {:?} }}", f.mask, f.name, f.text)),
    )
}

fn item(i: &Item) -> String {
    match i {
        Item::Field(f) => {
            let kind = match f.kind {
                Kind::Byte => "byte",
                Kind::Word => "word",
                Kind::Varint => "varint",
            };
            format!("{{ {kind:?}, {:?}, {:?} }}", f.name, f.text)
        }
        Item::Flags(all) => format!("{{ \"flags\", {} }}", flags(all)),
        Item::Choice(f, known) => {
            let known = list(
                known
                    .iter()
                    .map(|(code, name)| format!("[{code}] = {name:?}")),
            );
            format!("{{ \"choice\", {:?}, {:?}, {known} }}", f.name, f.text)
        }
        Item::IfFlag(mask, then) => format!("{{ \"if_flag\", {mask}, {} }}", items(then)),
        Item::IfChoice(code, then) => format!("{{ \"if_choice\", {code}, {} }}", items(then)),
        Item::Group(all) => format!("{{ \"group\", {} }}", items(all)),
        Item::Blocks { name, text, down } => {
            format!("{{ \"blocks\", {name:?}, {text:?}, {down} }}")
        }
    }
}

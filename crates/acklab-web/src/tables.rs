//! Tables as parts of an answer.

use crate::parts::Part;
use acklab_sim::columns::{Column, Numbers, Table};
use serde::Serialize;
use std::collections::HashMap;

/// A table whose columns are parts of the answer.
#[derive(Debug, Serialize)]
pub(crate) struct Told {
    name: &'static str,
    rows: usize,
    columns: Vec<Heading>,
}

#[derive(Debug, Serialize)]
struct Heading {
    name: String,
    unit: &'static str,
    #[serde(flatten)]
    what: What,
}

/// Kind of a column, and the numbers of its parts.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum What {
    Numbers {
        #[serde(rename = "type")]
        of: &'static str,
        part: usize,
    },
    Words {
        words: Vec<String>,
        part: usize,
    },
    Lists {
        #[serde(rename = "type")]
        of: &'static str,
        part: usize,
        ends: usize,
    },
}

/// Adds the columns of `table` to `parts`.
pub(crate) fn tell(name: &'static str, table: Table<'_>, parts: &mut Vec<Part>) -> Told {
    let rows = table.rows();
    let columns = table.into_columns().map(|(name, column)| Heading {
        unit: unit(&name),
        name,
        what: what(column, parts),
    });
    Told {
        name,
        rows,
        columns: columns.collect(),
    }
}

fn what(column: Column<'_>, parts: &mut Vec<Part>) -> What {
    match column {
        Column::Numbers(numbers) => {
            let (of, part) = part(numbers);
            What::Numbers {
                of,
                part: add(parts, part),
            }
        }
        Column::Words(words) => {
            let (words, codes) = coded(words);
            What::Words {
                words,
                part: add(parts, Part::I32(codes)),
            }
        }
        // Each is another text.
        Column::Texts(words) => {
            let codes = (0..words.len() as i32).collect();
            What::Words {
                words,
                part: add(parts, Part::I32(codes)),
            }
        }
        Column::Coded { words, codes } => What::Words {
            words,
            part: add(parts, Part::I32(codes)),
        },
        Column::Lists { flat, ends } => {
            let (of, flat) = part(flat);
            let ends = ends.into_iter().map(|end| end as u32).collect();
            What::Lists {
                of,
                part: add(parts, flat),
                ends: add(parts, Part::U32(ends)),
            }
        }
    }
}

fn add(parts: &mut Vec<Part>, part: Part) -> usize {
    parts.push(part);
    parts.len() - 1
}

/// Numbers as JavaScript takes them: 64 bits become doubles, exact up to 2 to the 53rd.
fn part(numbers: Numbers) -> (&'static str, Part) {
    match numbers {
        Numbers::Bool(v) => ("bool", Part::Bytes(v.into_iter().map(u8::from).collect())),
        Numbers::U8(v) => ("u8", Part::Bytes(v)),
        Numbers::U16(v) => ("u16", Part::U16(v)),
        Numbers::U32(v) => ("u32", Part::U32(v)),
        Numbers::U64(v) => ("u64", Part::F64(v.into_iter().map(|n| n as f64).collect())),
        Numbers::F64(v) => ("f64", Part::F64(v)),
    }
}

/// Each word once, in the order of their first rows, and the word of each row.
fn coded(rows: Vec<&str>) -> (Vec<String>, Vec<i32>) {
    let mut known = HashMap::new();
    let mut words = Vec::new();
    let codes = rows.into_iter().map(|word| {
        *known.entry(word).or_insert_with(|| {
            words.push(word.to_owned());
            words.len() as i32 - 1
        })
    });
    let codes = codes.collect();
    (words, codes)
}

/// The unit that a column's name ends in; empty for counts, shares and words.
fn unit(name: &str) -> &'static str {
    let Some((what, unit)) = name.rsplit_once('_') else {
        return "";
    };
    match unit {
        "s" if what.ends_with("_per") => "per s",
        "s" => "s",
        "ms" => "ms",
        "ns" => "ns",
        "hz" => "Hz",
        "mbps" => "Mbit/s",
        "bytes" => "bytes",
        "packets" => "packets",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_what_names_end_in() {
        let units = ["rtt_p95_ms", "acks_per_s", "goodput_mbps", "flow", "time_s"].map(unit);
        assert_eq!(units, ["ms", "per s", "Mbit/s", "", "s"]);
    }

    #[test]
    fn words_are_kept_once() {
        let (words, codes) = coded(vec!["a", "b", "a"]);
        assert_eq!((words.join(" "), codes), ("a b".to_owned(), vec![0, 1, 0]));
    }
}

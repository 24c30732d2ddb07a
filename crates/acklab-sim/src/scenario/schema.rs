//! The JSON Schema of the scenario language, with the names and parameters that exist.

use super::choice::elsewhere::{self, Elsewhere};
use super::registries::Registries;
use super::spec::Spec;
use acklab_path::qdisc::registry::{Build, Counts};
use acklab_path::wifi::mac::queue::registry::QUEUES;
use acklab_path::wifi::propagation::registry::{FADINGS, PATH_LOSSES};
use acklab_path::wifi::rate::registry::CONTROLS;
use acklab_proto::registry::{Entry, Kind, Named, Param, Value};
use acklab_units::Rate;
use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value as Json, json};

/// The schema as a JSON value.
pub fn schema() -> Json {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Spec>().to_value();
    schema["$defs"]["InnerDiscipline"] = inner_discipline();
    tighten(&mut schema);
    schema
}

/// Gaps of derived schemas: numbers above the 32 bits that hold them, and null, which the loader
/// takes for a key that was left out and nobody should be offered.
fn tighten(schema: &mut Json) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(tighten),
        Json::Object(object) => {
            without_null(object);
            if object.get("format") == Some(&json!("uint32")) {
                object.entry("maximum").or_insert(json!(u32::MAX));
            }
            object.values_mut().for_each(tighten);
        }
        _ => {}
    }
}

/// Takes the null out of `"type": ["string", "null"]` and of `"anyOf": [..., { "type": "null" }]`, and
/// defaults that say nothing else.
fn without_null(object: &mut Map<String, Json>) {
    object.retain(|key, value| key != "default" || !value.is_null());
    if let Some(Json::Array(types)) = object.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_string(), only);
        }
    }
    if let Some(Json::Array(forms)) = object.get_mut("anyOf") {
        forms.retain(|f| f != &json!({ "type": "null" }));
        if let [Json::Object(only)] = forms.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

/// The schema as it is published in `docs/schema/scenario.schema.json`.
pub fn schema_text() -> String {
    let mut text = serde_json::to_string_pretty(&schema())
        .unwrap_or_else(|e| unreachable!("a schema is JSON: {e}"));
    text.push('\n');
    text
}

/// Transports.
pub(crate) fn transport_schema() -> Schema {
    choices(Registries::builtin().transport, &[])
}

/// Congestion controllers.
pub(crate) fn cc_schema() -> Schema {
    choices(Registries::builtin().cc, &[])
}

/// ACK policies.
pub(crate) fn ack_schema() -> Schema {
    choices(Registries::builtin().ack, &[])
}

/// ACK filters, and the word for having none.
pub(crate) fn filter_schema() -> Schema {
    choices(Registries::builtin().filter, &["none"])
}

/// Queue disciplines.
pub(crate) fn qdisc_schema() -> Schema {
    let entries = Registries::builtin().qdisc;
    let names = entries.iter().flat_map(names_alone);
    forms(names, entries.iter().map(discipline))
}

/// Path losses of radio channels.
pub(crate) fn path_loss_schema() -> Schema {
    choices(PATH_LOSSES, &[])
}

/// Fadings of radio channels.
pub(crate) fn fading_schema() -> Schema {
    choices(FADINGS, &[])
}

/// Rate controls of radio channels.
pub(crate) fn rate_control_schema() -> Schema {
    choices(CONTROLS, &[])
}

/// Ways of queueing in the stations of radio channels.
pub(crate) fn station_queue_schema() -> Schema {
    let Registries { qdisc, .. } = Registries::builtin();
    let names = QUEUES
        .iter()
        .flat_map(names_alone)
        .chain(qdisc.iter().flat_map(names_alone));
    forms(
        names,
        QUEUES.iter().map(table).chain(qdisc.iter().map(discipline)),
    )
}

fn choices<B>(entries: &[Entry<B>], more: &[&'static str]) -> Schema {
    let names = entries.iter().flat_map(names_alone);
    forms(names.chain(more.iter().copied()), entries.iter().map(table))
}

/// One of these names, or one of these tables.
fn forms(names: impl Iterator<Item = &'static str>, tables: impl Iterator<Item = Json>) -> Schema {
    let names: Vec<&str> = names.collect();
    let mut forms = vec![json!({ "enum": names })];
    forms.extend(tables);
    json_schema!({ "anyOf": forms })
}

/// Names of a block that needs nothing beside its name.
fn names_alone<B>(entry: &Entry<B>) -> impl Iterator<Item = &'static str> {
    let alone = needed(entry.params).next().is_none();
    names_of(entry).filter(move |_| alone)
}

fn names_of<B>(entry: &Entry<B>) -> impl Iterator<Item = &'static str> {
    std::iter::once(entry.name).chain(entry.aliases.iter().copied())
}

/// A table with these keys.
fn items(specs: &[Param]) -> Json {
    let properties: Map<_, _> = specs
        .iter()
        .map(|p| (p.name.to_string(), param(p)))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": needed(specs).collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

/// Keys without a default: lists of tables, and rates of shapers.
fn needed(specs: &[Param]) -> impl Iterator<Item = &'static str> {
    let unlimited = Value::Rate(Rate::MAX);
    let needed = move |p: &&Param| matches!(p.kind, Kind::Tables(_)) || p.default == unlimited;
    specs.iter().filter(needed).map(|p| p.name)
}

fn one_or_more(one: &Json) -> Json {
    json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
}

/// A queue discipline inside another one, which has the limit of its queue with it unless packets wait
/// further inside.
fn inner_discipline() -> Json {
    let entries = Registries::builtin().qdisc;
    let names = entries.iter().flat_map(names_alone);
    let tables = entries.iter().map(|entry| {
        let mut form = discipline(entry);
        if let Some(limit) = inner_limit(entry.build.counts) {
            form["properties"]["queue"] = limit;
        }
        form
    });
    forms(names, tables).to_value()
}

/// The limit of a queue inside another discipline, which knows no bandwidth-delay product.
fn inner_limit(counts: Counts) -> Option<Json> {
    let packets = json!({
        "type": "string",
        "description": "Write a number of packets, such as \"40 packets\".",
        "examples": ["40 packets", "1000 packets"],
        "pattern": r"^\s*[0-9_]+\s*(p|pkts?|packets?)\s*$",
    });
    let bytes = json!({ "$ref": "#/$defs/Size" });
    match counts {
        Counts::Packets => Some(packets),
        Counts::Bytes => Some(bytes),
        Counts::Either => Some(json!({ "anyOf": [packets, bytes] })),
        Counts::Inside | Counts::Memory => None,
    }
}

/// A queue discipline, with the parameters of tc's that may only say what is so in any case.
fn discipline(entry: &Entry<Build>) -> Json {
    let mut form = table(entry);
    for (key, always, hint) in elsewhere::of(entry.name).filter_map(Elsewhere::accepted) {
        let hint = hint.to_string();
        form["properties"][key] = json!({ "const": always, "description": hint });
    }
    form
}

fn table<B>(entry: &Entry<B>) -> Json {
    let names: Vec<&str> = names_of(entry).collect();
    let mut properties = Map::new();
    properties.insert("name".to_string(), json!({ "enum": names }));
    for p in entry.params {
        match p.name.split_once('.') {
            None => {
                properties.insert(p.name.to_string(), param(p));
            }
            Some((outer, inner)) => {
                let group = properties.entry(outer).or_insert_with(
                    || json!({ "type": "object", "properties": {}, "additionalProperties": false }),
                );
                group["properties"][inner] = param(p);
            }
        }
    }
    json!({
        "type": "object",
        "description": format!("{} ({})", entry.summary, entry.source),
        "properties": properties,
        "required": std::iter::once("name").chain(needed(entry.params)).collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

fn param(p: &Param) -> Json {
    let mut schema = kind(p.kind);
    if let Some(object) = schema.as_object_mut() {
        let default = super::choice::show(p.default);
        let text = match p.kind.is_nested() || p.default == Value::Rate(Rate::MAX) {
            true => p.doc.to_string(),
            false => format!("{} Default: {default}.", p.doc),
        };
        object.insert("description".to_string(), json!(text));
    }
    schema
}

fn kind(kind: Kind) -> Json {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Int(lo, hi) => json!({ "type": "integer", "minimum": lo, "maximum": hi }),
        Kind::Float(lo, hi) => float(lo, hi),
        Kind::Span(..) => json!({ "$ref": "#/$defs/Time" }),
        Kind::OptSpan(..) => {
            json!({ "anyOf": [{ "const": "none" }, { "$ref": "#/$defs/Time" }] })
        }
        Kind::Rate => json!({ "$ref": "#/$defs/Rate" }),
        Kind::OptRate => json!({ "anyOf": [{ "const": "none" }, { "$ref": "#/$defs/Rate" }] }),
        Kind::Size(..) | Kind::AutoSize(..) => json!({ "$ref": "#/$defs/Size" }),
        Kind::Block => json!({ "$ref": "#/$defs/InnerDiscipline" }),
        Kind::Tables(specs) => json!({ "type": "array", "items": items(specs), "minItems": 1 }),
        Kind::Name => json!({ "type": "string" }),
        Kind::Names(Named::Dscp) => one_or_more(&json!({ "anyOf": [
            { "type": "string", "examples": ["EF", "AF41", "CS1", "LE"] },
            { "type": "integer", "minimum": 0, "maximum": 63 },
        ] })),
        Kind::Names(_) => one_or_more(&json!({ "type": "string" })),
        Kind::Choice(words) => json!({ "enum": words }),
    }
}

/// JSON has no infinity: a bound that does not bind is left out.
fn float(lo: f64, hi: f64) -> Json {
    let mut schema = Map::from_iter([("type".to_string(), json!("number"))]);
    for (key, bound) in [("minimum", lo), ("maximum", hi)] {
        if bound.is_finite() {
            schema.insert(key.to_string(), json!(bound));
        }
    }
    Json::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/scenario.schema.json"
    );

    /// Set `ACKLAB_BLESS=1` to write the schema anew after a change of the language or of a
    /// registry.
    #[test]
    #[cfg_attr(miri, ignore)]
    #[expect(
        clippy::disallowed_methods,
        reason = "the published file is what is tested"
    )]
    fn the_published_schema_is_current() {
        if std::env::var_os("ACKLAB_BLESS").is_some() {
            std::fs::write(PUBLISHED, schema_text()).unwrap();
        }
        let published = std::fs::read_to_string(PUBLISHED).unwrap_or_default();
        assert!(
            published == schema_text(),
            "docs/schema/scenario.schema.json is out of date: run \
             ACKLAB_BLESS=1 cargo test -p acklab-sim published_schema"
        );
    }

    #[test]
    fn nothing_may_be_null() {
        assert!(!schema_text().contains("null"));
    }

    #[test]
    fn quantities_that_parameters_refer_to_are_defined() {
        let schema = schema();
        for name in ["Time", "Rate", "Size", "QueueLimit", "QueueDiscipline"] {
            assert!(schema["$defs"].get(name).is_some(), "{name}");
        }
    }
}

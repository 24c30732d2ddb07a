//! The doorway between a web page and the core, compiled to WebAssembly.
//!
//! A request is a text in JSON. An answer is a text in JSON, and beside it the columns and captures
//! that it refers to by number. [`answer`] is all there is; `door` hands both over the border. The
//! interface is written by hand in C's calling convention and needs no imports.

#![deny(unsafe_code)]

mod check;
#[cfg(target_arch = "wasm32")]
mod door;
mod network;
mod parts;
mod request;
mod run;
mod tables;

pub use parts::{Answer, Part};

use request::Request;
use serde_json::json;

/// The answer to a request.
pub fn answer(request: &str) -> Answer {
    match serde_json::from_str(request) {
        Ok(Request::Check(around)) => check::check(&around),
        Ok(Request::Run(run)) => run::run(&run),
        Ok(Request::Schema) => Answer::of(&acklab_sim::scenario::schema()),
        Ok(Request::Catalogue) => Answer::of(&catalogue()),
        Ok(Request::Version) => Answer::of(&json!(env!("CARGO_PKG_VERSION"))),
        Ok(Request::Fail { words }) => panic!("{words}"),
        Err(e) => Answer::of(&json!({ "failed": format!("the request cannot be read: {e}") })),
    }
}

fn catalogue() -> serde_json::Value {
    let kinds = acklab_sim::catalogue::KINDS;
    let blocks = kinds.map(|k| (k, acklab_sim::catalogue::catalogue(k)));
    blocks
        .iter()
        .map(|(k, b)| ((*k).to_owned(), json!(b)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn asked(request: &Value) -> Value {
        serde_json::from_str(&answer(&request.to_string()).text).unwrap()
    }

    #[test]
    fn the_catalogue_has_every_controller_and_the_schema_its_tables() {
        let catalogue = asked(&json!({ "what": "catalogue" }));
        let controllers = catalogue["cc"].as_array().unwrap();
        assert!(controllers.iter().any(|c| c["name"] == "bbr3"));
        let schema = asked(&json!({ "what": "schema" }));
        assert!(schema["properties"]["topology"].is_object(), "{schema}");
    }

    #[test]
    fn a_request_that_is_none_is_told() {
        let told = asked(&json!({ "what": "dance" }));
        let text = told["failed"].as_str().unwrap();
        assert!(text.contains("dance"), "{text}");
    }
}

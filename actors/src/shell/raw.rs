//! Bytes in JSON: text where they are UTF-8, `{"base64": …}` where they are not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Base64 { base64: String },
}

pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => Form::Base64 { base64: STANDARD.encode(bytes) }.serialize(serializer),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Form::deserialize(deserializer)? {
        Form::Text(text) => Ok(text.into_bytes()),
        Form::Base64 { base64 } => STANDARD.decode(base64).map_err(D::Error::custom),
    }
}

/// The same for a value that may be absent.
pub(crate) mod optional {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => super::serialize(bytes, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        #[derive(Deserialize)]
        struct Wrapped(#[serde(with = "super")] Vec<u8>);
        Ok(Option::<Wrapped>::deserialize(deserializer)?.map(|w| w.0))
    }
}

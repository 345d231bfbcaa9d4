//! GS1 element strings: what is written can be read again.

use barcode::code128::FNC1;
use barcode::gs1::ElementString;
use barcode::BarcodeError;

fn roundtrip(fields: &[(&str, &str)]) -> ElementString {
    let mut elements = ElementString::new();
    for (ai, value) in fields {
        elements.push(ai, value).unwrap();
    }
    ElementString::parse(&elements.to_payload()).unwrap()
}

#[test]
fn lot_number_at_the_end_needs_no_separator() {
    let parsed = roundtrip(&[("01", "09506000134352"), ("17", "241231"), ("10", "LOT7")]);
    assert_eq!(parsed.get("10"), Some("LOT7"));
    assert_eq!(parsed.get("17"), Some("241231"));
}

#[test]
fn two_fields_of_variable_length_are_set_apart() {
    let parsed = roundtrip(&[("10", "LOT7"), ("21", "SERIAL9")]);
    assert_eq!(parsed.get("10"), Some("LOT7"));
    assert_eq!(parsed.get("21"), Some("SERIAL9"));
}

#[test]
fn payload_of_a_scanner_with_leading_fnc1() {
    let text = format!("{FNC1}10LOT7{FNC1}3103001250");
    let parsed = ElementString::parse(&text).unwrap();
    assert_eq!(parsed.get("3103"), Some("001250"));
}

#[test]
fn expiry_date_of_wrong_length_is_refused() {
    let err = ElementString::new().push("17", "2412").unwrap_err();
    assert_eq!(err, BarcodeError::BadElement { ai: "17".into(), reason: "wrong length" });
}

//! Writes the label of one parcel to label.svg.
//!
//! Usage: print_label HB000000001GB LOT7 1250

use std::env;
use std::fs;
use std::process::exit;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [tracking_no, lot, grams] = args.as_slice() else {
        eprintln!("usage: print_label <tracking number> <lot> <grams>");
        exit(2);
    };
    let grams = grams.parse().unwrap_or_else(|_| {
        eprintln!("the weight must be a whole number of grams");
        exit(2);
    });
    match barcode::parcel_label_svg(tracking_no, lot, grams) {
        Ok(svg) => fs::write("label.svg", svg).expect("label.svg can be written"),
        Err(err) => {
            eprintln!("cannot encode the label: {err}");
            exit(1);
        }
    }
}

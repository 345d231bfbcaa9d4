//! Barcodes for parcel labels: linear codes for the belt scanners, square
//! codes for the phones of the receivers.
//!
//! The crate has no dependencies, so that the label printers can run it too.

pub mod bitbuf;
pub mod code128;
pub mod ean13;
pub mod error;
pub mod gs1;

pub mod qr {
    pub mod mask;
    pub mod matrix;
    pub mod reed_solomon;
}

pub mod render {
    pub mod raster;
    pub mod svg;
}

pub use error::BarcodeError;

use code128::Encoder;
use gs1::ElementString;
use render::svg::SvgOptions;

/// The bars of a linear code: `true` is dark, one entry for each module.
pub type Modules = Vec<bool>;

/// What stands on a parcel label, as one SVG picture.
pub fn parcel_label_svg(tracking_no: &str, lot: &str, weight_g: u32) -> Result<String, BarcodeError> {
    let mut elements = ElementString::new();
    elements.push("400", tracking_no)?;
    elements.push("10", lot)?;
    elements.push("3103", &format!("{:06}", weight_g))?;
    let modules = Encoder::new().with_fnc1().encode(&elements.to_payload())?;
    Ok(render::svg::linear(&modules, &SvgOptions::default()))
}

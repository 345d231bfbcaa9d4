//! Barcodes as SVG, for mails and for the web app.

use crate::qr::matrix::Matrix;
use crate::Modules;
use std::fmt::Write;

#[derive(Debug, Clone)]
pub struct SvgOptions {
    pub module_width: u32,
    pub height: u32,
    pub quiet_zone: u32,
    pub dark: String,
}

impl Default for SvgOptions {
    fn default() -> Self {
        Self { module_width: 2, height: 80, quiet_zone: 10, dark: "#000".to_string() }
    }
}

fn open(out: &mut String, width: u32, height: u32, fill: &str) {
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         shape-rendering=\"crispEdges\"><path fill=\"{fill}\" d=\""
    )
    .expect("writing to a string");
}

/// Neighbouring dark modules become one rectangle, which keeps the file small.
pub fn linear(modules: &Modules, options: &SvgOptions) -> String {
    let unit = options.module_width;
    let width = (modules.len() as u32 + 2 * options.quiet_zone) * unit;
    let mut out = String::new();
    open(&mut out, width, options.height, &options.dark);
    let mut at = 0;
    while at < modules.len() {
        let run = modules[at..].iter().take_while(|m| **m == modules[at]).count();
        if modules[at] {
            let x = (at as u32 + options.quiet_zone) * unit;
            let w = run as u32 * unit;
            write!(out, "M{x} 0h{w}v{h}h-{w}z", h = options.height).expect("writing to a string");
        }
        at += run;
    }
    out.push_str("\"/></svg>");
    out
}

/// A square code; the quiet zone is four modules, whatever the options say.
pub fn square(matrix: &Matrix, options: &SvgOptions) -> String {
    const ZONE: usize = 4;
    let unit = options.module_width as usize;
    let side = ((matrix.size() + 2 * ZONE) * unit) as u32;
    let mut out = String::new();
    open(&mut out, side, side, &options.dark);
    for y in 0..matrix.size() {
        for x in 0..matrix.size() {
            if matrix.is_dark(x, y) {
                let (left, top) = ((x + ZONE) * unit, (y + ZONE) * unit);
                write!(out, "M{left} {top}h{unit}v{unit}h-{unit}z").expect("writing to a string");
            }
        }
    }
    out.push_str("\"/></svg>");
    out
}

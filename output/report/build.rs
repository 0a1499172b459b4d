//! Copies the built viewer page to where the crate can embed it.
//!
//! The page is built by Node, which cargo must not need: without it the crate builds all the same, and only the HTML
//! report says that it's missing.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(plimsoll_viewer)");
    let viewer =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../viewer");
    let page = viewer.join("dist/index.html");
    if page.is_file() {
        let copy = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("viewer.html");
        fs::copy(&page, copy).expect("the viewer page can be copied to OUT_DIR");
        println!("cargo::rustc-cfg=plimsoll_viewer");
        println!("cargo::rerun-if-changed={}", page.display());
    } else {
        // A watched file that doesn't exist would run this at every build; the folder changes when the page appears.
        println!("cargo::rerun-if-changed={}", viewer.display());
    }
}

//! Plots the curves of the preset `article`, S and C, into `docs/curves.svg`: `cargo run --example plot_curves`.

use std::error::Error;
use std::fs;

use buxtehude::articles::evaluation::{CURVES, CarrotCurve};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Width and height of the plot.
const SIZE: (u32, u32) = (1200, 420);

/// Largest number of carrots plotted.
const SHOWN_CARROTS: usize = 150;

/// Colours that colour-blind readers can distinguish. Source: M. Okabe and K. Ito, "Color universal design" (2008).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(0, 158, 115), RGBColor(230, 159, 0), RGBColor(213, 94, 0)];

/// One coordinate system.
struct Panel {
    title: &'static str,
    argument: &'static str,
    curves: Vec<Curve>,
    /// Place of the legend, clear of the curves.
    names: SeriesLabelPosition,
}

/// A line with its name.
type Curve = (String, Vec<(i32, i32)>);

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/curves.svg");
    fs::write(path, draw()?)?;
    println!("{path}");
    Ok(())
}

/// Draws the plot as SVG; the same curves always give the same file.
pub fn draw() -> Result<String, Box<dyn Error>> {
    let mut picture = String::new();
    {
        let area = SVGBackend::with_string(&mut picture, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let panels = area.split_evenly((1, 3));
        for (area, panel) in panels.iter().zip(panels_of_preset()) {
            draw_panel(area, &panel)?;
        }
        area.present()?;
    }
    Ok(picture)
}

fn panels_of_preset() -> [Panel; 3] {
    let [first_half, second_half, way_home] = &CURVES.carrots;
    [
        Panel {
            title: "S",
            argument: "lettuce squares ahead",
            curves: lettuces(),
            names: SeriesLabelPosition::LowerRight,
        },
        Panel {
            title: "C[0] and C[1]",
            argument: "carrots held",
            curves: vec![
                of_carrots("C[0], squares 0 to 31", first_half),
                of_carrots("C[1], squares 32 to 63", second_half),
            ],
            names: SeriesLabelPosition::LowerRight,
        },
        Panel {
            title: "C[2]",
            argument: "carrots held",
            curves: vec![of_carrots("C[2], the way home can be paid", way_home)],
            names: SeriesLabelPosition::LowerLeft,
        },
    ]
}

fn lettuces() -> Vec<Curve> {
    let rows = CURVES.lettuces.iter().enumerate();
    let name = |lettuces| format!("{lettuces} in hand");
    rows.map(|(lettuces, row)| (name(lettuces), (0..).zip(row.iter().copied()).collect())).collect()
}

fn of_carrots(name: &str, curve: &CarrotCurve) -> Curve {
    let points = (0..).zip(curve[..=SHOWN_CARROTS].iter().copied());
    (name.to_string(), points.collect())
}

fn draw_panel(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    panel: &Panel,
) -> Result<(), Box<dyn Error>> {
    let points = || panel.curves.iter().flat_map(|(_, points)| points);
    let right = points().map(|point| point.0).max().unwrap_or(1);
    let lowest = points().map(|point| point.1).min().unwrap_or(0).min(0);
    let highest = points().map(|point| point.1).max().unwrap_or(1);
    // Margins, larger at the bottom for the legend.
    let air = (highest - lowest) / 16;
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0..right, lowest - 3 * air..highest + air)?;
    chart
        .configure_mesh()
        .x_desc(panel.argument)
        .y_desc("worth")
        .x_labels(6)
        .y_labels(12)
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for ((name, points), colour) in panel.curves.iter().zip(COLOURS) {
        let style = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], style));
    }
    chart
        .configure_series_labels()
        .position(panel.names.clone())
        .label_font(("sans-serif", 14))
        .background_style(WHITE.mix(0.8))
        .draw()?;
    Ok(())
}

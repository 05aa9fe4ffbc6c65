//! Plot of the calibration curves.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::measure::{Calibration, PARTS};

const COLOURS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];

/// Plots predicted against observed frequencies for each part of the games.
///
/// # Errors
/// The file cannot be written.
pub fn draw(path: &Path, title: &str, parts: &[Calibration; 3]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (480, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().x_desc("predicted chance").y_desc("observed frequency").draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.3)))?;
    for ((part, name), colour) in parts.iter().zip(PARTS).zip(COLOURS) {
        let points: Vec<(f64, f64)> = part
            .tenths()
            .iter()
            .filter(|tenth| tenth.pairs > 0.0)
            .map(|tenth| (tenth.expected(), tenth.found()))
            .collect();
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        chart
            .draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

//! Curves as inline SVG. The style sheet of the page sets the colours, with others for dark mode.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Width and height of a plot, small enough for its text to be readable on a telephone.
const SIZE: (u32, u32) = (360, 240);

/// Font size.
const TEXT: u32 = 15;

/// Colours of engines and seats, in order. page.css has the same ones, and lighter ones for dark mode.
///
/// Source: M. Okabe and K. Ito, "Color universal design" (2008), with the lightest colours darkened.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(179, 134, 0),
    RGBColor(110, 86, 207),
];

/// Margin at either end of an axis, as a share of its length.
const AIR: f64 = 0.06;

/// A coordinate system with curves in it.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Label of the horizontal axis.
    pub x: &'static str,
    /// Label of the vertical axis.
    pub y: &'static str,
    /// `true` if the horizontal axis is logarithmic.
    pub is_logarithmic: bool,
    /// The curves, each with the index of its colour.
    pub curves: Vec<(usize, Vec<(f64, f64)>)>,
    /// Band around the first curve: x, lower and upper bound.
    pub band: Vec<(f64, f64, f64)>,
    /// Heights of horizontal lines.
    pub levels: Vec<f64>,
    /// Range of the vertical axis, or `None` to fit all points.
    pub range: Option<Range<f64>>,
}

impl Plot {
    /// The plot as an `svg` element, or `None` without points.
    pub fn svg(&self) -> Option<String> {
        let points = || self.curves.iter().flat_map(|(_, points)| points);
        let x = extent(points().map(|&(x, _)| x))?;
        let heights = points().map(|&(_, y)| y).chain(self.levels.iter().copied());
        let y = self.range.clone().or_else(|| extent(heights))?;
        let air = AIR * (y.end - y.start);
        let y = y.start - air..y.end + air;
        let mut svg = String::new();
        let drawn = if self.is_logarithmic {
            let x = x.start.max(f64::MIN_POSITIVE)..x.end;
            self.draw(&mut svg, x.log_scale(), y)
        } else {
            self.draw(&mut svg, x, y)
        };
        // Drawing to a string never fails.
        drawn.ok().map(|()| svg)
    }

    fn draw<X>(
        &self,
        svg: &mut String,
        x: X,
        y: Range<f64>,
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>>
    where
        X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(42)
            .y_label_area_size(54)
            .build_cartesian_2d(x, y.clone())?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_labels(5)
            .y_labels(6)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .label_style(("sans-serif", TEXT))
            .axis_desc_style(("sans-serif", TEXT))
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .draw()?;
        let within = |height: f64| height.clamp(y.start, y.end);
        let colour = |index: usize| COLOURS[index % COLOURS.len()];
        if let Some((index, _)) = self.curves.first() {
            let lower = self.band.iter().map(|&(x, low, _)| (x, within(low)));
            let upper = self.band.iter().rev().map(|&(x, _, high)| (x, within(high)));
            let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
            chart.draw_series([Polygon::new(outline, colour(*index).mix(0.18))])?;
        }
        for &level in &self.levels {
            let ends = chart.x_range();
            let line = [(ends.start, level), (ends.end, level)];
            chart.draw_series([PathElement::new(line, BLACK.mix(0.6))])?;
        }
        for (index, points) in &self.curves {
            let points = points.iter().map(|&(x, y)| (x, within(y)));
            let style = colour(*index).stroke_width(2);
            if let [only] = points.clone().collect::<Vec<_>>()[..] {
                chart.draw_series([Circle::new(only, 3, colour(*index).filled())])?;
            }
            chart.draw_series(LineSeries::new(points, style))?;
        }
        area.present()
    }
}

/// Range of the values, widened if they are all equal; `None` without values.
fn extent(values: impl Iterator<Item = f64> + Clone) -> Option<Range<f64>> {
    let least = values.clone().reduce(f64::min)?;
    let greatest = values.reduce(f64::max)?;
    if least < greatest {
        return Some(least..greatest);
    }
    let more = (greatest.abs() / 2.0).max(0.5);
    Some(least - more..greatest + more)
}

/// Label of a number on an axis, as short as possible.
fn label(value: &f64) -> String {
    match value.abs() {
        // A rounding error instead of zero.
        size if size < 1e-9 => "0".to_string(),
        size if size >= 10_000.0 => format!("{}k", (value / 1000.0 * 10.0).round() / 10.0),
        _ => format!("{}", (value * 1000.0).round() / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheets_know_all_colours() {
        let css = format!("{}{}", board::STYLE, include_str!("page.css"));
        for (index, RGBColor(red, green, blue)) in COLOURS.into_iter().enumerate() {
            let colour = format!("#{red:02X}{green:02X}{blue:02X}");
            for rule in [
                format!("--colour-{index}: light-dark({colour}, "),
                format!("[stroke=\"{colour}\"]"),
                format!("[fill=\"{colour}\"]"),
            ] {
                assert!(css.contains(&rule), "no {rule} in board.css or page.css");
            }
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let labels = [0.1, -2.94, 1e-12, 250.0, 100_000.0, 0.30000000000000004].map(|x| label(&x));
        assert_eq!(labels, ["0.1", "-2.94", "0", "250", "100k", "0.3"]);
    }
}

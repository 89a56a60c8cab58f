//! The picture: nine panels, three measures over three axes, a line for each way.

use std::error::Error;

use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

use crate::record::{Numbers, Record};
use crate::ways::Way;
use crate::workload::{Axis, Point};

const SIZE: (u32, u32) = (1_200, 1_060);
/// For title and legend.
const HEAD: i32 = 84;
/// The opacity of lines that are to be dashed, and of nothing else.
const DASHED: f64 = 0.8;
const FONT: &str = "sans-serif";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// What is on the vertical axis.
#[derive(Clone, Copy)]
enum Measure {
    Goodput,
    InVain,
    Latency,
}

/// How a line looks.
#[derive(Clone, Copy)]
enum Stroke {
    Solid,
    Dashed,
}

/// The picture as SVG.
///
/// # Errors
///
/// If it cannot be drawn.
pub(crate) fn picture(numbers: &Numbers) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (head, body) = root.split_vertically(HEAD);
        heading(&head, numbers)?;
        let panels = body.split_evenly((3, 3));
        let places = [Measure::Goodput, Measure::InVain, Measure::Latency]
            .into_iter()
            .flat_map(|measure| Axis::ALL.map(|axis| (measure, axis)));
        for (panel, (measure, axis)) in panels.iter().zip(places) {
            draw_panel(panel, numbers, measure, axis)?;
        }
        root.present()?;
    }
    // SVG makes dashes by itself; plotters would make a line of each.
    let plain = format!("<polyline fill=\"none\" opacity=\"{DASHED}\"");
    Ok(svg.replace(&plain, &format!("{plain} stroke-dasharray=\"5 4\"")))
}

fn heading(area: &Area<'_>, numbers: &Numbers) -> Drawn {
    let title = format!(
        "{}: five ways to change a row that others want too",
        numbers.database
    );
    area.draw(&Text::new(title, (16, 10), (FONT, 20).into_font()))?;
    let mut x = 16;
    for way in Way::ALL {
        let color = color(way);
        area.draw(&PathElement::new(
            [(x, 46), (x + 28, 46)],
            color.stroke_width(3),
        ))?;
        area.draw(&Text::new(way.name(), (x + 34, 39), (FONT, 14).into_font()))?;
        x += 130;
    }
    let note = "dashed: the model (goodput, in vain), p99 (latency)";
    area.draw(&Text::new(note, (x, 39), (FONT, 14).into_font()))?;
    Ok(())
}

fn draw_panel(area: &Area<'_>, numbers: &Numbers, measure: Measure, axis: Axis) -> Drawn {
    let mut records: Vec<_> = numbers
        .records
        .iter()
        .filter(|record| axis.has(record.point, numbers.centre))
        .collect();
    records.sort_by(|one, other| axis.of(one.point).total_cmp(&axis.of(other.point)));
    let mut places: Vec<f64> = records.iter().map(|record| axis.of(record.point)).collect();
    places.dedup();
    let Some(last) = places.len().checked_sub(1) else {
        return Ok(());
    };
    let across = -1..i32::try_from(last)? + 1;

    let caption = format!("{}, by {}", measure.title(), title(axis, numbers.centre));
    let mut chart = ChartBuilder::on(area);
    chart
        .caption(caption, (FONT, 14))
        .margin(10)
        .x_label_area_size(28)
        .y_label_area_size(56);
    let lines = lines(&records, &places, measure, axis);
    let label = |place: &i32| {
        let value = usize::try_from(*place).ok().and_then(|at| places.get(at));
        value.map_or(String::new(), f64::to_string)
    };
    match measure {
        Measure::InVain => {
            let mut chart = chart.build_cartesian_2d(across, 0.0..100.0)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(places.len() + 2)
                .x_label_formatter(&label)
                .y_label_formatter(&|share| format!("{share} %"))
                .draw()?;
            draw_lines(&mut chart, lines)
        }
        Measure::Goodput | Measure::Latency => {
            let (low, high) = bounds(&lines);
            let vertical = (low..high).log_scale().with_key_points(marks(low, high));
            let mut chart = chart.build_cartesian_2d(across, vertical)?;
            chart
                .configure_mesh()
                .disable_x_mesh()
                .light_line_style(TRANSPARENT)
                .x_labels(places.len() + 2)
                .x_label_formatter(&label)
                .y_label_formatter(&|value| Measure::label(*value))
                .draw()?;
            draw_lines(&mut chart, lines)
        }
    }
}

/// A line: how it looks, and where it goes.
struct Line {
    color: RGBColor,
    stroke: Stroke,
    points: Vec<(i32, f64)>,
}

fn lines(records: &[&Record], places: &[f64], measure: Measure, axis: Axis) -> Vec<Line> {
    let mut lines = Vec::new();
    for way in Way::ALL {
        for stroke in [Stroke::Dashed, Stroke::Solid] {
            let points = records
                .iter()
                .filter(|record| record.way == way)
                .filter_map(|record| {
                    let at = places
                        .iter()
                        .position(|&place| place == axis.of(record.point))?;
                    Some((i32::try_from(at).ok()?, measure.of(record, stroke)?))
                })
                .collect();
            lines.push(Line {
                color: color(way),
                stroke,
                points,
            });
        }
    }
    lines
}

fn draw_lines<Y>(
    chart: &mut ChartContext<
        '_,
        SVGBackend<'_>,
        Cartesian2d<plotters::coord::types::RangedCoordi32, Y>,
    >,
    lines: Vec<Line>,
) -> Drawn
where
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    for Line {
        color,
        stroke,
        points,
    } in lines
    {
        match stroke {
            Stroke::Solid => {
                chart.draw_series(LineSeries::new(
                    points.iter().copied(),
                    color.stroke_width(2),
                ))?;
                chart.draw_series(points.iter().map(|&at| Circle::new(at, 3, color.filled())))?;
            }
            Stroke::Dashed => {
                let style = color.mix(DASHED).stroke_width(1);
                chart.draw_series(LineSeries::new(points, style))?;
            }
        }
    }
    Ok(())
}

/// From a little below the lowest to a little above the highest.
fn bounds(lines: &[Line]) -> (f64, f64) {
    let values = || {
        lines
            .iter()
            .flat_map(|line| &line.points)
            .map(|&(_, value)| value)
    };
    let low = values().fold(f64::INFINITY, f64::min).max(1e-3);
    let high = values().fold(low, f64::max);
    (low / 1.3, high * 1.3)
}

/// 1, 2 and 5 of each power of ten between the bounds.
fn marks(low: f64, high: f64) -> Vec<f64> {
    (-3..=9)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|mark| mark * 10_f64.powi(power)))
        .filter(|mark| (low..high).contains(mark))
        .collect()
}

impl Measure {
    const fn title(self) -> &'static str {
        match self {
            Self::Goodput => "goodput, operations/s",
            Self::InVain => "attempts in vain",
            Self::Latency => "latency, ms",
        }
    }

    /// What a record has for a line. Retries are shares of the attempts, so that none and many have a
    /// place.
    fn of(self, record: &Record, stroke: Stroke) -> Option<f64> {
        match (self, stroke) {
            (Self::Goodput, Stroke::Solid) => Some(record.goodput[0].max(0.1)),
            (Self::Goodput, Stroke::Dashed) => record.model.goodput,
            (Self::InVain, Stroke::Solid) => Some(record.in_vain() * 100.0),
            // Nothing is predicted of those that do not collide but that they do not.
            (Self::InVain, Stroke::Dashed) => match record.way {
                Way::Optimistic | Way::Save => record.model.in_vain.map(|share| share * 100.0),
                Way::Lock | Way::Lease | Way::Relative => None,
            },
            (Self::Latency, Stroke::Solid) => Some(record.p50),
            (Self::Latency, Stroke::Dashed) => Some(record.p99),
        }
    }

    fn label(value: f64) -> String {
        if value < 1.0 {
            format!("{value:.2}")
        } else {
            format!("{value:.0}")
        }
    }
}

fn title(axis: Axis, centre: Point) -> String {
    let Point {
        writers,
        rows,
        think,
    } = centre;
    let think = think.as_millis();
    let row = if rows == 1 { "row" } else { "rows" };
    match axis {
        Axis::Writers => format!("writers ({rows} {row}, {think} ms)"),
        Axis::Rows => format!("rows ({writers} writers, {think} ms)"),
        Axis::Think => format!("think time in ms ({writers} writers, {rows} {row})"),
    }
}

/// Colours that are told apart also by those who do not see red and green (Okabe and Ito).
const fn color(way: Way) -> RGBColor {
    match way {
        Way::Optimistic => RGBColor(0, 114, 178),
        Way::Save => RGBColor(86, 180, 233),
        Way::Lock => RGBColor(213, 94, 0),
        Way::Lease => RGBColor(204, 121, 167),
        Way::Relative => RGBColor(0, 158, 115),
    }
}

// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Renders the results as plots.

use super::json::{Figures, Report, SectionReport, Series, Spread};
use super::merge::is_hornet;
use crate::counter::unit;
use crate::group::Group;
use crate::section::Section;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// A plot, or the reason why it could not be drawn.
pub(crate) struct Plot {
    /// Used in the file name.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) svg: Result<String, String>,
}

/// Draws all plots for which there are results.
pub(crate) fn all(report: &Report) -> Vec<Plot> {
    let mut plots = Vec::new();
    for section in &report.sections {
        // In a group with several series, the first: throughput, not latency.
        let find = |group| section.series.iter().find(|series| series.group == group);
        let mut add = |name: &str, title: String, y_axis: &str, draw: &dyn Fn(&Chart) -> Drawn| {
            let chart = Chart {
                title: &title,
                y_axis,
            };
            let svg = chart.draw(draw);
            let name = format!("{}-{name}", section.section.name());
            plots.push(Plot { name, title, svg });
        };
        let unit = unit(section.counts_cycles);
        let instructions = section.section.title();
        for (group, of, name) in [
            (Group::Lengths, "", "lengths"),
            (Group::Seal, "ChaCha20-Poly1305, sealed: ", "seal"),
            (Group::Open, "ChaCha20-Poly1305, opened: ", "open"),
            (Group::Evp, "ChaCha20-Poly1305 through EVP, sealed: ", "evp"),
        ] {
            if let Some(series) = find(group) {
                let title = format!("{of}{unit} per byte over bytes. {instructions}");
                let lines = per_byte(section, series);
                add(name, title, &format!("{unit} per byte"), &|chart| {
                    chart.log_log(&lines)
                });
            }
        }
        for (group, of, name, ratio_name) in [
            (Group::Sweep, "", "sweep", "ratio"),
            (
                Group::AeadSweep,
                "ChaCha20-Poly1305, sealed: ",
                "aead-sweep",
                "aead-ratio",
            ),
        ] {
            let Some(series) = find(group) else {
                continue;
            };
            if section.section == Section::Best {
                let title = format!("{of}{unit} over bytes. {instructions}");
                let lines = whole(section, series);
                add(name, title, unit, &|chart| chart.linear(&lines, None));
            }
            let title = format!(
                "{of}Time as a ratio to the fastest other peer, over bytes. {instructions}"
            );
            let lines = ratios(series);
            let y_axis = "time as a ratio to the fastest other peer";
            add(ratio_name, title, y_axis, &|chart| {
                chart.linear(&lines, Some(1.0))
            });
        }
    }
    plots
}

/// A curve with its name.
struct Line<'a> {
    name: &'a str,
    points: Vec<(f64, f64)>,
}

fn cost<'a>(section: &SectionReport, figures: &'a Figures) -> &'a Spread {
    if section.counts_cycles {
        &figures.cycles
    } else {
        &figures.ns
    }
}

fn per_byte<'a>(section: &SectionReport, series: &'a Series<Figures>) -> Vec<Line<'a>> {
    let mut lines = whole(section, series);
    for line in &mut lines {
        line.points.retain(|(bytes, _)| *bytes > 0.0);
        for (bytes, cost) in &mut line.points {
            *cost /= *bytes;
        }
    }
    lines
}

fn whole<'a>(section: &SectionReport, series: &'a Series<Figures>) -> Vec<Line<'a>> {
    lines(series, |figures| cost(section, figures))
}

fn ratios(series: &Series<Figures>) -> Vec<Line<'_>> {
    let mut lines = lines(series, |figures| &figures.to_best);
    lines.retain(|line| is_hornet(line.name));
    lines
}

fn lines<'a>(
    series: &'a Series<Figures>,
    pick: impl Fn(&'a Figures) -> &'a Spread,
) -> Vec<Line<'a>> {
    #[expect(clippy::cast_precision_loss, reason = "lengths are below 2^52")]
    let xs = || series.xs.iter().map(|x| *x as f64);
    let line = |column: &'a super::json::Column<Figures>| Line {
        name: &column.peer,
        points: xs()
            .zip(pick(&column.figures).median.iter().copied())
            .collect(),
    };
    series.columns.iter().map(line).collect()
}

type Failure = Box<dyn std::error::Error>;
type Drawn = Result<String, Failure>;

const SIZE: (u32, u32) = (1160, 650);
/// The width to the right of the plot, for the names of the curves.
const NAMES_WIDTH: i32 = 210;
const NAME_HEIGHT: i32 = 16;

/// Distinguishable also with color vision deficiency (after Okabe and Ito), on white and on the dark page.
const COLORS: [(RGBColor, &str); 8] = [
    (RGBColor(0x00, 0x63, 0xA6), "#5CB0F0"),
    (RGBColor(0xC4, 0x4E, 0x00), "#FF9350"),
    (RGBColor(0x00, 0x7A, 0x58), "#3ECFA0"),
    (RGBColor(0xA3, 0x47, 0x8A), "#E89AD0"),
    (RGBColor(0x2A, 0x8F, 0xC7), "#8FD3FF"),
    (RGBColor(0x8A, 0x6A, 0x00), "#E2C044"),
    (RGBColor(0x6B, 0x6B, 0x6B), "#A5A5A5"),
    (RGBColor(0x5B, 0x3F, 0xA0), "#B9A5F5"),
];
const GRID: (RGBColor, &str) = (RGBColor(0xDD, 0xDD, 0xDD), "#363A42");

struct Chart<'a> {
    title: &'a str,
    y_axis: &'a str,
}

impl Chart<'_> {
    fn draw(&self, draw: &dyn Fn(&Self) -> Drawn) -> Result<String, String> {
        draw(self).map_err(|error| error.to_string())
    }

    fn log_log(&self, lines: &[Line]) -> Drawn {
        let (x, y) = ranges(lines);
        let y = y.start * 0.8..y.end * 1.2;
        let (x_ticks, y_ticks) = (powers_of_2(&x), ones_twos_and_fives(&y));
        self.with(|area, builder| {
            let mut chart = builder.build_cartesian_2d(
                x.log_scale().with_key_points(x_ticks),
                y.log_scale().with_key_points(y_ticks),
            )?;
            self.draw_mesh(&mut chart)?;
            draw_lines(area, &mut chart, lines)
        })
    }

    fn linear(&self, lines: &[Line], level: Option<f64>) -> Drawn {
        let (x, y) = ranges(lines);
        self.with(|area, builder| {
            let mut chart = builder.build_cartesian_2d(x.clone(), 0.0..y.end * 1.05)?;
            self.draw_mesh(&mut chart)?;
            if let Some(level) = level {
                let ends = [(x.start, level), (x.end, level)];
                chart.draw_series(LineSeries::new(ends, BLACK))?;
            }
            draw_lines(area, &mut chart, lines)
        })
    }

    fn draw_mesh<'a, X, Y>(
        &self,
        chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    ) -> Result<(), Failure>
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64> + 'a,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64> + 'a,
    {
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.0)
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 15))
            .x_desc("message length (bytes)")
            .y_desc(self.y_axis)
            .x_label_formatter(&|x| bytes_text(*x))
            .y_label_formatter(&|y| number_text(*y))
            .draw()?;
        Ok(())
    }

    /// Returns the text of an SVG file.
    fn with(
        &self,
        draw: impl FnOnce(&Area, &mut ChartBuilder<SVGBackend>) -> Result<(), Failure>,
    ) -> Drawn {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            area.fill(&WHITE)?;
            let mut builder = ChartBuilder::on(&area);
            builder.caption(self.title, ("sans-serif", 18)).margin(15);
            builder.margin_right(NAMES_WIDTH);
            builder.x_label_area_size(50).y_label_area_size(75);
            draw(&area, &mut builder)?;
            area.present()?;
        }
        Ok(with_dark_colors(&svg))
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Formats a number of bytes, such as 64 or 1 KiB.
fn bytes_text(bytes: f64) -> String {
    let mut rest = bytes;
    for unit in ["", " KiB", " MiB", " GiB"] {
        if rest < 1024.0 || rest % 1024.0 != 0.0 {
            return format!("{rest}{unit}");
        }
        rest /= 1024.0;
    }
    format!("{rest} TiB")
}

/// Formats a number without the rounding noise of sums such as 0.1 + 0.2.
fn number_text(number: f64) -> String {
    format!("{}", (number * 1e6).round() / 1e6)
}

/// Returns the powers of 2 in the range, or every second, fourth, ... of them, so that there are no more than 12.
fn powers_of_2(range: &Range<f64>) -> Vec<f64> {
    let powers: Vec<f64> = (0..63).map(f64::from).map(f64::exp2).collect();
    let inside: Vec<f64> = powers
        .into_iter()
        .filter(|power| (range.start..=range.end).contains(power))
        .collect();
    let step = inside.len().div_ceil(12).max(1);
    inside.into_iter().step_by(step).collect()
}

fn ones_twos_and_fives(range: &Range<f64>) -> Vec<f64> {
    (-9..=9)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
        .filter(|tick| (range.start..=range.end).contains(tick))
        .collect()
}

/// Adds colors for readers who prefer a dark page: CSS rules take precedence over attributes.
fn with_dark_colors(svg: &str) -> String {
    let named = |color: RGBColor| format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2);
    let rules: Vec<String> = COLORS
        .into_iter()
        .chain([GRID, (WHITE, "#14161A"), (BLACK, "#FFFFFF")])
        .map(|(color, dark)| {
            let light = named(color);
            format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
        })
        .collect();
    let rules = rules.concat();
    let style = format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>");
    svg.find('>').map_or_else(String::new, |end| {
        let (head, body) = svg.split_at(end + 1);
        format!("{head}{style}{body}")
    })
}

/// Draws Hornet's curves last, in front. Each curve has its name at its end.
fn draw_lines<'a, X, Y>(
    area: &Area,
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    lines: &[Line],
) -> Result<(), Failure>
where
    X: Ranged<ValueType = f64> + 'a,
    Y: Ranged<ValueType = f64> + 'a,
{
    let (hornets, others): (Vec<_>, Vec<_>) = lines.iter().partition(|line| is_hornet(line.name));
    let looks = others.len()..lines.len();
    let styled = others.into_iter().enumerate().chain(looks.zip(hornets));
    let mut names = Vec::new();
    for (which, line) in styled {
        let look = Look::of(which, lines.len(), line);
        let points = line.points.iter().copied();
        if look.is_dashed {
            chart.draw_series(DashedLineSeries::new(points, 7, 4, look.style))?;
        } else {
            chart.draw_series(LineSeries::new(points, look.style))?;
        }
        let end = line.points.iter().rev().find(|(_, y)| y.is_finite());
        let end_y = end.map_or(0, |end| chart.backend_coord(end).1);
        names.push((end_y, line.name, look.style));
    }
    names.sort_by_key(|(y, ..)| *y);
    let (_, rows) = chart.plotting_area().get_pixel_range();
    let (columns, _) = chart.plotting_area().get_pixel_range();
    let places = spread(names.iter().map(|(y, ..)| *y).collect(), &rows);
    for ((end_y, name, style), y) in names.into_iter().zip(places) {
        let leader = [(columns.end + 2, end_y), (columns.end + 12, y)];
        area.draw(&PathElement::new(leader, style.color.stroke_width(1)))?;
        let font = ("sans-serif", 13).into_font().color(&style.color);
        let font = font.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(name, (columns.end + 16, y), font))?;
    }
    Ok(())
}

/// Returns places for names at least a line apart, near the wanted places, which are sorted.
fn spread(mut places: Vec<i32>, rows: &Range<i32>) -> Vec<i32> {
    for which in 1..places.len() {
        places[which] = places[which].max(places[which - 1] + NAME_HEIGHT);
    }
    let mut lowest = rows.end;
    for place in places.iter_mut().rev() {
        *place = (*place).min(lowest);
        lowest = *place - NAME_HEIGHT;
    }
    places
}

/// The appearance of a curve.
struct Look {
    style: ShapeStyle,
    is_dashed: bool,
}

impl Look {
    /// Hornet's curves are black and thicker; the others use each color twice, dashed the second time.
    fn of(which: usize, count: usize, line: &Line) -> Self {
        if is_hornet(line.name) {
            return Self {
                style: BLACK.stroke_width(3),
                is_dashed: which + 1 != count,
            };
        }
        Self {
            style: COLORS[which % COLORS.len()].0.stroke_width(1),
            is_dashed: which / COLORS.len() % 2 == 1,
        }
    }
}

/// Returns the ranges of the axes, which are not empty even if there are no points.
fn ranges(lines: &[Line]) -> (Range<f64>, Range<f64>) {
    let points = || {
        lines
            .iter()
            .flat_map(|line| &line.points)
            .filter(|(_, y)| y.is_finite())
    };
    let range = |values: &dyn Fn() -> Vec<f64>| {
        let values = values();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low < high { low..high } else { 1.0..2.0 }
    };
    (
        range(&|| points().map(|(x, _)| *x).collect()),
        range(&|| points().map(|(_, y)| *y).collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> [Line<'static>; 1] {
        let points = points.to_vec();
        [Line {
            name: "hornet gcc",
            points,
        }]
    }

    #[test]
    fn drawings() {
        let chart = Chart {
            title: "a title",
            y_axis: "nanoseconds",
        };
        for points in [&[][..], &[(1.0, 1.0)], &[(16.0, 2.0), (1024.0, 30.0)]] {
            for svg in [
                chart.log_log(&line(points)),
                chart.linear(&line(points), Some(1.0)),
            ] {
                let svg = svg.unwrap();
                assert!(svg.starts_with("<svg") && svg.contains("a title"));
                assert!(svg.contains("hornet gcc"));
                assert!(svg.contains("message length (bytes)") && svg.contains("nanoseconds"));
                assert!(svg.contains("prefers-color-scheme:dark"));
            }
        }
    }

    #[test]
    fn ticks() {
        assert_eq!(powers_of_2(&(16.0..200.0)), [16.0, 32.0, 64.0, 128.0]);
        assert!(powers_of_2(&(1.0..1e9)).len() <= 12);
        assert_eq!(ones_twos_and_fives(&(0.4..3.0)), [0.5, 1.0, 2.0]);
        let texts = [64.0, 1000.0, 1024.0, 65536.0, 1_048_576.0].map(bytes_text);
        assert_eq!(texts, ["64", "1000", "1 KiB", "64 KiB", "1 MiB"]);
        assert_eq!(number_text(0.1 + 0.2), "0.3");
    }

    #[test]
    fn names_stand_apart() {
        assert_eq!(spread(vec![10, 12, 100], &(0..100)), [10, 26, 100]);
        assert_eq!(spread(vec![95, 96, 97], &(0..100)), [68, 84, 100]);
    }

    #[test]
    fn what_a_plot_covers() {
        assert_eq!(ranges(&line(&[])), (1.0..2.0, 1.0..2.0));
        let points = [(0.0, 3.0), (7.0, 1.0), (4.0, f64::NAN)];
        assert_eq!(ranges(&line(&points)), (0.0..7.0, 1.0..3.0));
    }
}

// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Renders the results as plots.

use super::json::{Figures, Report, SectionReport, Series, Spread};
use super::merge::is_hornet;
use crate::counter::unit;
use crate::group::Group;
use crate::section::Section;
use plotters::prelude::*;
use std::ops::Range;

/// A plot, or why it could not be drawn.
pub(crate) struct Plot {
    /// For the file name.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) svg: Result<String, String>,
}

/// All plots for which there are results.
pub(crate) fn all(report: &Report) -> Vec<Plot> {
    let mut plots = Vec::new();
    for section in &report.sections {
        // Of a group with several, the first: throughput, not latency.
        let find = |group| section.series.iter().find(|series| series.group == group);
        let mut add = |name: &str, title: String, draw: &dyn Fn(&Chart) -> Drawn| {
            let chart = Chart { title: &title };
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
                add(name, title, &|chart| chart.log_log(&lines));
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
                add(name, title, &|chart| chart.linear(&lines, None));
            }
            let title = format!(
                "{of}Time as a ratio to the fastest other peer, over bytes. {instructions}"
            );
            let lines = ratios(series);
            add(ratio_name, title, &|chart| chart.linear(&lines, Some(1.0)));
        }
    }
    plots
}

/// A line with its name.
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

const SIZE: (u32, u32) = (1100, 650);

struct Chart<'a> {
    title: &'a str,
}

impl Chart<'_> {
    fn draw(&self, draw: &dyn Fn(&Self) -> Drawn) -> Result<String, String> {
        draw(self).map_err(|error| error.to_string())
    }

    fn log_log(&self, lines: &[Line]) -> Drawn {
        let (x, y) = ranges(lines);
        let y = y.start * 0.8..y.end * 1.2;
        self.with(|builder| {
            let mut chart = builder.build_cartesian_2d(x.log_scale(), y.log_scale())?;
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .draw()?;
            draw_lines(&mut chart, lines, SeriesLabelPosition::UpperRight)
        })
    }

    fn linear(&self, lines: &[Line], level: Option<f64>) -> Drawn {
        let (x, y) = ranges(lines);
        self.with(|builder| {
            let mut chart = builder.build_cartesian_2d(x.clone(), 0.0..y.end * 1.05)?;
            let digits = usize::from(level.is_some());
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .x_label_formatter(&|x| format!("{x:.0}"))
                .y_label_formatter(&|y| format!("{y:.digits$}"))
                .draw()?;
            if let Some(level) = level {
                let ends = [(x.start, level), (x.end, level)];
                chart.draw_series(LineSeries::new(ends, BLACK))?;
            }
            draw_lines(&mut chart, lines, SeriesLabelPosition::UpperLeft)
        })
    }

    /// The text of an SVG file.
    fn with(
        &self,
        draw: impl FnOnce(&mut ChartBuilder<SVGBackend>) -> Result<(), Failure>,
    ) -> Drawn {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            area.fill(&WHITE)?;
            let mut builder = ChartBuilder::on(&area);
            builder.caption(self.title, ("sans-serif", 18)).margin(15);
            builder.x_label_area_size(35).y_label_area_size(60);
            draw(&mut builder)?;
            area.present()?;
        }
        Ok(svg)
    }
}

fn draw_lines<'a, X, Y>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    lines: &[Line],
    legend: SeriesLabelPosition,
) -> Result<(), Failure>
where
    X: Ranged<ValueType = f64> + 'a,
    Y: Ranged<ValueType = f64> + 'a,
{
    for (which, line) in lines.iter().enumerate() {
        let style = style(which, line);
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), style))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart
        .configure_series_labels()
        .position(legend)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}

/// Hornet's lines are thicker.
fn style(which: usize, line: &Line) -> ShapeStyle {
    let color = Palette99::pick(which).to_rgba();
    color.stroke_width(if is_hornet(line.name) { 3 } else { 1 })
}

/// The ranges of the axes, which are not empty even if there are no points.
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
        let chart = Chart { title: "a title" };
        for points in [&[][..], &[(1.0, 1.0)], &[(16.0, 2.0), (1024.0, 30.0)]] {
            for svg in [
                chart.log_log(&line(points)),
                chart.linear(&line(points), Some(1.0)),
            ] {
                let svg = svg.unwrap();
                assert!(svg.starts_with("<svg") && svg.contains("a title"));
                assert!(svg.contains("hornet gcc"));
            }
        }
    }

    #[test]
    fn what_a_plot_covers() {
        assert_eq!(ranges(&line(&[])), (1.0..2.0, 1.0..2.0));
        let points = [(0.0, 3.0), (7.0, 1.0), (4.0, f64::NAN)];
        assert_eq!(ranges(&line(&points)), (0.0..7.0, 1.0..3.0));
    }
}

//! What a method found out, in a form that every output can show: one sentence, figures with their intervals, tables and
//! charts. A method fills it in; whoever shows it needs to know nothing of the method.

use crate::{Finding, Quantity};
use serde::{Deserialize, Serialize};

/// Method of the verdict over the repeats of a plan.
pub const REPEATS: &str = "repeats";

/// A method's answer to its question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodVerdict {
    /// The method: `soak`, `saturate`.
    pub method: String,
    /// The run's name.
    pub run: String,
    /// The answer in one word of the method's own list: `no-cliff`, `cliff`, `never-steady`.
    pub class: String,
    /// False where the question could not be answered: too short, too noisy, cut off.
    pub decided: bool,
    /// The answer as one sentence of plain English.
    pub sentence: String,
    /// The numbers that the answer consists of, the most important first.
    pub figures: Vec<Figure>,
    /// The same and more, by rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<MethodTable>,
    /// Pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<MethodChart>,
    /// Reasons not to trust the answer, and what was not tested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One number of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Key for programs, with no unit in it: `sustained_rate`.
    pub name: String,
    /// The same for people: `sustained rate`.
    pub label: String,
    /// Quantity with its unit; `None`: it could not be found out.
    pub quantity: Option<Quantity>,
    /// Confidence interval of 95 %, in the quantity's unit; `None` where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Reason why there is no number, or a remark on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// Rows of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodTable {
    /// Title: what the table shows.
    pub title: String,
    /// Columns, in order.
    pub columns: Vec<TableColumn>,
    /// Rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<TableCell>>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// Key for programs: `response_mean`.
    pub name: String,
    /// Name for people: `response`.
    pub label: String,
}

/// One cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// Quantity with its unit; `None`: nothing is known.
    pub quantity: Option<Quantity>,
    /// Confidence interval of 95 %, in the quantity's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

/// One picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodChart {
    /// Title: what the chart shows.
    pub title: String,
    /// Kind of drawing.
    pub kind: ChartKind,
    /// The axis to the right.
    pub x: ChartAxis,
    /// The axis upwards.
    pub y: ChartAxis,
    /// Axis of the colour of a heat chart's cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<ChartAxis>,
    /// Series that are drawn.
    pub series: Vec<ChartSeries>,
    /// Places on the x axis with something to say: the knee, a fault's instant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<ChartMark>,
}

/// Kind of a chart's drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// Points joined by lines, with error bars where they have intervals.
    Lines,
    /// A bar for each point, side by side where there are several series.
    Bars,
    /// Cells of a grid, coloured by [`ChartPoint::z`].
    Heat,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartAxis {
    /// Label: what the axis shows.
    pub label: String,
    /// Unit of the axis's numbers.
    pub unit: AxisUnit,
    /// True where each step of it is a factor.
    #[serde(default)]
    pub logarithmic: bool,
    /// Names of the places 0, 1, 2 and so on, where it has names and no numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Sentences on the intervals of the points along the axis: what they are of, and which points have none; `None` where nothing is said
    /// of intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<String>,
    /// End of the drawing; what lies beyond is drawn as beyond, for a few points would flatten all others. `None`: up to the greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<f64>,
    /// Points of a series that are farther apart on it are not joined: nothing is known between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
}

/// Unit of an axis's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisUnit {
    /// Seconds.
    Seconds,
    /// Nanoseconds.
    Ns,
    /// Parts of a whole, 1 is all.
    Share,
    /// Each second.
    PerSecond,
    /// Bytes.
    Bytes,
    /// Bytes each second.
    BytesPerSecond,
    /// A plain number.
    Number,
    /// A name, see [`ChartAxis::categories`].
    Name,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartSeries {
    /// Name in the legend; empty where there is only one series.
    pub name: String,
    /// Points by rising x.
    pub points: Vec<ChartPoint>,
}

/// One point, in the units of the axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ChartPoint {
    /// Value on the axis to the right.
    pub x: f64,
    /// Value on the axis upwards.
    pub y: f64,
    /// Error bar: the 95 % interval of y, or of z in a heat chart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// The colour of a heat chart's cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
}

/// A place on the x axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChartMark {
    /// Place on the x axis.
    pub x: f64,
    /// Text at the place.
    pub label: String,
}

impl Figure {
    /// A number that was found out.
    pub fn new(name: &str, label: &str, quantity: Quantity) -> Self {
        Figure {
            name: name.to_string(),
            label: label.to_string(),
            quantity: Some(quantity),
            interval: None,
            remark: None,
        }
    }

    /// One that could not be found out, and why.
    pub fn unknown(name: &str, label: &str, why: impl Into<String>) -> Self {
        Figure {
            name: name.to_string(),
            label: label.to_string(),
            quantity: None,
            interval: None,
            remark: Some(why.into()),
        }
    }

    /// Figure with a 95 % confidence interval, in the quantity's unit.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Figure {
            interval: Some((low, high)),
            ..self
        }
    }

    /// Figure with a remark.
    #[must_use]
    pub fn remarked(self, remark: impl Into<String>) -> Self {
        Figure {
            remark: Some(remark.into()),
            ..self
        }
    }
}

impl TableColumn {
    /// A column by its key and what it is called.
    pub fn new(name: impl Into<String>, label: impl Into<String>) -> Self {
        TableColumn {
            name: name.into(),
            label: label.into(),
        }
    }
}

impl TableCell {
    /// A cell with a number, where it is known.
    pub fn maybe(quantity: Option<Quantity>) -> Self {
        TableCell {
            quantity,
            interval: None,
        }
    }

    /// A cell with a number.
    pub fn of(quantity: Quantity) -> Self {
        TableCell::maybe(Some(quantity))
    }

    /// Cell with a 95 % confidence interval, in the quantity's unit.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        TableCell {
            interval: Some((low, high)),
            ..self
        }
    }
}

impl ChartSeries {
    /// A series by its name.
    pub fn new(name: impl Into<String>, points: Vec<ChartPoint>) -> Self {
        ChartSeries {
            name: name.into(),
            points,
        }
    }
}

impl ChartPoint {
    /// A point with its error bar, where it has one.
    pub const fn new(x: f64, y: f64, interval: Option<(f64, f64)>) -> Self {
        ChartPoint {
            x,
            y,
            interval,
            z: None,
        }
    }
}

impl ChartMark {
    /// Mark with a label at a place.
    pub fn new(x: f64, label: impl Into<String>) -> Self {
        ChartMark {
            x,
            label: label.into(),
        }
    }
}

impl ChartAxis {
    /// An axis of numbers.
    pub fn of(label: &str, unit: AxisUnit) -> Self {
        ChartAxis {
            label: label.to_string(),
            unit,
            logarithmic: false,
            categories: Vec::new(),
            intervals: None,
            cut: None,
            gap: None,
        }
    }

    /// Axis with sentences on its points' intervals: what they are of, and which points have none.
    #[must_use]
    pub fn with_intervals(self, of: &str) -> Self {
        ChartAxis {
            intervals: Some(of.to_string()),
            ..self
        }
    }

    /// An axis of names.
    pub fn names(label: &str, categories: Vec<String>) -> Self {
        ChartAxis {
            categories,
            ..ChartAxis::of(label, AxisUnit::Name)
        }
    }
}

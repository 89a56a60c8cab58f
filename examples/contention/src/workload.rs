//! What is measured: points of writers, rows and think time, and how long at each.

use std::time::Duration;

/// How many writers want how many rows, and how long each of them thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) writers: u32,
    pub(crate) rows: u32,
    pub(crate) think: Duration,
}

/// Which of them is varied, while the others stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Writers,
    Rows,
    Think,
}

impl Axis {
    pub(crate) const ALL: [Self; 3] = [Self::Writers, Self::Rows, Self::Think];

    /// Where a point is on the axis; think time in milliseconds.
    pub(crate) fn of(self, point: Point) -> f64 {
        match self {
            Self::Writers => f64::from(point.writers),
            Self::Rows => f64::from(point.rows),
            Self::Think => point.think.as_secs_f64() * 1_000.0,
        }
    }

    /// Whether a point differs from another one on this axis at most.
    pub(crate) fn has(self, point: Point, centre: Point) -> bool {
        Self::ALL
            .into_iter()
            .all(|axis| axis == self || axis.of(point) == axis.of(centre))
    }
}

/// The points: three lines that cross in one, which is measured once.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    pub(crate) centre: Point,
    pub(crate) writers: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) think: Vec<Duration>,
}

impl Sweep {
    pub(crate) fn points(&self) -> Vec<Point> {
        let centre = self.centre;
        let by_writers = self
            .writers
            .iter()
            .map(|&writers| Point { writers, ..centre });
        let by_rows = self.rows.iter().map(|&rows| Point { rows, ..centre });
        let by_think = self.think.iter().map(|&think| Point { think, ..centre });
        let mut points = vec![centre];
        for point in by_writers.chain(by_rows).chain(by_think) {
            if !points.contains(&point) {
                points.push(point);
            }
        }
        points
    }
}

/// What a run is like, at whatever point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// How long a writer does nothing before each operation, on average: between nothing and twice that,
    /// by lot. Without it whoever was first would be first again, for it alone has nothing to wait for.
    pub(crate) pause: Duration,
    pub(crate) until: Until,
    /// How much there is of each product.
    pub(crate) stock: u32,
}

/// When a writer begins no other operation. One that has begun is always brought to its end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Time(Duration),
    Operations(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_is_measured_once() {
        let millis = Duration::from_millis;
        let centre = Point {
            writers: 8,
            rows: 1,
            think: millis(5),
        };
        let sweep = Sweep {
            centre,
            writers: vec![1, 8],
            rows: vec![1, 4],
            think: vec![millis(5), millis(0)],
        };
        let points = sweep.points();
        assert_eq!(points.len(), 4);
        let on = |axis: Axis| {
            points
                .iter()
                .filter(|point| axis.has(**point, centre))
                .count()
        };
        assert_eq!(Axis::ALL.map(on), [2, 2, 2]);
    }
}

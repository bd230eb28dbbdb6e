//! Tables that read well as text and as Markdown.

use std::fmt;

/// A table with a title.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, as wide as the header.
    pub rows: Vec<Vec<String>>,
    /// What should be known when reading it.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self { title: title.into(), header, ..Self::default() }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.header]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let line = |f: &mut fmt::Formatter<'_>, row: &[String]| {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Names to the left, numbers to the right.
                if column == 0 {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            writeln!(f, "|")
        };
        writeln!(f, "{}\n", self.title)?;
        line(f, &self.header)?;
        for (column, &width) in widths.iter().enumerate() {
            let end = if column == 0 { "-" } else { ":" };
            write!(f, "|{}{end}", "-".repeat(width + 1))?;
        }
        writeln!(f, "|")?;
        self.rows.iter().try_for_each(|row| line(f, row))?;
        for note in &self.notes {
            write!(f, "\n{note}\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new("Solved", ["method", "500"]);
        table.rows.push(vec!["A* × 2".into(), "9.5".into()]);
        assert_eq!(table.to_string(), "Solved\n\n| method | 500 |\n|--------|----:|\n| A* × 2 | 9.5 |\n");
    }
}

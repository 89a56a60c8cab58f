//! The versions of the groups of an entity's columns, together: a tuple of them.

use super::{Moment, NoVersion, Step, SteppingVersion, VersionValue};

/// Writes a part so that it can be told from what follows it.
fn write(part: &str, text: &mut String) {
    if !text.is_empty() {
        text.push(',');
    }
    // No part is empty in the text, so that the number of them can be told.
    text.push('=');
    for character in part.chars() {
        if matches!(character, ',' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
}

/// Reads the parts of a text.
fn read(text: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    let mut characters = text.chars();
    loop {
        if characters.next() != Some('=') {
            return None;
        }
        let mut part = String::new();
        loop {
            match characters.next() {
                None => {
                    parts.push(part);
                    return Some(parts);
                }
                Some(',') => break,
                Some('\\') => part.push(characters.next()?),
                Some(character) => part.push(character),
            }
        }
        parts.push(part);
    }
}

macro_rules! tuples {
    ($(($($version:ident $part:tt),+))+) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($version: VersionValue),+> VersionValue for ($($version,)+) {
                const OF_TRANSACTION: bool = $($version::OF_TRANSACTION)||+;

                fn initial(moment: &Moment) -> Result<Self, NoVersion> {
                    Ok(($($version::initial(moment)?,)+))
                }

                fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
                    Ok(($(self.$part.next(moment)?,)+))
                }

                fn to_text(&self) -> String {
                    let mut text = String::new();
                    $(write(&self.$part.to_text(), &mut text);)+
                    text
                }

                fn from_text(text: &str) -> Option<Self> {
                    let mut parts = read(text)?.into_iter();
                    let version = ($($version::from_text(&parts.next()?)?,)+);
                    parts.next().is_none().then_some(version)
                }
            }

            #[diagnostic::do_not_recommend]
            impl<$($version: SteppingVersion),+> SteppingVersion for ($($version,)+) {
                /// Its parts move one by one.
                fn step(_: &Moment) -> Result<Step<Self>, NoVersion> {
                    Err(NoVersion::NoColumn)
                }

                fn steps(moments: &[Moment]) -> Result<Vec<Step<Self>>, NoVersion> {
                    let mut moments = moments.iter();
                    let mut steps = Vec::with_capacity(moments.len());
                    $(
                        if let Some(moment) = moments.next() {
                            // Of the others nothing is written.
                            let others = Self::initial(moment)?;
                            steps.push($version::step(moment)?.map(|part| {
                                let mut all = others.clone();
                                all.$part = part;
                                all
                            }));
                        }
                    )+
                    Ok(steps)
                }
            }
        )+
    };
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::version::VersionValue;

    #[test]
    fn a_tuple_is_read_from_its_text_and_from_no_other() {
        assert_eq!((7_i32, 300_i64).to_text(), "=7,=300");
        assert_eq!(<(i32, i64)>::from_text("=7,=300"), Some((7, 300)));
        for text in ["", "=7", "7,300", "=7,=300,=1", "=7,=x", "=7,", "=7,=3\\"] {
            assert_eq!(<(i32, i64)>::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn parts_are_told_apart_whatever_is_in_them() {
        for parts in [["a,=b", "c"], ["a", "=b,c"], ["", ""], ["\\", ",\\,"]] {
            let mut text = String::new();
            for part in parts {
                write(part, &mut text);
            }
            assert_eq!(read(&text).as_deref(), Some(&parts.map(str::to_owned)[..]));
        }
    }
}

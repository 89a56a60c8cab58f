//! Any text as bytes that an entity tag may hold, and back.

/// Appends a text. What a tag cannot hold is escaped, and what others split or unescape at: `%`
/// itself, commas, backslashes.
pub(super) fn write(text: &str, tag: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in text.as_bytes() {
        if byte.is_ascii_graphic() && !b"\"%,\\".contains(&byte) {
            tag.push(byte);
        } else {
            let digit = |nibble: u8| DIGITS[usize::from(nibble)];
            tag.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

/// The text that these bytes were written for; `None` if they can be of none.
pub(super) fn read(tag: &[u8]) -> Option<String> {
    let mut text = Vec::with_capacity(tag.len());
    let mut rest = tag.iter().copied();
    while let Some(byte) = rest.next() {
        text.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(text).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

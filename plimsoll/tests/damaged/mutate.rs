//! Ways to damage a record: bytes, pages and single cells. The same seed damages it in the same way.

use plimsoll_draw::Draw;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::Path;

/// Changes some bytes: anywhere, or among the first hundred, where the header is.
pub fn bytes(record: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Draw(seed);
    let mut bad = record.to_vec();
    let within = if seed.is_multiple_of(4) {
        100
    } else {
        bad.len()
    };
    for _ in 0..1 + random.below(24) {
        let at = random.below(within);
        bad[at] = match random.below(4) {
            0 => 0xff,
            1 => 0,
            2 => bad[at] ^ 1 << random.below(8),
            _ => random.bits() as u8,
        };
    }
    bad
}

/// Swaps pages, empties them, lets one lead to another, or ends the file early.
pub fn pages(record: &[u8], seed: u64) -> Vec<u8> {
    const PAGE: usize = 4096;
    let mut random = Draw(seed ^ 0xface);
    let mut bad = record.to_vec();
    let count = bad.len() / PAGE;
    for _ in 0..1 + random.below(3) {
        let (one, other) = (random.below(count) * PAGE, random.below(count) * PAGE);
        match random.below(4) {
            0 => bad.copy_within(one..one + PAGE, other),
            1 => bad[one..one + PAGE].fill(random.bits() as u8),
            // The start of a page: its kind, its cells' count and places, and where an inner page leads at last.
            2 => {
                let page = random.below(count) as u32 + 1;
                bad[one + 8..one + 12].copy_from_slice(&page.to_be_bytes());
                bad[one] = [2, 5, 10, 13][random.below(4)];
            }
            _ => {
                let place = one + random.below(PAGE - 4);
                let page = random.below(count) as u32 + 1;
                bad[place..place + 4].copy_from_slice(&page.to_be_bytes());
            }
        }
    }
    if seed.is_multiple_of(5) {
        bad.truncate(random.below(bad.len()));
    }
    bad
}

/// Tables and their columns.
pub fn columns(record: &Path) -> Vec<(String, String)> {
    let db = Connection::open(record).expect("opens");
    let mut statement = db
        .prepare(
            "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c \
             WHERE m.type='table' ORDER BY 1, c.cid",
        )
        .expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let all = rows.expect("rows").collect::<Result<_, _>>();
    all.expect("names")
}

/// Values that no column expects. The first ones are the worst for numbers, the others for texts.
pub fn hostile_values() -> Vec<Value> {
    let text = |text: &str| Value::Text(text.into());
    vec![
        Value::Null,
        Value::Integer(0),
        Value::Integer(-1),
        Value::Integer(1),
        Value::Integer(i64::MIN),
        Value::Integer(i64::MAX),
        Value::Integer(i64::from(u32::MAX)),
        Value::Real(f64::INFINITY),
        Value::Real(f64::NEG_INFINITY),
        Value::Real(-1e308),
        Value::Real(5e-324),
        text(""),
        text("NaN"),
        text("=cmd|' /C calc'!A0"),
        text("{}"),
        text("[]"),
        text("null"),
        text("{\"streams\":[{\"target\":18446744073709551615}]}"),
        text(&"[".repeat(200_000)),
        text(&"x".repeat(3_000_000)),
        Value::Blob(vec![0xff; 64]),
        Value::Blob(vec![0xff; 4_000_000]),
    ]
}

/// Sets a column to a value: in all rows, or in the last one of the table; false where the table has no rows or does not
/// take it.
pub fn cell(record: &Path, table: &str, column: &str, value: &Value, all: bool) -> bool {
    let db = Connection::open(record).expect("opens");
    let which = match all {
        true => String::new(),
        false => {
            let mut key = db
                .prepare("SELECT group_concat(name) FROM pragma_table_info(?) WHERE pk > 0")
                .expect("a statement");
            let key: String = key.query_row([table], |row| row.get(0)).expect("a key");
            format!(" WHERE ({key}) = (SELECT {key} FROM {table} ORDER BY {key} DESC LIMIT 1)")
        }
    };
    let sql = format!("UPDATE OR REPLACE {table} SET {column} = ?{which}");
    db.execute(&sql, [value]).is_ok_and(|rows| rows > 0)
}

/// Changes one number in a JSON document that a column holds, or takes a part out.
pub fn document(record: &Path, table: &str, column: &str, seed: u64) -> bool {
    let db = Connection::open(record).expect("opens");
    let sql = format!("SELECT {column} FROM {table} WHERE {column} LIKE '{{%' LIMIT 1");
    let Ok(text) = db.query_row(&sql, [], |row| row.get::<_, String>(0)) else {
        return false;
    };
    let mut random = Draw(seed);
    let digits: Vec<usize> = (1..text.len())
        .filter(|at| {
            let (before, here) = (text.as_bytes()[at - 1], text.as_bytes()[*at]);
            here.is_ascii_digit() && matches!(before, b':' | b'[' | b',')
        })
        .collect();
    if digits.is_empty() {
        return false;
    }
    let at = digits[random.below(digits.len())];
    let end = text[at..]
        .find([',', '}', ']'])
        .map_or(text.len(), |n| at + n);
    let new = [
        "0",
        "-1",
        "18446744073709551615",
        "4294967295",
        "1e308",
        "-1e308",
        "null",
        "[]",
        "\"\"",
    ];
    let bad = format!(
        "{}{}{}",
        &text[..at],
        new[random.below(new.len())],
        &text[end..]
    );
    let sql = format!("UPDATE {table} SET {column} = ? WHERE {column} = ?");
    db.execute(&sql, [bad, text]).is_ok_and(|rows| rows > 0)
}

#!/usr/bin/env bash
# How long 100 entities take to compile: derive(Versioned) against AsChangeset + Insertable +
# Identifiable on the same structs, each beside Queryable + Selectable. Seconds of processor time;
# of interleaved rounds the shortest, which the rest of the machine disturbed least.
#
#   compile-time.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly ROUNDS=${1:-5}
library=$(realpath ..)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# entities DERIVES ATTRIBUTE: 100 tables of 8 columns and a struct for each.
entities() {
    echo 'use diesel::prelude::*;'
    local number
    for number in {1..100}; do
        cat <<RUST
diesel::table! { t$number (id) { id -> Integer, a -> Text, b -> Nullable<Text>, c -> BigInt,
    d -> Integer, e -> Bool, f -> Nullable<Integer>, version -> Integer, } }
#[derive(Debug, Clone, Queryable, Selectable, $1)]
#[diesel(table_name = t$number)]
pub struct T$number { pub id: i32, pub a: String, pub b: Option<String>, pub c: i64, pub d: i32,
    pub e: bool, pub f: Option<i32>, $2 pub version: i32 }
RUST
    done
}

mkdir -p "$folder/src/bin"
cat >"$folder/Cargo.toml" <<TOML
[package]
name = "compile-time"
version = "0.0.0"
edition = "2024"

[dependencies]
diesel = { version = "2.3", default-features = false, features = ["sqlite"] }
diesel-versioned = { path = "$library", features = ["sqlite"] }

[workspace]
TOML
cp ../../Cargo.lock "$folder"
ways=(versioned diesel neither)
{ entities diesel_versioned::Versioned '#[version]' && echo 'fn main() {}'; } >"$folder/src/bin/versioned.rs"
{ entities 'AsChangeset, Insertable, Identifiable' '' && echo 'fn main() {}'; } >"$folder/src/bin/diesel.rs"
{ entities 'PartialEq' '' && echo 'fn main() {}'; } >"$folder/src/bin/neither.rs"

export CARGO_TARGET_DIR=$folder/target CARGO_INCREMENTAL=0
cd "$folder"
cargo --quiet build --bins 2>&1 | grep -E '^error' -A9 && exit 1
cargo --quiet check --bins
TIMEFORMAT=%U
for ((round = 0; round < ROUNDS; round++)); do
    for way in "${ways[@]}"; do
        for command in check build; do
            touch "src/bin/$way.rs"
            { time cargo --quiet "$command" --bin "$way" 2>/dev/null; } 2>>"$folder/$way.$command"
        done
    done
done

least() {
    sort -n "$1" | head -1
}

for command in check build; do
    for way in "${ways[@]}"; do
        printf '%-6s %-10s %6.2f s\n' "$command" "$way" "$(least "$folder/$way.$command")"
    done
done

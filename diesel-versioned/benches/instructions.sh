#!/usr/bin/env bash
# Counts instructions on SQLite with callgrind: of one save, and of writing 10,000 rows, also for each
# kind of version and of guard.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v valgrind >/dev/null || { echo "error: install valgrind" >&2; exit 1; }
cargo build --quiet --release --package diesel-versioned-benches --bin instructions
program=${CARGO_TARGET_DIR:-../../target}/release/instructions

# The difference of two runs, so that start and set-up fall out.
#   each WHAT FEW MANY
each() {
    local few many
    few=$(count "$1" "$2")
    many=$(count "$1" "$3")
    echo $(((many - few) / ($3 - $2)))
}

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

# line TEXT MINE THEIRS BOUND
line() {
    awk -v text="$1" -v mine="$2" -v theirs="$3" -v bound="$4" 'BEGIN {
        ratio = mine / theirs
        printf "%-44s %12d / %12d = %.3f (bound %s)\n", text, mine, theirs, ratio, bound
    }'
}

save=$(each save 1000 3000)
line 'save / by hand' "$save" "$(each by-hand 1000 3000)" 0.35
line 'save / raw C calls' "$save" "$(each raw 1000 3000)" 1.5
integer=$(each save:integer 1000 3000)
for kind in bigint micros_in_integer chrono_text time_text token bytes uuid_v7 uuid_v4; do
    line "save at a version of the kind $kind / integer" "$(each "save:$kind" 1000 3000)" "$integer" none
done
integer=$(each unit:integer 1 3)
for kind in bigint micros_in_integer chrono_text time_text token bytes uuid_v7 uuid_v4; do
    line "unit at versions of the kind $kind / integer" "$(each "unit:$kind" 1 3)" "$integer" none
done
for what in save:1000:3000 unit:1:3; do
    IFS=: read -r what few many <<<"$what"
    version=$(each "$what:one_version" "$few" "$many")
    for guard in in_a_group check_changed check_all; do
        line "$what of what changed by $guard / by version" \
            "$(each "$what:$guard" "$few" "$many")" "$version" none
    done
done
unit=$(each unit 1 4)
loop=$(each loop 1 2)
line 'loop by hand / unit of 10,000' "$loop" "$unit" 6
for rows in 64 256 1024; do
    line "unit / set-based by hand, $rows rows" "$unit" "$(each "$rows" 1 4)" 1.25
done

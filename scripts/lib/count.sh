# shellcheck shell=bash
# Reads what the runners report. A counter prints lines of `NAME PASSED FAILED`.

# nextest's JUnit file: a suite per test binary, named `package::binary`.
count_junit() {
    awk '
        function attribute(name,    found) {
            if (!match($0, " " name "=\"[^\"]*\"")) return ""
            found = substr($0, RSTART, RLENGTH)
            sub("^[^\"]*\"", "", found)
            sub("\"$", "", found)
            return found
        }
        /<testsuite / {
            failed = attribute("failures") + attribute("errors")
            passed = attribute("tests") - attribute("disabled") - attribute("skipped") - failed
            print attribute("name"), passed, failed
        }
    ' "$1"
}

# What `cargo test` prints: a line that names the binary, then its result. Integration tests are
# named by their binary, so `sqlite` and not `diesel-versioned-tests::sqlite`.
count_libtest() {
    awk '
        { gsub(/\033\[[0-9;]*m/, "") }
        /^ *Running / {
            name = $NF
            gsub(/.*\/|\)$/, "", name)
            sub(/-[0-9a-f]+$/, "", name)
        }
        /^ *Doc-tests / { name = "doc:" $NF }
        /^test result: / {
            for (i = 1; i < NF; i++) {
                if ($(i + 1) == "passed;") passed = $i
                if ($(i + 1) == "failed;") failed = $i
            }
            print name, passed, failed
        }
    ' "$1"
}

# The tests that failed, by what either runner prints of them.
failed_tests() {
    sed -E 's/\x1b\[[0-9;]*m//g' "$1" |
        sed -nE 's/^ *(FAIL|TIMEOUT|ABORT|SIG[A-Z0-9]+) \[[^]]*\] \([^)]*\) +//p
                 s/^test (.*) \.\.\. FAILED$/\1/p' |
        sort -u
}

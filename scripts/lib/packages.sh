# shellcheck shell=bash
# Finds what the tests need on this machine and installs what is missing.

# The folder of PostgreSQL's server programs, the newest version's; Debian keeps them off PATH.
postgres_bin() {
    local folder
    while IFS= read -r folder; do
        if [[ -x $folder/initdb && -x $folder/postgres && -x $folder/pg_isready ]]; then
            printf '%s\n' "$folder"
            return
        fi
    done < <(
        # A program on PATH may be a link to the one that has the others beside it.
        dirname "$(readlink -f "$(command -v initdb)")"
        if command -v pg_config >/dev/null; then pg_config --bindir; fi
        printf '%s\n' /usr/lib/postgresql/*/bin /usr/pgsql-*/bin | sort --version-sort --reverse
    )
    return 1
}

# Debian keeps mariadbd in /usr/sbin, which is not on everyone's PATH.
mariadb_program() {
    local candidate
    for candidate in "$(command -v "$1")" "/usr/sbin/$1" "/usr/libexec/$1"; do
        if [[ -x $candidate ]]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

has_mariadb() {
    mariadb_program mariadbd && mariadb_program mariadb-install-db && mariadb_program mariadb-admin
}

# As the build scripts of pq-sys and mysqlclient-sys look for them.
has_libpq() {
    pkg-config --exists libpq || command -v pg_config
}

has_libmariadb() {
    pkg-config --exists mysqlclient || pkg-config --exists libmariadb
}

# The Debian packages that are missing, one a line.
missing_packages() {
    command -v cc >/dev/null || echo gcc libc6-dev
    command -v pkg-config >/dev/null || echo pkg-config
    postgres_bin >/dev/null || echo postgresql
    has_libpq >/dev/null 2>&1 || echo libpq-dev
    has_mariadb >/dev/null 2>&1 || echo mariadb-server
    has_libmariadb >/dev/null 2>&1 || echo libmariadb-dev
}

# Leaves everything in place, or says what to install and fails.
ensure_packages() {
    local missing=() as_root=()
    if ! command -v cargo >/dev/null; then
        echo "error: cargo is not on PATH; install Rust: https://rustup.rs" >&2
        return 1
    fi
    mapfile -t missing < <(missing_packages | tr ' ' '\n')
    ((${#missing[@]})) || return 0

    if ! command -v apt-get >/dev/null; then
        explain_missing "apt-get is not here, so they cannot be installed for you" "${missing[@]}"
        return 1
    fi
    if ((EUID != 0)); then
        if ! sudo -n true 2>/dev/null; then
            explain_missing "neither root nor sudo without a password" "${missing[@]}"
            return 1
        fi
        as_root=(sudo -n)
    fi

    echo "installing: ${missing[*]}"
    # A stale mirror is no reason to give up before the install itself has failed.
    "${as_root[@]}" apt-get update -qq || echo "warning: apt-get update failed" >&2
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null; then
        explain_missing "apt-get install failed" "${missing[@]}"
        return 1
    fi

    mapfile -t missing < <(missing_packages | tr ' ' '\n')
    if ((${#missing[@]})); then
        explain_missing "they are installed and still not found" "${missing[@]}"
        return 1
    fi
}

explain_missing() {
    local why=$1
    shift
    cat >&2 <<TEXT
error: the tests need packages that are missing ($why).
On Debian and Ubuntu:
    sudo apt-get install $*
Elsewhere the packages with: a C compiler (cc), pkg-config, the PostgreSQL server (initdb,
postgres) and libpq with headers, the MariaDB server (mariadbd, mariadb-install-db,
mariadb-admin) and its C client library with headers (libmariadb.pc).
SQLite alone needs none of them: cargo test
TEXT
}

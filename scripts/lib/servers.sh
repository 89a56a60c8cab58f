# shellcheck shell=bash
# Private database servers in a temporary folder, on Unix sockets only. Needs packages.sh.

SERVERS_DIR=
declare -A SERVER_PIDS=()
AS_SERVER=()
readonly START_LIMIT_SECONDS=120

# Starts PostgreSQL, MariaDB and a MariaDB that says it is MySQL, and exports their URLs.
start_servers() {
    # Not TMPDIR: a socket's path must stay below 108 characters.
    SERVERS_DIR=$(mktemp -d /tmp/diesel-versioned.XXXXXX) || return 1
    choose_user || return 1
    # Neither the server nor libpq shall take a port or a host from the caller's environment.
    unset "${!PG@}"

    # Both data folders are made at the same time.
    launch initdb make_postgres_data
    launch mariadb-install-db make_mariadb_data
    local name
    for name in initdb mariadb-install-db; do
        wait "${SERVER_PIDS[$name]}" || server_failed "$name" || return 1
        unset "SERVER_PIDS[$name]"
    done

    start_postgres
    start_mariadb mariadb
    # Clients take the version from the server, so this one takes the path of MySQL proper: no
    # RETURNING. Interleaved autoincrement is MySQL's default as well.
    start_mariadb mysql --version=8.0.36 --innodb-autoinc-lock-mode=2

    wait_ready postgres "$(postgres_bin)/pg_isready" -q -h "$SERVERS_DIR" || return 1
    for name in mariadb mysql; do
        wait_ready "$name" "$(mariadb_program mariadb-admin)" --no-defaults --user=root \
            --socket="$SERVERS_DIR/$name.sock" ping || return 1
    done

    export PG_DATABASE_URL="postgres:///postgres?host=$SERVERS_DIR&user=postgres"
    export MYSQL_DATABASE_URL="mysql://root@localhost/?unix_socket=$SERVERS_DIR/mariadb.sock"
    export MYSQL_NO_RETURNING_URL="mysql://root@localhost/?unix_socket=$SERVERS_DIR/mysql.sock"
}

# PostgreSQL refuses to run as root, and nothing here should.
choose_user() {
    local user=nobody run=()
    # Dies with this script, even if that is killed outright. `setpriv` replaces itself by the
    # server, so `$!` is the server's own number.
    if command -v setpriv >/dev/null; then
        run=(setpriv --pdeathsig TERM)
    fi
    if ((EUID == 0)); then
        if ! command -v setpriv >/dev/null; then
            echo "error: as root the tests need setpriv (util-linux), or run them as another user" >&2
            return 1
        fi
        run+=(--reuid "$user" --regid "$(id -g "$user")" --clear-groups)
        chown "$user" "$SERVERS_DIR"
    fi
    AS_SERVER=(env HOME="$SERVERS_DIR" LC_ALL=C "${run[@]}")
}

make_postgres_data() {
    "${AS_SERVER[@]}" "$(postgres_bin)/initdb" --auth=trust --username=postgres \
        --encoding=UTF8 --locale=C --no-sync --pgdata="$SERVERS_DIR/postgres"
}

make_mariadb_data() {
    "${AS_SERVER[@]}" "$(mariadb_program mariadb-install-db)" --no-defaults \
        --auth-root-authentication-method=normal --skip-test-db \
        --skip-name-resolve --datadir="$SERVERS_DIR/mariadb" &&
        "${AS_SERVER[@]}" cp -a "$SERVERS_DIR/mariadb" "$SERVERS_DIR/mysql"
}

# A crash may lose everything here, so nothing waits for the disk.
start_postgres() {
    launch postgres exec "${AS_SERVER[@]}" "$(postgres_bin)/postgres" \
        -D "$SERVERS_DIR/postgres" \
        -c listen_addresses= -c unix_socket_directories="$SERVERS_DIR" \
        -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c max_connections=300 -c deadlock_timeout=200ms -c lc_messages=C
}

start_mariadb() {
    local name=$1
    shift
    launch "$name" exec "${AS_SERVER[@]}" "$(mariadb_program mariadbd)" \
        --no-defaults --skip-networking \
        --datadir="$SERVERS_DIR/$name" --socket="$SERVERS_DIR/$name.sock" \
        --pid-file="$SERVERS_DIR/$name.pid" --max-connections=300 \
        --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-buffer-pool-size=256M \
        "$@"
}

# Starts a command, with NAME.log for its output, in a process group of its own (`set -m`): Ctrl-C
# reaches the tests and not the servers, which are stopped when the tests have ended.
launch() {
    local name=$1
    shift
    set -m
    (cd "$SERVERS_DIR" && "$@") >"$SERVERS_DIR/$name.log" 2>&1 </dev/null &
    SERVER_PIDS[$name]=$!
    set +m
}

# Asks the server by the given command until it answers.
wait_ready() {
    local name=$1 deadline=$((SECONDS + START_LIMIT_SECONDS))
    shift
    until "$@" >"$SERVERS_DIR/ready.log" 2>&1; do
        if ((SECONDS > deadline)) || ! kill -0 "${SERVER_PIDS[$name]}" 2>/dev/null; then
            cat "$SERVERS_DIR/ready.log" >&2
            server_failed "$name"
            return 1
        fi
        sleep 0.1
    done
}

server_failed() {
    echo "error: $1 failed; its log:" >&2
    sed 's/^/    /' "$SERVERS_DIR/$1.log" >&2
    return 1
}

# Stops what start_servers started, by its own number, and removes the folder.
stop_servers() {
    local name
    # All are told first and then waited for one by one.
    for name in "${!SERVER_PIDS[@]}"; do
        kill -s "$(stop_signal "$name")" -- "-${SERVER_PIDS[$name]}" 2>/dev/null
    done
    for name in "${!SERVER_PIDS[@]}"; do
        stop_group "${SERVER_PIDS[$name]}" "$(stop_signal "$name")"
    done
    SERVER_PIDS=()
    # One that was started in the moment of the signal is not written down yet.
    for name in $(jobs -p); do
        stop_group "$name" TERM
    done
    if [[ -n $SERVERS_DIR ]]; then
        rm -rf "$SERVERS_DIR"
        SERVERS_DIR=
    fi
}

# PostgreSQL waits for its clients after TERM; INT is its fast shutdown.
stop_signal() {
    if [[ $1 == postgres ]]; then echo INT; else echo TERM; fi
}

# Ends a process group that `set -m` made. The signal is repeated, for MariaDB loses one that
# comes while it starts; what is there after ten seconds is killed.
stop_group() {
    local group=$1 signal=$2 tries=0
    while kill -0 -- "-$group" 2>/dev/null; do
        ((tries++ < 100)) || signal=KILL
        kill -s "$signal" -- "-$group" 2>/dev/null
        sleep 0.1
    done
}

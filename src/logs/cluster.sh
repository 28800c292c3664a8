#!/usr/bin/env bash
# Makes src/logs/cluster-updates.tsv and src/logs/cluster-sums.tsv, from the root of the repository, on Linux with Open MPI and libclang:
#     src/logs/cluster.sh
# Every process has one thread, and the messages go through memory that the processes share.
set -euo pipefail

logs=$PWD/src/logs
if [ "$(id --user)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
program=$(cargo bench --bench cluster --features transformer/cluster --no-run 2>&1 \
    | sed -nE 's/^ *Executable.*\((.*)\)$/\1/p')

measure() { # PROCESSES WORK...
    mpirun --oversubscribe --bind-to none -n "$1" "$program" processor "${@:2}"
}

updates() {
    for processes in 1 2 4; do measure $processes update tiny 368 4 5; done
    for parts in 4 1; do measure 1 update tiny 92 $parts 9; done
    for processes in 1 2; do measure $processes update base 24 4 3; done
    for parts in 4 1; do measure 1 update base 8 $parts 4; done
    measure 1 update big 12 4 2
    for parts in 4 1; do measure 1 update big 4 $parts 2; done
}

sums() {
    for processes in 2 4; do measure $processes sum tiny 20; done
    for processes in 2 4; do measure $processes sum base 5; done
}

# Of each of the last two columns the least of three rounds: whatever else the machine does can only add to it.
least() { # COLUMNS WORK
    for _ in 1 2 3; do "$2"; done | awk -F '\t' -v OFS='\t' -v names="$1" '
        { row = $1; for (i = 2; i <= names; i++) row = row OFS $i }
        !(row in work) { order[++rows] = row; work[row] = $(names + 1); messages[row] = $(names + 2) }
        $(names + 1) < work[row] { work[row] = $(names + 1) }
        $(names + 2) < messages[row] { messages[row] = $(names + 2) }
        END { for (i = 1; i <= rows; i++) print order[i], work[order[i]], messages[order[i]] }
    '
}

{
    printf 'model\tprocesses\tparts\ttokens\twork\tmessages\n'
    least 4 updates
} > "$logs/cluster-updates.tsv"
{
    printf 'way\tmodel\tprocesses\twork\tmessages\n'
    least 3 sums
} > "$logs/cluster-sums.tsv"

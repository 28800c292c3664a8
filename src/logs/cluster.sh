#!/usr/bin/env bash
# Makes src/logs/cluster-updates.tsv, from the root of the repository, on Linux with Open MPI and libclang:
#     src/logs/cluster.sh
# Every process has one thread, and the messages go through memory that the processes share.
set -euo pipefail

log=$PWD/src/logs/cluster-updates.tsv
if [ "$(id --user)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
program=$(cargo bench --bench cluster --features transformer/cluster --no-run 2>&1 \
    | sed -nE 's/^ *Executable.*\((.*)\)$/\1/p')

measure() { # PROCESSES MODEL SENTENCES PARTS UPDATES
    mpirun --oversubscribe --bind-to none -n "$1" "$program" processor "${@:2}"
}

rounds() {
    for _ in 1 2 3; do
        for processes in 1 2 4; do measure $processes tiny 368 4 5; done
        for parts in 4 1; do measure 1 tiny 92 $parts 9; done
        for processes in 1 2; do measure $processes base 24 4 3; done
        for parts in 4 1; do measure 1 base 8 $parts 4; done
        measure 1 big 12 4 2
        for parts in 4 1; do measure 1 big 4 $parts 2; done
    done
}

# Of each time the least: whatever else the machine does can only add to it.
printf 'model\tprocesses\tparts\ttokens\tcomputing\tpacking\texchanging\n' > "$log"
rounds | awk -v OFS='\t' '
    { row = $1 OFS $2 OFS $3 OFS $4 }
    !(row in computing) { order[++rows] = row; computing[row] = $5; packing[row] = $6; exchanging[row] = $7 }
    $5 < computing[row] { computing[row] = $5 }
    $6 < packing[row] { packing[row] = $6 }
    $7 < exchanging[row] { exchanging[row] = $7 }
    END { for (i = 1; i <= rows; i++) print order[i], computing[order[i]], packing[order[i]], exchanging[order[i]] }
' >> "$log"

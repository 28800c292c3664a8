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

measure() { # PROCESSES MODEL SENTENCES UPDATES
    mpirun --oversubscribe --bind-to none -n "$1" "$program" "${@:2}" >> "$log"
}

printf 'model\tprocesses\ttokens\tcomputing\texchanging\n' > "$log"
for processes in 1 2 4; do measure $processes tiny 368 7; done
measure 1 tiny 92 9
for processes in 1 2; do measure $processes base 24 3; done
measure 1 base 8 4
for sentences in 12 4; do measure 1 big $sentences 3; done

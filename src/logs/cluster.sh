#!/usr/bin/env bash
# Makes src/logs/cluster-updates.tsv, from the root of the repository, on a machine with Open MPI and libclang:
#     src/logs/cluster.sh
# Every process has one thread. The messages go through memory that the processes share, or through TCP.
set -euo pipefail

log=$PWD/src/logs/cluster-updates.tsv
if [ "$(id --user)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

measure() { # MODEL WIRE SENTENCES UPDATES PROCESSES
    local wire=()
    if [ "$2" = tcp ]; then wire=(--mca btl "tcp,self"); fi
    mpirun --oversubscribe --bind-to none "${wire[@]}" -n "$5" \
        "$program" "${@:1:4}" >> "$log"
}

program=$(cargo bench --bench cluster --features transformer/cluster --no-run 2>&1 \
    | sed -nE 's/^ *Executable.*\((.*)\)$/\1/p')
printf 'model\twire\tprocesses\ttokens\tupdate\tcomputing\twaiting\texchanging\n' > "$log"
for processes in 1 2 4; do measure tiny memory 368 20 $processes; done
for processes in 2 4; do measure tiny tcp 368 20 $processes; done
for wire in memory tcp; do measure base $wire 32 6 2; done
measure base memory 32 6 1
measure big memory 16 4 1

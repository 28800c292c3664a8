#!/usr/bin/env bash
# Trains the recurrent translator and one of ours with as many parameters, from the root of the repository:
#     src/logs/rival.sh rates DATA     five learning rates for each, with a tenth of the tokens, by val: half an hour of a core
#     src/logs/rival.sh learn DATA     three seeds of each, with its best rate: two hours of a core; goes on if it was stopped
#     src/logs/rival.sh judge DATA     test2016, once for each model, and how far a gradient reaches
#     src/logs/rival.sh backwards      small networks write words backwards, with attention and without: twenty minutes
# What is in the last log already is not trained again. DATA has train, val and test2016, each as .en and .de.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/rival state=$PWD/target/rival
mkdir -p "$state"
budget=10750000

run() { RAYON_NUM_THREADS=1 cargo bench --quiet --bench rival -- "$@"; }

rates() {
    for kind in rival book; do
        for rate in 0.001 0.002 0.004 0.008 0.016; do
            log=$logs-rate-$kind-$rate.tsv
            [ -e "$log" ] || run learn "$1" $kind 1 $rate 1000000 "$state/rate-$kind-$rate" "$log"
        done
    done
}

# KIND: the rate after which val is lowest.
best() {
    for log in "$logs-rate-$1"-*.tsv; do echo "$(tail -n 1 "$log" | cut -f 4) $log"; done |
        sort -n | head -n 1 | sed -E 's/.*-([0-9.]+)\.tsv/\1/'
}

learn() {
    for seed in 1 2 3; do
        for kind in rival book; do
            run learn "$1" $kind $seed "$(best $kind)" $budget "$state/$kind-$seed" "$logs-run-$kind-$seed.tsv"
        done
    done
}

judge() {
    run sizes "$1" > "$logs-sizes.tsv"
    for kind in rival book; do
        for seed in 1 2 3; do
            run judge "$1" test2016 $kind "$state/$kind-$seed" > "$logs-sentences-$kind-$seed.tsv"
        done
        run distance "$1" $kind "$state/$kind-1" > "$logs-distance-$kind.tsv"
    done
}

backwards() { run backwards "$logs-backwards.tsv"; }

"$1" "$(realpath "${2:-.}")"

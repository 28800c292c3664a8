#!/usr/bin/env bash
# Trains a model on each of the small tasks, counts what it gets right, and
# notes where it looks; then trains smaller models in eleven ways, from the root
# of the repository:
#     src/logs/training.sh         all of it
#     src/logs/training.sh runs    the eleven ways, in a minute
set -euo pipefail

logs=src/logs

cargo bench --quiet --bench training -- runs > $logs/training-runs.tsv
if [ "${1-}" = runs ]; then exit; fi

cargo build --quiet --release --bin transformer
printf 'task\tright\tof\n' > $logs/training-scores.tsv
for task in dates sort copy reverse; do
    out=$PWD/target/training-$task
    rm -rf "$out"
    target/release/transformer train --task $task --layers 1 --out "$out" \
        | sed -nE "s/.*: ([0-9]+) of ([0-9]+) new examples.*/$task\t\1\t\2/p" \
        >> $logs/training-scores.tsv
done

# Cargo runs a bench in another directory.
look() {
    cargo bench --quiet --bench training -- "$1" "$PWD/target/training-$2" "${@:3}"
}

printf 'task\tpart\tright place\tby chance\n' > $logs/training-counts.tsv
for task in copy reverse sort dates; do
    cargo bench --quiet --bench training -- \
        counts $task "$PWD/target/training-$task" >> $logs/training-counts.tsv
done

look map dates 'tuesday 6 march 1984' 1984-03-06 \
    > $logs/training-dates.tsv
look map sort planet aelnpt > $logs/training-sort.tsv
look parts dates > $logs/training-parts.tsv
look exchanged dates > $logs/training-exchanged.tsv

#!/usr/bin/env bash
# Classifiers learn to judge reviews, from the root of the repository, each in
# less than a minute:
#     src/logs/classifier.sh learn SEED     a classifier
#     src/logs/classifier.sh compare SEED   without positions; with one mean
#     src/logs/classifier.sh rivals SEED    bags of words and runs; more reviews
#     src/logs/classifier.sh exchanged      what the first classifier's verdict depends on
#     src/logs/classifier.sh                all of it, for the seeds 1 to 5
# Everything measured goes to src/logs/classifier-*.
set -euo pipefail

logs=src/logs/classifier

bench() { cargo bench --quiet --bench classifier -- "$@"; }

learn() { bench learn "$1" > "$logs-run-$1.tsv"; }
compare() { bench compare "$1" > "$logs-compared-$1.tsv"; }
rivals() { bench rivals "$1" > "$logs-rivals-$1.tsv"; }

exchanged() { bench exchanged > $logs-exchanged.tsv; }

case ${1-all} in
    learn | compare | rivals | exchanged) "$@" ;;
    all)
        for seed in 1 2 3 4 5; do
            learn $seed
            compare $seed
            rivals $seed
        done
        exchanged
        ;;
esac

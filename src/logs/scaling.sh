#!/usr/bin/env bash
# Trains small decoders of five sizes with three budgets, from the root of the
# repository:
#     src/logs/scaling.sh rates DATA         a quarter of an hour of a core
#     src/logs/scaling.sh runs DATA SEED     half an hour of a core
#     src/logs/scaling.sh all DATA           the rates, and three seeds
# What is in a log already is not trained again, so each goes on if it was
# stopped. DATA has train.en and val.en.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/scaling

bench() { RAYON_NUM_THREADS=1 cargo bench --quiet --bench scaling -- "$@"; }

rates() { bench rates "$1/train.en" "$1/val.en" "$logs-rates.tsv"; }
runs() { bench runs "$1/train.en" "$1/val.en" "$logs-rates.tsv" "$2" "$logs-runs.tsv"; }

data=$(realpath "$2")
case $1 in
    rates) rates "$data" ;;
    runs) runs "$data" "$3" ;;
    all) rates "$data" && for seed in 1 2 3; do runs "$data" $seed; done ;;
esac

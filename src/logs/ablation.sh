#!/usr/bin/env bash
# Trains models with one thing changed, from the root of the repository. What
# is in a log already is not trained again, so each goes on if it was stopped:
#     src/logs/ablation.sh switches             every switch, five seeds, on two tasks: half an hour
#     src/logs/ablation.sh sizes                a small Table 3, three seeds: ten minutes
#     src/logs/ablation.sh depth                the norm after and before, 2 to 16 layers, two seeds: a quarter of an hour
#     src/logs/ablation.sh captions DATA        nine switches, three seeds, on a tenth of the translator's updates
#     src/logs/ablation.sh                      the first three
# DATA has train and val, each as .en and .de.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/ablation

run() { cargo bench --quiet --bench ablation -- "$@"; }

switches() { run switches "$logs-switches.tsv" "$logs-pulled.tsv"; }
sizes() { run sizes "$logs-sizes.tsv"; }
depth() { run depth "$logs-depth.tsv"; }
captions() { run captions "$(realpath "$1")" 780 "$logs-captions.tsv"; }

case ${1-all} in
    switches | sizes | depth | captions) "$@" ;;
    all) switches && sizes && depth ;;
esac

#!/usr/bin/env bash
# Makes src/logs/training-tasks.tsv, training-looks.tsv and training-dates.tsv,
# from the root of the repository, in a few minutes:
#     src/logs/training.sh
set -euo pipefail

cargo bench --quiet --bench training -- "$PWD/src/logs"

#!/usr/bin/env bash
# Trains the word reverser by five methods, from the root of the repository: two minutes of a core. What is in a log already is not
# trained again.
#     src/logs/optimizer.sh
set -euo pipefail

# Cargo runs a bench in another directory.
cargo bench --quiet --bench optimizer -- "$PWD/src/logs/optimizer"

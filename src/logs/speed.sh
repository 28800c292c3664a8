#!/usr/bin/env bash
# Makes src/logs/speed-steps.tsv and src/logs/speed-rival.tsv, from the root
# of the repository:
#     src/logs/speed.sh steps
#     src/logs/speed.sh rival DATA PYTHON
# The rival needs what src/logs/translation.sh has made of DATA, and a PYTHON
# that has what tests/reference/README.md asks for.
set -euo pipefail

logs=src/logs

steps() {
    cargo bench --quiet --bench speed > $logs/speed-steps.tsv
}

# Five pairs in turn, and the translation of a thousand captions.
rival() {
    cargo build --quiet --release --bin transformer
    data=$1 python=$2 out=target/speed
    model=$(src/logs/translation.sh chosen)
    transformer="target/release/transformer"
    rival="$python tests/reference/rival.py"
    printf 'what\tours\tPyTorch\n' > $logs/speed-rival.tsv
    for _ in 1 2 3 4 5; do
        rm -rf $out
        "$transformer" train \
            --source "$data/train.en" --target "$data/train.de" \
            --valid-source "$data/val.en" --valid-target "$data/val.de" \
            --batch-tokens 2750 --bidirectional-updates 0 --updates 60 --every 60 --out $out
        ours=$(awk 'END { printf "%.0f", $5 / $6 }' $out/log.tsv)
        theirs=$($rival train "$(exported $out/00000060)" \
            "$data/train.en" "$data/train.de" 60)
        printf 'training\t%s\t%s\n' "$ours" "$theirs" >> $logs/speed-rival.tsv
    done
    ours=$(seconds "$transformer" translate --model $model < "$data/test2016.en")
    theirs=$($rival translate "$(exported $model)" "$data/test2016.en" \
        2>&1 > /dev/null | tail -n 1)
    printf 'translating\t%s\t%s\n' "$ours" "$theirs" >> $logs/speed-rival.tsv
}

# A model, with a file that PyTorch reads beside the others.
exported() {
    rm -f "$1/torch.safetensors"
    "$transformer" export --model "$1" --out "$1/torch.safetensors" > /dev/null
    echo "$1"
}

# How long a command takes from its start to its end.
seconds() {
    local TIMEFORMAT=%1R
    { time "$@" > /dev/null 2> /dev/null; } 2>&1
}

"$@"

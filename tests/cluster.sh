#!/usr/bin/env bash
# Trains in one process, in two and in four; kills one of two and goes on in four; interrupts one of two. All end with the same
# bytes. Processes that were started with different flags don't begin.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo clippy --quiet --bin transformer --features transformer/cluster -- --deny warnings
cargo build --quiet --bin transformer --features transformer/cluster
program=$PWD/${CARGO_TARGET_DIR-target}/debug/transformer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "$(id --user)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
processes=(mpirun --oversubscribe --bind-to none -n)
train=("$program" train --layers 1 --d-model 32 --d-ff 64 --batch-tokens 500
    --updates 200 --bidirectional-updates 100 --dropout 0.1 --every 20)

same() {
    for file in model adam; do
        cmp "$folder"/{"$1","$2"}/00000200/$file.safetensors
    done
    echo "$3: the same bytes"
}

"${train[@]}" --out "$folder/1" > /dev/null
"${processes[@]}" 2 "${train[@]}" --threads 3 --out "$folder/2" > "$folder/said"
same 1 2 "two processes"
"${processes[@]}" 4 "${train[@]}" --threads 1 --out "$folder/4" > /dev/null
same 1 4 "four processes"
if [ "$(grep --count "^update 200:" "$folder/said")" != 1 ]; then
    echo "not only the first process has spoken" >&2
    exit 1
fi

# Files are packed by each process for itself.
for i in $(seq 500); do echo "$i and $((i * 7)) are $((i * 8)) ."; done > "$folder/source"
rev "$folder/source" > "$folder/target"
head --lines 50 "$folder/source" > "$folder/valid-source"
head --lines 50 "$folder/target" > "$folder/valid-target"
files=(--merges 100)
for side in source target valid-source valid-target; do files+=("--$side" "$folder/$side"); done
"${train[@]}" "${files[@]}" --out "$folder/files-1" > /dev/null
"${processes[@]}" 2 "${train[@]}" "${files[@]}" --threads 1 --out "$folder/files-2" > /dev/null
same files-1 files-2 "two processes that learn from files"

refused() {
    if "$@" > /dev/null 2> "$folder/said"; then
        echo "this was not refused: $*" >&2
        exit 1
    fi
    grep "^error:" "$folder/said"
}
begin=("${train[@]}" --out "$folder/refused")
refused "${processes[@]}" 1 "${begin[@]}" : -n 1 "${begin[@]}" --peak-lr 0.001
refused "${processes[@]}" 1 "${begin[@]}" : -n 1 "${begin[@]}" --task copy
refused "${processes[@]}" 5 "${begin[@]}"
if [ -e "$folder/refused" ]; then
    echo "a run that was refused has left something" >&2
    exit 1
fi

# One of two processes gets this signal after the second checkpoint.
signalled() {
    "${processes[@]}" 2 "${train[@]}" --threads 1 --out "$folder/$2" &> "$folder/said" &
    until [ -d "$folder/$2/00000040" ]; do sleep 0.05; done
    kill "-$1" "$(pgrep --parent $! transformer | tail --lines 1)"
}

signalled KILL killed
if wait $!; then
    echo "one process was killed, and the others ended well" >&2
    exit 1
fi
last=$(basename "$(printf '%s\n' "$folder"/killed/0* | tail --lines 1)")
(cd "$folder/killed/$last" && sha256sum --check --quiet SHA256SUMS)
"${processes[@]}" 4 "${train[@]}" --threads 1 --out "$folder/killed" --resume > /dev/null
same 1 killed "one of two killed after update ${last##*0000}, and four went on"

# One of them hears Ctrl-C, all end together, and the first says it.
signalled INT interrupted
code=0
wait $! || code=$?
farewell="stopped; train --resume --out $folder/interrupted goes on"
if [ $code != 130 ] || [ "$(grep "^stopped" "$folder/said")" != "$farewell" ]; then
    echo "one process was interrupted, and not all have stopped as they should" >&2
    exit 1
fi
"${processes[@]}" 2 "${train[@]}" --threads 1 --out "$folder/interrupted" --resume > /dev/null
same 1 interrupted "one of two interrupted, and both went on"

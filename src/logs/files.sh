#!/usr/bin/env bash
# Sessions with PyTorch and with files that are refused, from the root of the repository:
#     PYTHON=target/venv/bin/python src/logs/files.sh > src/logs/files.txt
# PYTHON is a Python of a virtual environment with numpy, torch and safetensors.
set -euo pipefail

cargo build --quiet --release --bin transformer
target=$(realpath "${CARGO_TARGET_DIR:-target}")
# Small matrices are not worth several threads.
export OMP_NUM_THREADS=1
python=$(cd "$(dirname "${PYTHON:-target/venv/bin/python}")" && pwd)
PATH=$target/release:$python:$PATH
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
ln -s "$root/code" "$root/tests" .
# Complaints are a part of the session.
exec 2>&1

# A command line is shown as it is typed, and then run.
typed() {
    echo "$ $1"
    eval "$1" || true
}

echo "== To PyTorch"
typed 'transformer train --updates 500 --every 500 --out backwards > backwards.txt'
typed 'transformer export --model backwards --out backwards.safetensors'
typed 'python3 tests/reference/load.py backwards.safetensors 104 101 108 108 111 257'

echo "== With merges"
typed 'transformer export --model code/models/captions --out captions.safetensors'
typed 'transformer tokenize --ids "A dog runs through the snow."'
typed 'ids=$(transformer tokenize --ids "A dog runs through the snow.")'
typed 'python3 tests/reference/load.py captions.safetensors $ids | transformer detokenize --ids'

echo "== And back"
typed 'python3 tests/reference/train.py backwards.safetensors copies.safetensors 1500 0.1'
typed 'transformer import --weights copies.safetensors --model backwards --out copies'
typed 'transformer translate --model backwards hello'
typed 'transformer translate --model copies hello'

echo "== Damaged"
typed 'cp -r backwards/00000500 damaged; cd damaged'
typed "sed -i 's/keep = 10/keep = 1/' config.toml"
typed 'transformer translate --model . hello'
typed 'sha256sum config.toml merges.txt model.safetensors adam.safetensors > SHA256SUMS'
typed 'transformer translate --model . hello'
typed "sed -i 's/keep/kepe/' config.toml"
typed 'sha256sum config.toml merges.txt model.safetensors adam.safetensors > SHA256SUMS'
typed 'transformer translate --model . hello'
typed 'cd ..'

echo "== Out of place"
typed 'transformer export --model backwards --out backwards.safetensors'
typed 'transformer quantize --model backwards --out small'
typed 'transformer import --weights copies.safetensors --model small --out more'
echo '$ transformer train --out run > run.txt &'
transformer train --out run > run.txt &
typed 'sleep 2'
until [ -e run/.lock ]; do sleep 0.1; done
typed 'transformer train --out run'
echo '$ kill %1'
kill $!
wait $! || true

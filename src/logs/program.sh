#!/usr/bin/env bash
# A session with the program, from the root of the repository:
#     src/logs/program.sh > src/logs/program.txt
set -euo pipefail

cargo build --quiet --release --bin transformer
PATH=$PWD/target/release:$PATH
export COLUMNS=80
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Complaints are a part of the session.
exec 2>&1

# A command line is shown as it is typed, and then run.
typed() {
    echo "$ $1"
    eval "$1" || true
}

echo "== The commands"
typed 'transformer --help'

echo "== A run"
train='transformer train --every 500 --out backwards'
echo "$ $train"
$train &
until [ -e backwards/00000500 ]; do sleep 0.1; done
sleep 3
# As a terminal shows that Ctrl-C was pressed.
echo '^C'
kill -INT $!
code=0
wait $! || code=$?
echo '$ echo $?'
echo $code

echo "== What it has kept"
typed 'ls backwards'

echo "== Going on"
typed 'transformer train --resume --out backwards'
typed 'column -t backwards/log.tsv'

echo "== Commands that are refused"
typed 'transformer train --dropout 1'
typed 'transformer train --heads 3; echo $?'
typed "$train"
typed "$train --resume --dropout 0.1"
typed 'transformer translate --model forwards "a dog"'

echo "== Other commands"
typed 'transformer translate --nbest 2 "two boys play in the rain ."'
printf 'a dog runs through the snow .\ntwo boys play in the rain .\n' > a.en
printf 'ein hund läuft durch den schnee .\nzwei jungen spielen im regen .\n' > a.de
typed 'cat a.en a.de'
typed 'transformer score --source a.en --reference a.de --sentences'
typed 'echo "A dog runs, quickly." | transformer tokenize'
typed 'echo "ein hund rennt , schnell ." | transformer detokenize'
typed 'transformer average backwards --last 3 --out mean'
typed 'transformer export --model mean'

echo "== The flags of train"
typed 'transformer train --help'

echo "== Translating"
typed 'transformer translate "a dog runs through the snow ."'
typed 'transformer translate "A dog runs through the snow."'
typed 'transformer translate --as-is "A dog runs through the snow."'
typed 'transformer attend "a dog runs through the snow ."'
typed 'ls -C attention'
typed 'transformer params --preset base | tail -n 2'

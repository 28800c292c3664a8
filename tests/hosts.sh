#!/usr/bin/env bash
# Trains on two hosts, as the book says, and compares the bytes with those of one process. Then prints what adding up
# gradients takes with a cable of 1 and of 10 Gbit/s: the lines of src/logs/cluster-hosts.tsv. As root, on Debian with
# the packages iproute2, openssh-server, openmpi-bin, libopenmpi-dev and libclang-dev.
#
# The hosts are two network namespaces of this machine, with a name, an address and an SSH server each, and the cable is
# a pair of virtual interfaces. All of it is gone when the script ends.
set -euo pipefail
cd "$(dirname "$0")/.."

features=(--features transformer/cluster)
cargo build --quiet --release --bin transformer "${features[@]}"
program=$PWD/${CARGO_TARGET_DIR-target}/release/transformer
bench=$(cargo bench --bench cluster "${features[@]}" --no-run 2>&1 | sed -nE 's/^ *Executable.*\((.*)\)$/\1/p')
folder=$(mktemp -d)
chmod 755 "$folder"

clean_up() {
    for server in "$folder"/*.pid; do kill "$(cat "$server")" || true; done
    for host in 1 2; do ip netns delete "book-$host" || true; done
    rm -rf "$folder"
}
trap clean_up EXIT

on() { # HOST COMMAND...
    ip netns exec "book-$1" unshare --uts sh -c 'hostname "$0"; exec "$@"' "book-$1" "${@:2}"
}

ssh-keygen -q -t ed25519 -N "" -f "$folder/key"
mkdir -p /run/sshd
for host in 1 2; do ip netns add "book-$host"; done
ip -netns book-1 link add cable type veth peer name cable netns book-2
for host in 1 2; do
    ip -netns "book-$host" link set lo up
    ip -netns "book-$host" address add "10.0.0.$host/24" dev cable
    ip -netns "book-$host" link set cable up
    on "$host" /usr/sbin/sshd -f /dev/null -h "$folder/key" -o "PidFile=$folder/$host.pid" -o UsePAM=no \
        -o "AuthorizedKeysFile=$folder/key.pub" -o StrictModes=no -o PermitRootLogin=yes
    echo "10.0.0.$host slots=1" >> "$folder/hosts"
done

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ssh="ssh -i $folder/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
hosts() { on 1 mpirun --hostfile "$folder/hosts" --mca plm_rsh_agent "$ssh" -n 2 --bind-to none "$@"; }

train=("$program" train --layers 1 --d-model 32 --d-ff 64 --batch-tokens 500 --updates 200 --dropout 0.1)
"${train[@]}" --out "$folder/alone" > /dev/null
hosts "${train[@]}" --out "$folder/both" > /dev/null
for file in model adam; do
    cmp "$folder"/{alone,both}/00000200/$file.safetensors
done
echo "two hosts: the same bytes" >&2

printf 'gigabits\tway\tmodel\tprocesses\twork\tmessages\n'
for gigabits in 1 10; do
    for host in 1 2; do
        ip netns exec "book-$host" tc qdisc replace dev cable root tbf rate "${gigabits}gbit" burst 256kb latency 20ms
    done
    for model in "tiny 30" "base 6"; do
        # shellcheck disable=SC2086 # a model and its rounds
        hosts "$bench" wall sum $model | sed "s/^/$gigabits\t/"
    done
done

#!/usr/bin/env bash
# Proves that the repository works on a fresh machine: a bare Debian 12 in a chroot, with Python 3.11
# and its headers, g++ and make, and nothing else.
#
# In:  the commands of ./dev to run inside (default: demo and test); root, debootstrap or apt.
# Out: their output and the seconds of each; exit code 0 when all of them passed.
# Never: uses anything built or installed outside the chroot; leaves it behind (HODOR_KEEP=1 does).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" != 0 ]; then
  echo "fresh_machine: a chroot needs root" >&2
  exit 2
fi
if [ -z "${HODOR_IN_NAMESPACE:-}" ]; then
  # Mounts made below end with this process, whatever happens to it.
  exec env HODOR_IN_NAMESPACE=1 unshare --mount bash "$0" "$@"
fi
if ! command -v debootstrap >/dev/null; then
  apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends debootstrap >/dev/null
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/fresh-machine.XXXXXX")
chmod 755 "$root"  # mktemp keeps it to its owner, but to others it is their "/"
cleanup() {
  umount -R "$root/proc" "$root/dev" 2>/dev/null || true
  if [ -z "${HODOR_KEEP:-}" ]; then rm -rf --one-file-system "$root"; else echo "kept: $root"; fi
}
trap cleanup EXIT

started=$SECONDS
debootstrap --variant=minbase \
  --include=python3,python3-dev,python3-venv,g++,make,ca-certificates bookworm "$root" \
  >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
rm -f "$root.log"
echo "fresh_machine: bare Debian 12 in $((SECONDS - started)) s"

# The network as the host sees it: names, and the certificates that its indexes are signed with.
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
for file in /etc/apt/apt.conf.d/*proxy* /etc/pip.conf; do
  if [ -e "$file" ]; then cp -L "$file" "$root$file"; fi
done
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

mkdir "$root/repository"
git ls-files -z --cached | xargs -0 tar -c --ignore-failed-read -f - | tar -x -C "$root/repository"

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    CI="${CI:-}" SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    bash -c 'cd /repository && exec ./dev "$@"' dev "$@" </dev/null
}
[ $# -gt 0 ] || set -- demo test
for command in "$@"; do
  started=$SECONDS
  echo "fresh_machine: ./dev $command"
  # Words of one argument are the arguments of that command ("test core").
  # shellcheck disable=SC2086
  inside $command
  echo "fresh_machine: ./dev $command passed in $((SECONDS - started)) s"
done

#!/bin/sh
# Resolve the core, the local extra and the dev group anew, and write what was
# installed to constraints.txt: one `name==version` a line, no hashes, no
# addresses, so that any index or mirror serves.
#
# pyproject.toml says what ore can work with; constraints.txt says what the
# tests ran with. Run it to take newer releases, then `make test check`.
set -eu

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
}

case ${1-} in
'') ;;
-h | --help) usage && exit 0 ;;
*) echo "$0: expected no argument, got $1" >&2 && exit 2 ;;
esac
export PIP_DISABLE_PIP_VERSION_CHECK=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

sh tools/venv.sh "$folder/venv"
pip="$folder/venv/bin/python -m pip"
$pip install -qq --upgrade pip
$pip install -qq --editable '.[local]' --group dev
$pip freeze --all --exclude-editable --exclude setuptools >"$folder/constraints.txt"
if grep -vE '^[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+$' "$folder/constraints.txt" >&2; then
    echo "these lines are no name==version: constraints.txt is left as it was" >&2
    exit 1
fi
mv "$folder/constraints.txt" constraints.txt
echo "constraints.txt: $(wc -l <constraints.txt) packages"

#!/bin/sh
# Make an empty virtual environment with the pip of constraints.txt.
#
#   tools/venv.sh FOLDER
#
# Takes python3.11, else python3 when it is new enough; PYTHON names another.
set -eu

usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
}

case ${1-} in
-h | --help) usage && exit 0 ;;
'' | -*) echo "$0: expected a folder, got ${1:-none}" >&2 && exit 2 ;;
esac
folder=$1

python=
for candidate in ${PYTHON:-python3.11 python3}; do
    # Asking it to run is the only proof: a launcher may stand there for a Python that does not.
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "ore needs Python 3.11 or newer: found none as ${PYTHON:-python3.11 or python3}" >&2
    exit 1
fi

# The pip that comes with Python 3.11 knows no dependency groups, and some
# distributions part Python from ensurepip: then the pip outside installs the one inside.
if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$folder"
    "$folder/bin/python" -m pip install -qq --upgrade --constraint constraints.txt pip
else
    "$python" -m venv --clear --without-pip "$folder"
    "$python" -m pip --python "$folder/bin/python" install -qq --constraint constraints.txt pip
fi

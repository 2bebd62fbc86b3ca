#!/usr/bin/env bash
# Make the cross-encoder: bash tools/cross_encoder/all.sh WORK_DIR TORCH_PYTHON PAIRS_DIR...
# Run it again to go on; training resumes from its checkpoints.
set -euo pipefail
work=$1 torch=$2
shift 2
here=$(dirname "$0")
bundled=$here/../../kb/models/bundled
device=${DEVICE:-cpu}
mkdir -p "$work"

[ -e "$work/mined.jsonl" ] || {
    PYTHONPATH=$here/../.. python "$here/mine.py" --pairs "$@" --out "$work/mined.part" --cache "$work/mine"
    mv "$work/mined.part" "$work/mined.jsonl"
}
[ -e "$work/questions.json" ] || "$torch" "$here/texts.py" --pairs "$@" --out "$work"
for role in query passage; do
    [ -e "$work/enc/train_${role:0:1}/ids.json" ] ||
        "$torch" "$here/encode.py" --bundled "$bundled" --texts "$work/$role.jsonl" --role $role \
            --out "$work/enc/train_${role:0:1}"
done
train() {
    "$torch" "$here/train.py" --bundled "$bundled" --encoded "$work/enc" --mined "$work/mined.jsonl" \
        --questions "$work/questions.json" --device "$device" "$@"
}
train --head --epochs "${HEAD_EPOCHS:-0.6}" --rate 2e-3 --out "$work/head"
train --start "$work/head/checkpoint.pt" --epochs "${EPOCHS:-4}" --out "$work/read"
"$torch" "$here/calibrate.py" --bundled "$bundled" --encoded "$work/enc" --mined "$work/mined.jsonl" \
    --questions "$work/questions.json" --checkpoint "$work/read/checkpoint.pt" --out "$work/final.pt"
"$torch" "$here/export.py" --bundled "$bundled" --checkpoint "$work/final.pt" --out "$work/model"

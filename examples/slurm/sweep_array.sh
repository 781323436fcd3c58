#!/bin/bash
# A sweep as an array of independent jobs, for clusters where small jobs start sooner.
#   sbatch --array=1-20 sweep_array.sh angles.toml results
# and, when all are done:
#   carom sweep merge results
#SBATCH --job-name=carom-sweep
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
set -euo pipefail

plan=${1:?the sweep file is missing}
out=${2:?the folder for the results is missing}

exec carom sweep "$plan" --out "$out" --resume \
  --part "${SLURM_ARRAY_TASK_ID:?submit it with --array=1-N}/${SLURM_ARRAY_TASK_COUNT}" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}"

#!/bin/bash
# A sweep over all ranks of a job. Submit it again after a time limit: it goes on where it was.
#   sbatch sweep_mpi.sh angles.toml results
#SBATCH --job-name=carom-sweep
#SBATCH --ntasks=128
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60
set -euo pipefail

plan=${1:?the sweep file is missing}
out=${2:?the folder for the results is missing}

# exec would lose the trap: the shell passes the warning before the time limit on to the ranks.
srun --mpi=pmix carom sweep "$plan" --out "$out" --resume --csv &
ranks=$!
trap 'kill -TERM "$ranks"' TERM
wait "$ranks" || wait "$ranks"  # the first is cut short by the trap

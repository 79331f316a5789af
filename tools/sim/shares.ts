// Shares seeds between processes: virtual time replaces a process' own timers, so a process plays one seed at a time.
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {addTotals, emptyTotals, type Totals} from './totals.js';

const program = fileURLToPath(new URL('main.js', import.meta.url));

export interface Shared {
  readonly seeds: number;
  readonly from: number;
  readonly jobs: number;
  /** How many are played twice, the first ones. */
  readonly twice: number;
  readonly stops: boolean;
  readonly hasWorkers: boolean;
}

/** Passes on what the processes print about failed seeds. Rejects when one ends without its totals. */
export async function playInProcesses({seeds, from, jobs, twice, stops, hasWorkers}: Shared): Promise<Totals> {
  const bounds = Array.from({length: jobs + 1}, (_, job) => from + Math.floor((seeds * job) / jobs));
  const shares = bounds.slice(0, -1).map((first, job) => {
    const twiceHere = Math.max(0, from + twice - first);
    return playShare({from: first, seeds: bounds[job + 1] - first, jobs: 1, twice: twiceHere, stops, hasWorkers});
  });
  const totals = emptyTotals();
  for (const {seconds, ...share} of await Promise.all(shares)) addTotals(totals, share);
  return totals;
}

async function playShare({stops, hasWorkers, ...numbers}: Shared): Promise<Totals> {
  const words = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [program, ...words, ...(stops ? ['--stop'] : []), ...(hasWorkers ? ['--workers'] : [])];
  const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit']});
  let last = '';
  for await (const line of createInterface({input: child.stdout})) {
    if (last !== '') process.stdout.write(`${last}\n`);
    last = line;
  }
  if (!last.startsWith('{')) throw new Error(`seeds from ${numbers.from} on ended without a result: ${last}`);
  return JSON.parse(last) as Totals;
}

// The short form of `npm run sim`: fixed seeds against the slow model, a third of them twice, for the same course.
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {describe, expect, test} from 'vitest';
import {runs} from '../support/runs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = `${root}dist/tools/sim/main.js`;

interface Totals {
  readonly seeds: number;
  readonly failed: number;
  readonly hash: number;
  readonly [what: string]: number | string;
}

async function simulate(from: number, seeds: number, ...more: string[]): Promise<Totals> {
  const words = ['--from', String(from), '--seeds', String(seeds), '--twice', String(runs(seeds)), ...more];
  const run = promisify(execFile)(process.execPath, [program, ...words]);
  const {stdout} = await run.catch((error: {stdout: string}) => error);
  const lines = stdout.trim().split('\n');
  const totals = JSON.parse(lines.at(-1) as string) as Totals;
  expect({...totals, said: lines.slice(0, -1)}).toMatchObject({failed: 0, said: []});
  return totals;
}

describe('the simulation', () => {
  test('60 seeds come out as the model says, and everything that can go wrong went wrong in them', async () => {
    const totals = await simulate(1, 60);
    const wanted = ['ownerDeaths', 'edgeDeaths', 'serverRestarts', 'tailsLost', 'cuts', 'pauses', 'fenced', 'erasures'];
    for (const what of wanted) expect([what, Number(totals[what]) > 2]).toEqual([what, true]);
  });

  test('12 seeds of workers that share partitions: nobody answers what a successor answers, and each partition has one owner', async () => {
    const totals = await simulate(1, 12, '--workers');
    const wanted = ['takeOvers', 'workerDeaths', 'pauses', 'elections', 'leaves', 'cuts', 'read_history'];
    for (const what of wanted) expect([what, Number(totals[what]) > 2]).toEqual([what, true]);
  });

  test('one process after the other takes the same course', async () => {
    const [first, second] = [await simulate(7, 2), await simulate(7, 2)];
    expect(first.hash).toBe(second.hash);
  });
});

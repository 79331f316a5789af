// Anonymous users who join the user that was named beside them, while everything else stands still.
//   J1. At every moment reports count each event once: before its user joined, meanwhile and afterwards (docs/guarantees.md).

import {setTimeout as delay} from 'node:timers/promises';
import type {Broken} from './broken.js';
import {query, type Readback} from './readback.js';
import {dateOfRound, eventNames, isTimedName} from './workload.js';

// A join takes some seconds; the rest is patience with a loaded machine.
const joinMsMax = 120_000;
const askAgainMs = 200;

/** Resolves when all have joined, with the faults meanwhile. Nobody writes; `covered`: a log position after all requests. */
export async function untilJoined(readback: Readback, round: number, covered: string): Promise<Broken[]> {
  const deadlineMs = performance.now() + joinMsMax;
  const totals = new Set<number>();
  for (let haveJoined = false; !haveJoined; ) {
    haveJoined = await allHaveJoined(readback);
    totals.add(await countedOn(round, readback, covered));
    if (!haveJoined && performance.now() > deadlineMs)
      return [{invariant: 'recovery', detail: `users have not joined after ${joinMsMax} ms`}];
    if (!haveJoined) await delay(askAgainMs);
  }
  const date = dateOfRound(round);
  const rows = await readback.history({from: date, to: date});
  const stored = rows.filter(({event}) => isTimedName(event)).length;
  return [...totals]
    .filter((total) => total !== stored)
    .map((total) => ({
      invariant: 'report',
      detail: `J1 while users joined, reports counted ${total} events of ${date}, and ${stored} are stored`,
    }));
}

async function allHaveJoined(readback: Readback): Promise<boolean> {
  const partitions = (await readback.positions()).size;
  await readback.json('/v1/events?limit=1'); // All partitions have folded what was acknowledged before.
  const {text} = await readback.get('/metrics');
  const values = (name: string): number[] =>
    [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'gm'))].map(([, value]) => Number(value));
  // A partition that is too slow to answer is not in them.
  return ['millrace_join_candidates', 'millrace_moves_pending']
    .map(values)
    .every((found) => found.length === partitions && found.every((value) => value === 0));
}

/** Number of events over all names. */
async function countedOn(round: number, readback: Readback, covered: string): Promise<number> {
  const date = dateOfRound(round);
  const reports = eventNames.map(
    (event) => `/v1/reports/events?${query({event, from: date, to: date, interval: 'day'})}`,
  );
  const counts = reports.map((path) => readback.report(path, covered, joinMsMax) as Promise<{total: number}>);
  return (await Promise.all(counts)).reduce((sum, {total}) => sum + total, 0);
}

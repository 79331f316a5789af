// Reads everything that is stored, and compares it: history with the ledger, reports with history.

import {setTimeout as pause} from 'node:timers/promises';
import type {EventRow} from '../chaos/readback.js';
import {Readback} from '../chaos/readback.js';
import {keyOf, type Ledger} from './ledger.js';

const reportMsMax = 60_000;
// All times that an event may have, in few enough buckets.
const range = {from: '1970-01-01', to: '2027-12-31', interval: 'month'} as const;
const namesMax = 60;
/**
 * Anonymous users on their way to whom they are: history and reports follow each other within seconds. A comparison reads everything,
 * and takes a minute on a busy machine: a difference counts when several in a row have it.
 */
const agreeMsMax = 120_000;
const agreeTriesMin = 3;
const agreePauseMs = 500;

export interface Comparison {
  readonly stored: number;
  readonly broken: readonly string[];
}

/** `covered`: a log position after everything that was sent. */
export async function compareStored(
  port: number,
  secretKey: string,
  ledger: Ledger,
  covered: string,
): Promise<Comparison> {
  const readback = new Readback(port, secretKey);
  try {
    const endMs = Date.now() + agreeMsMax;
    for (let tries = 1; ; tries++) {
      const rows = await readback.history({});
      const broken = [...againstLedger(rows, ledger), ...(await againstReports(readback, rows, covered))];
      const isOver = tries >= agreeTriesMin && Date.now() > endMs;
      if (broken.length === 0 || isOver) return {stored: rows.length, broken};
      await pause(agreePauseMs);
    }
  } finally {
    readback.close();
  }
}

function* againstLedger(rows: readonly EventRow[], ledger: Ledger): Generator<string> {
  const expected = ledger.expected();
  const stored = new Map<string, number>();
  for (const row of rows) {
    const key = ledger.isLeftOut(row) ? undefined : keyOf(row);
    if (key !== undefined) stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  for (const [key, count] of stored) {
    const {min, max} = expected.get(key) ?? {min: 0, max: 0};
    if (count < min || count > max)
      yield `${short(key)} is stored ${count} times, and was taken ${min} to ${max} times`;
  }
  for (const [key, {min}] of expected) {
    if (min > 0 && !stored.has(key) && !ledger.isLeftOut(userOf(key)))
      yield `${short(key)} was taken ${min} times and is not stored`;
  }
}

function userOf(key: string): {userId?: string; anonymousId?: string} {
  const [kind, id] = JSON.parse(key) as [string, string];
  return kind === 'u' ? {userId: id} : {anonymousId: id};
}

const short = (key: string): string => (key.length > 200 ? `${key.slice(0, 200)}…` : key);

/** History and reports are read at different times: nothing was sent in between, but users may have moved. */
async function againstReports(readback: Readback, rows: readonly EventRow[], covered: string): Promise<string[]> {
  const broken: string[] = [];
  const counts = new Map<string, number>();
  const users = new Set<string>();
  for (const {event, userId, anonymousId} of rows) {
    counts.set(event, (counts.get(event) ?? 0) + 1);
    users.add(userId === null ? `a${anonymousId}` : `u${userId}`);
  }
  const names = [...counts].sort((a, b) => b[1] - a[1]).slice(0, namesMax);
  for (const [event, count] of names) {
    const query = new URLSearchParams({event, ...range});
    const {total} = (await readback.report(`/v1/reports/events?${query}`, covered, reportMsMax)) as {total: number};
    if (total !== count) broken.push(`the report counts ${total} of ${JSON.stringify(event)}, history ${count}`);
  }
  const query = new URLSearchParams({...range, metric: 'mau'});
  const {total} = (await readback.report(`/v1/reports/users?${query}`, covered, reportMsMax)) as {total: number};
  if (total !== users.size) broken.push(`the report counts ${total} users, history ${users.size}`);
  return broken;
}

// Reports, compared with the slow model over the events of history.
//   R1. A round's reports are those of the model.
//   R2. The days of earlier rounds keep their counts: later requests change none of them.

import {isDeepStrictEqual} from 'node:util';
import {activeUsersOf} from '../model/active-users.js';
import {eventCountsOf} from '../model/event-counts.js';
import {funnelOf} from '../model/funnel.js';
import {type EventBody, type JsonObject, Model, receivedAt, userKeyOf, userOf} from '../model/model.js';
import type {Broken} from './broken.js';
import {type EventRow, query, type Readback} from './readback.js';
import {placeOf} from './stored-events.js';
import {dateOfRound, eventNames} from './workload.js';

// A report is at most one refresh (1 s) old; the rest is patience with a loaded machine.
const reportMsMax = 120_000;

interface Question {
  readonly path: string;
  expected(model: Model): JsonObject;
}

/** The model of all events in `rows`, each at the time that history shows. */
export function modelOf(rows: readonly EventRow[]): Model {
  const model = new Model();
  const inArrival = [...rows].sort((a, b) => {
    const [aPartition, aOrdinal] = placeOf(a);
    const [bPartition, bOrdinal] = placeOf(b);
    return aPartition - bPartition || aOrdinal - bOrdinal;
  });
  for (const row of inArrival) {
    const {messageId: _, ...body} = row; // Without it the model would hide duplicates.
    model.event(body as EventBody, receivedAt(Date.parse(row.received_at)));
    // A joined event names the partition that it came from.
    if (!row.joined) model.partitions.set(userKeyOf(userOf(body as EventBody)), placeOf(row)[0]);
  }
  return model;
}

function questionsOf(from: string, to: string, interval: 'hour' | 'month'): Question[] {
  const range = {from, to};
  const counts = eventNames.flatMap((event) => [
    {event, ...range, interval},
    {event, ...range, interval, filter: 'flag=true'},
  ]);
  const actives = (['dau', 'wau', 'mau'] as const).map((metric) => ({...range, metric, interval: 'day' as const}));
  const steps = ['view', 'cart', 'buy'];
  const funnels = [range, {...range, window: '3h'}];
  return [
    ...counts.map((asked) => ({
      path: `/v1/reports/events?${query(asked)}`,
      expected: (model: Model) => eventCountsOf(model, asked),
    })),
    ...actives.map((asked) => ({
      path: `/v1/reports/users?${query(asked)}`,
      expected: (model: Model) => activeUsersOf(model, asked),
    })),
    ...funnels.map((asked) => ({
      path: `/v1/reports/funnel?${query({'steps[]': steps, ...asked})}`,
      expected: (model: Model) => funnelOf(model, {steps, ...asked}),
    })),
  ];
}

/** Counts of the days of the rounds so far. */
export class DayCounts {
  private readonly byName = new Map<string, Map<string, number>>();

  set(date: string, rows: readonly EventRow[]): void {
    for (const name of eventNames) {
      const counts = this.byName.get(name) ?? new Map<string, number>();
      counts.set(date, rows.filter((row) => row.event === name && row.timestamp.startsWith(date)).length);
      this.byName.set(name, counts);
    }
  }

  of(name: string, date: string): number {
    return this.byName.get(name)?.get(date) ?? 0;
  }
}

export class Reports {
  private readonly days = new DayCounts();

  constructor(private readonly readback: Readback) {}

  /** R1 and R2, by reports that include the log up to `covered`. */
  async brokenAfter(round: number, rows: readonly EventRow[], covered: string): Promise<Broken[]> {
    const date = dateOfRound(round);
    this.days.set(date, rows);
    const own = rows.filter((row) => row.timestamp.startsWith(date));
    // Of the windows of this round's reports only the trailing ones of weeks and months reach other rounds.
    const questions = questionsOf(date, date, 'hour').filter(({path}) => !/metric=[wm]au/.test(path));
    return [...(await this.compare(questions, own, covered)), ...(await this.brokenDays(round, covered))];
  }

  /** All reports over all rounds: for the end of a run. */
  brokenOver(rounds: number, rows: readonly EventRow[], covered: string): Promise<Broken[]> {
    return this.compare(questionsOf(dateOfRound(1), dateOfRound(rounds + 1), 'month'), rows, covered);
  }

  /** Sets the expected counts of the days up to this round's. */
  setDays(rounds: number, rows: readonly EventRow[]): void {
    for (let round = 1; round <= rounds; round++) this.days.set(dateOfRound(round), rows);
  }

  private async compare(questions: readonly Question[], rows: readonly EventRow[], covered: string): Promise<Broken[]> {
    const model = modelOf(rows);
    const broken: Broken[] = [];
    for (const {path, expected} of questions) {
      const actual = await this.readback.report(path, covered, reportMsMax);
      if (isDeepStrictEqual(actual, expected(model))) continue;
      const detail = `R1 ${decodeURIComponent(path)}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected(model))}`;
      broken.push({invariant: 'report', detail});
    }
    return broken;
  }

  private async brokenDays(round: number, covered: string): Promise<Broken[]> {
    const broken: Broken[] = [];
    for (const event of eventNames) {
      const range = {from: dateOfRound(1), to: dateOfRound(round)};
      const path = `/v1/reports/events?${query({event, ...range, interval: 'day'})}`;
      const report = (await this.readback.report(path, covered, reportMsMax)) as {
        data: {date: string; count: number}[];
      };
      for (const {date, count} of report.data) {
        const expected = this.days.of(event, date);
        if (count !== expected) {
          broken.push({invariant: 'report', detail: `R2 ${event} on ${date}: ${count}, expected ${expected}`});
        }
      }
    }
    return broken;
  }
}

// SQL of the same things in both schemas (peer.ts): table, user, time, day, event name and property value.

import type {TimeRange} from '../../engine/questions.js';
import {dayMs} from '../../workload/events.js';
import type {DuckDbPeer, Schema} from './peer.js';

export interface SchemaWords {
  readonly table: string;
  readonly user: string;
  /** Expression that orders the events of one user. */
  readonly time: string;
  /** Days since the epoch. */
  readonly day: string;
  named(event: string): string;
  within(range: TimeRange): string;
}

const text: SchemaWords = {
  table: 'text',
  user: 'user_id',
  time: 'time',
  day: `(epoch_ms(time) // ${dayMs})`,
  named: (event) => `event = '${event}'`,
  within: ({fromMs, toMs}) => `time BETWEEN epoch_ms(${fromMs}) AND epoch_ms(${toMs})`,
};

const coded = (peer: DuckDbPeer): SchemaWords => ({
  table: 'coded',
  user: 'user',
  time: 't',
  day: 'day',
  named: (event) => `name = ${peer.codeOf('name', event)}`,
  within: codedWithin,
});

/** Whole days compare two bytes a row instead of eight. */
function codedWithin({fromMs, toMs}: TimeRange): string {
  const isWholeDays = fromMs % dayMs === 0 && (toMs + 1) % dayMs === 0;
  if (!isWholeDays) return `t BETWEEN ${fromMs} AND ${toMs}`;
  return `day BETWEEN ${fromMs / dayMs} AND ${(toMs + 1) / dayMs - 1}`;
}

export function wordsOf(schema: Schema, peer: DuckDbPeer): SchemaWords {
  return schema === 'text' ? text : coded(peer);
}

/** One way of asking; ways differ only in time. */
export interface Formulation {
  readonly schema: Schema;
  readonly name: string;
  readonly sql: string;
  /** Numbers in the rows: one for each step or day, from the first to the last. */
  read(rows: readonly (readonly unknown[])[]): number[];
}

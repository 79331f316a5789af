// What waits for webhooks, and the cursors of their events.
//   WH1. References to users and rows that wait in OUT or are dead letters are of generations before the switch: owners answer that
//        they are gone (src/partition/reads/effect-data.ts ED1). So nothing may wait, unless the operator gives it up.
import type {JetStreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {NatsKeyBucket} from '../../nats/key-bucket.js';
import {triggerSubject, triggersStream} from '../../nats/topology.js';
import type {Cursor} from '../../webhooks/cursor.js';
import {cursorName} from '../../webhooks/cursor.js';
import type {TailPlace} from '../../webhooks/heads.js';

interface StoredCursor {
  readonly endpoint: string;
  readonly partition: number;
  readonly cursor: Cursor;
  readonly revision: number;
}

/** The cursors of webhooks that are not deleted. */
async function cursorsIn(bucket: NatsKeyBucket): Promise<StoredCursor[]> {
  const cursors: StoredCursor[] = [];
  for (const name of await bucket.names('c.>')) {
    const [, endpoint, partition] = name.split('.') as [string, string, string];
    const entry = await bucket.read(name);
    const definition = await bucket.read(endpoint);
    if (entry === undefined || entry.text === '' || (definition?.text ?? '') === '') continue;
    const {text, revision} = entry;
    cursors.push({endpoint, partition: Number(partition), cursor: JSON.parse(text) as Cursor, revision});
  }
  return cursors;
}

/** Webhooks for which something waits, with what. `ends`: after the newest row of each partition. */
export async function waitingFor(
  nc: NatsConnection,
  jsm: JetStreamManager,
  ends: readonly TailPlace[],
): Promise<ReadonlyMap<string, string>> {
  const waiting = new Map<string, string>();
  const {state} = await jsm.streams.info(triggersStream, {subjects_filter: triggerSubject('>')});
  for (const [subject, count] of Object.entries(state.subjects ?? {}))
    waiting.set(subject.slice(triggerSubject('').length), `${count} messages`);
  for (const {endpoint, partition, cursor} of await cursorsIn(new NatsKeyBucket(nc, 'hooks'))) {
    const end = ends[partition];
    if (end !== undefined && cursor.ordinal < end.ordinal) waiting.set(endpoint, 'events');
  }
  return waiting;
}

/** Sets the cursors of all webhooks to these ends. May be repeated. */
export async function moveCursors(nc: NatsConnection, ends: readonly TailPlace[]): Promise<void> {
  const bucket = new NatsKeyBucket(nc, 'hooks');
  const cursors = await cursorsIn(bucket);
  for (const {endpoint, partition} of cursors)
    if (partition >= ends.length) await bucket.erase(cursorName(endpoint, partition));
  for (const endpoint of new Set(cursors.map((one) => one.endpoint))) {
    for (const [partition, {generation, ordinal}] of ends.entries()) {
      const known = cursors.find((one) => one.endpoint === endpoint && one.partition === partition);
      const cursor: Cursor = {v: 1, generation, ordinal};
      const name = cursorName(endpoint, partition);
      const revision = known?.revision ?? (await bucket.read(name))?.revision ?? 0;
      await bucket.write(name, JSON.stringify(cursor), revision);
    }
  }
}

// Stored rows as they are told: which go together, under which `webhook-id`, and what a queue holds of them.
//   RO1. The id of an event says for ever where its row was first, in which partition and at which ordinal; with the generation of the
//        log there it names no other one. So a tail, a replay and the partition that a join brought it to tell it under one id.
//   RO2. A batch is named by its first and last row: batches of a replay are others.
import {type Generations, generationOfRow, newestOf} from '../../actors/generations.js';
import type {Endpoint} from './endpoint.js';
import type {StoredEvent} from './message.js';
import type {EventsReference, EventsTrigger} from './queued.js';

const batchBytesMax = 256 * 1024;

/** A row that an endpoint is told. */
export interface ToldRow {
  readonly ordinal: number;
  /** Index in the partition. */
  readonly user: number;
  readonly event: Pick<StoredEvent, 'id' | 'timestamp' | 'received_at'>;
  /** UTF-16 units of the event's JSON. */
  readonly chars: number;
}

export interface RowsOf<Row extends ToldRow> {
  readonly endpoint: Endpoint;
  readonly partition: number;
  /** Of the partition's log. */
  readonly generations: Generations;
  /** By ascending ordinal. */
  readonly rows: readonly Row[];
}

/** What names them: the generations of every partition's log, and the hash of the deployment. */
export interface Naming {
  readonly generationsOf: (partition: number) => Generations | Promise<Generations>;
  readonly messageId: (...parts: readonly (string | number)[]) => string;
}

/** Whether an endpoint takes several events at once. */
export const isBatched = ({batch}: Pick<Endpoint, 'batch'>): boolean => batch.events > 1;

/** Where the row of an event was first. RO1 */
export function originOf({id}: Pick<StoredEvent, 'id'>): {readonly partition: number; readonly ordinal: number} {
  const [partition = '', ordinal = ''] = id.split('-');
  return {partition: Number(partition), ordinal: Number(ordinal)};
}

/** One request each. */
export async function toldDeliveries<Row extends ToldRow>(
  of: RowsOf<Row>,
  naming: Naming,
): Promise<{readonly trigger: EventsTrigger; readonly rows: readonly Row[]}[]> {
  const deliveries = [];
  for (const rows of groupsOf(of.rows, of.endpoint)) {
    const id = await idOf(rows, of, naming);
    const timestampMs = Date.parse(rows.at(-1)!.event.received_at);
    const trigger: EventsTrigger = {v: 1, id, type: 'event.tracked', timestampMs, of: referenceTo(rows, of)};
    deliveries.push({trigger, rows});
  }
  return deliveries;
}

function groupsOf<Row extends ToldRow>(rows: readonly Row[], {batch}: Endpoint): Row[][] {
  const groups: Row[][] = [];
  let chars = 0;
  for (const row of rows) {
    const group = groups.at(-1);
    chars += row.chars;
    if (group !== undefined && group.length < batch.events && chars <= batchBytesMax) group.push(row);
    else {
      groups.push([row]);
      chars = row.chars;
    }
  }
  return groups;
}

async function idOf(rows: readonly ToldRow[], {endpoint, ...of}: RowsOf<ToldRow>, naming: Naming): Promise<string> {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const {generationsOf, messageId} = naming;
  if (isBatched(endpoint)) {
    const generation = generationOfRow(of.generations, first.ordinal);
    return messageId(endpoint.id, of.partition, generation, first.ordinal, last.ordinal); // RO2
  }
  const {partition, ordinal} = originOf(first.event);
  const generations = partition === of.partition ? of.generations : await generationsOf(partition);
  return messageId(endpoint.id, partition, generationOfRow(generations, ordinal), ordinal); // RO1
}

const referenceTo = (rows: readonly ToldRow[], {partition, generations}: RowsOf<ToldRow>): EventsReference => ({
  partition,
  generation: newestOf(generations),
  ordinals: rows.map(({ordinal}) => ordinal),
  users: rows.map(({user}) => user),
  timesMs: rows.map(({event}) => Date.parse(event.timestamp)),
});

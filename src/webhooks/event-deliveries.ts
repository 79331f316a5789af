// Stored rows as they are told: which go together, under which `webhook-id`, and what a queue holds of them.
//   RO1. The id of an event says for ever where its row was first, in which partition and at which ordinal; with the generation of the
//        log there it names no other one. So a tail, a replay and the partition that a join brought it to tell it under one id.
//   RO2. A batch is named by its first and last row as it was planned. It holds planned rows alone, whatever was erased since, or came
//        back when a restart had not moved it yet: those make a batch of their own. Batches of a replay are others.
//   RO3. What is planned or queued keeps its id and its form, whatever becomes of the endpoint's `batch` meanwhile.
import {type Generations, generationOfRow, newestOf} from '../../actors/generations.js';
import type {Endpoint} from './endpoint.js';
import type {StoredEvent} from './payload.js';
import type {EventsReference, EventsTrigger} from './queued-delivery.js';

const batchBytesMax = 256 * 1024;

/** A row that an endpoint is told. */
export interface DeliveredRow {
  readonly ordinal: number;
  /** Index in the partition. */
  readonly user: number;
  readonly event: Pick<StoredEvent, 'id' | 'timestamp' | 'received_at'>;
  /** UTF-16 units of the event's JSON. */
  readonly chars: number;
}

interface RowsOf<Row extends DeliveredRow> {
  readonly endpoint: Endpoint;
  readonly partition: number;
  /** Generations of the partition's log. */
  readonly generations: Generations;
  /** Rows by ascending ordinal. */
  readonly rows: readonly Row[];
  /** Batches of an earlier attempt at these rows. */
  readonly planned?: readonly Batch[] | undefined;
}

/** Ordinals of its rows, ascending. */
export type Batch = readonly number[];

interface Group<Row extends DeliveredRow> {
  readonly batch: Batch;
  /** Whether its message is a list. RO3 */
  readonly isBatch: boolean;
  readonly rows: readonly Row[];
}

/** Sources of ids: the generations of every partition's log, and the hash of the deployment. */
export interface Naming {
  readonly generationsOf: (partition: number) => Generations | Promise<Generations>;
  readonly messageId: (...parts: readonly (string | number)[]) => string;
}

/** Whether an endpoint takes several events at once. */
export const isBatched = ({batch}: Pick<Endpoint, 'batch'>): boolean => batch.events > 1;

/** First place of an event's row. RO1 */
export function originOf({id}: Pick<StoredEvent, 'id'>): {readonly partition: number; readonly ordinal: number} {
  const [partition = '', ordinal = ''] = id.split('-');
  return {partition: Number(partition), ordinal: Number(ordinal)};
}

/** Deliveries of these rows: one request each. */
export async function eventDeliveries<Row extends DeliveredRow>(
  of: RowsOf<Row>,
  naming: Naming,
): Promise<(Group<Row> & {readonly trigger: EventsTrigger})[]> {
  const deliveries = [];
  for (const group of groupsOf(of)) {
    const {rows} = group;
    const id = await idOf(group, of, naming);
    const timestampMs = Date.parse(rows.at(-1)!.event.received_at);
    const trigger: EventsTrigger = {v: 1, id, type: 'event.tracked', timestampMs, of: referenceTo(group, of)};
    deliveries.push({trigger, ...group});
  }
  return deliveries;
}

/** Groups of a planned batch have that batch itself. RO2 */
function groupsOf<Row extends DeliveredRow>({rows, planned = [], endpoint}: RowsOf<Row>): Group<Row>[] {
  const batchOf = new Map(planned.flatMap((batch) => batch.map((ordinal) => [ordinal, batch] as const)));
  const known = planned.map((batch) => {
    return {batch, isBatch: true, rows: rows.filter(({ordinal}) => batchOf.get(ordinal) === batch)};
  });
  const others = rows.filter(({ordinal}) => !batchOf.has(ordinal));
  return [...known.filter((group) => group.rows.length > 0), ...newGroups(others, endpoint)];
}

function newGroups<Row extends DeliveredRow>(rows: readonly Row[], endpoint: Endpoint): Group<Row>[] {
  const {batch} = endpoint;
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
  const isBatch = isBatched(endpoint);
  return groups.map((group) => ({batch: group.map(({ordinal}) => ordinal), isBatch, rows: group}));
}

async function idOf(
  {batch, isBatch, rows}: Group<DeliveredRow>,
  {endpoint, ...of}: RowsOf<DeliveredRow>,
  naming: Naming,
): Promise<string> {
  const {generationsOf, messageId} = naming;
  if (isBatch) {
    const [first, last] = [batch[0]!, batch.at(-1)!];
    const generation = generationOfRow(of.generations, first);
    return messageId(endpoint.id, of.partition, generation, first, last); // RO2
  }
  const {partition, ordinal} = originOf(rows[0]!.event);
  const generations = partition === of.partition ? of.generations : await generationsOf(partition);
  return messageId(endpoint.id, partition, generationOfRow(generations, ordinal), ordinal); // RO1
}

const referenceTo = (
  {rows, isBatch}: Group<DeliveredRow>,
  {partition, generations}: RowsOf<DeliveredRow>,
): EventsReference => ({
  partition,
  generation: newestOf(generations),
  ordinals: rows.map(({ordinal}) => ordinal),
  users: rows.map(({user}) => user),
  timesMs: rows.map(({event}) => Date.parse(event.timestamp)),
  isBatch,
});

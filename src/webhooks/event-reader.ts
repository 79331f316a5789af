// Reads stored events in the form that deliveries send.
//   ER1. A join moves the events of an anonymous user to the partition of its owner, where they keep their ids: the reader follows them.
//        What an erasure of the owner removed is in neither partition.
//   ER2. The reader lists the ordinals of rows that the log lost: another event may have such an ordinal now.
//   ER3. What is queued was taken by the rule of its rows (row-rules.ts): no later rule judges it.
import {userHashOf} from '../../actors/identity/user-hash.js';
import type {Absence, RowPlace} from '../asks/events.js';
import {keptRefs, type UserRefs} from '../user-ref.js';
import type {Endpoint} from './endpoint.js';
import {isBatched} from './event-deliveries.js';
import type {Owners} from './owners.js';
import {type DeliveredEvent, eventsData, type StoredEvent, userKeyOf} from './payload.js';
import type {EventsReference} from './queued-delivery.js';

const historyRowsMax = 1_000;

interface ReadEvents {
  /** JSON of `data`; undefined: all of them are erased or lost. */
  readonly data: string | undefined;
  /** ER2 */
  readonly lost: readonly number[];
}

export class EventReader {
  private readonly owners: Owners;
  private readonly seeds: readonly [number, number, number];
  private readonly refs: UserRefs;

  /** `seeds`: the deployment's seeds (src/deployment-seeds.ts). */
  constructor(owners: Owners, seeds: readonly [number, number, number], refs: UserRefs) {
    this.owners = owners;
    this.seeds = seeds;
    this.refs = keptRefs(refs);
  }

  told(text: string, event: StoredEvent): DeliveredEvent {
    const key = userKeyOf(event);
    return {text, userRef: this.refs(userHashOf(this.seeds, key, 0, key.length))};
  }

  /** @throws OwnerAway */
  async read(of: EventsReference, endpoint: Endpoint): Promise<ReadEvents> {
    const events: DeliveredEvent[] = [];
    const lost: number[] = [];
    for await (const {ordinal, timeMs, text: here, absence} of this.rows(of)) {
      if (absence?.why === 'lost') lost.push(ordinal);
      const isMoved = absence?.why === 'moved' && timeMs !== undefined;
      const text = isMoved ? await this.movedText(absence, `${of.partition}-${ordinal}`, timeMs) : here;
      if (text !== null) events.push(this.told(text, JSON.parse(text) as StoredEvent));
    }
    const {isBatch = of.ordinals.length > 1 || isBatched(endpoint)} = of;
    return {data: events.length === 0 ? undefined : eventsData(events, isBatch), lost};
  }

  private async *rows({partition, generation, ordinals, users, timesMs}: EventsReference): AsyncGenerator<ReadRow> {
    for (let at = 0; at < ordinals.length; ) {
      // A delivery that an earlier version queued names no users: the reason for a missing row is unknown then.
      const was = users && {generation, users: users.slice(at)};
      const question = {ask: 'bodies', ordinals: ordinals.slice(at), ...(was && {was})} as const;
      const {events, absences} = await this.owners.ask(partition, question, ['bodies']);
      for (const [of, text] of events.entries())
        yield {ordinal: ordinals[at + of]!, timeMs: timesMs?.[at + of], text, absence: absences?.[of] ?? null};
      at += Math.max(1, events.length);
    }
  }

  /** JSON of an event that a join moved; null: its user was deleted there. `id`: id of the event. ER1 */
  private async movedText({partition, userId}: Moved, id: string, timeMs: number): Promise<string | null> {
    const user = {kind: 'user', id: userId} as const;
    const question = {ask: 'history', user, fromMs: timeMs, toMs: timeMs + 1, limit: historyRowsMax} as const;
    for (let before: RowPlace | undefined; ; ) {
      const page = await this.owners.ask(partition, {...question, ...(before && {before})}, ['history']);
      for await (const {text} of this.rows({partition, generation: 0, ordinals: page.ordinals}))
        if (text !== null && (JSON.parse(text) as StoredEvent).id === id) return text;
      const [lastMs, ordinal] = [page.timesMs.at(-1), page.ordinals.at(-1)];
      if (!page.more || lastMs === undefined || ordinal === undefined) return null;
      before = {timeMs: lastMs, partition, ordinal};
    }
  }
}

interface ReadRow {
  readonly ordinal: number;
  /** Time of the event, as the delivery has it. */
  readonly timeMs: number | undefined;
  /** JSON of the event; null: the row is missing. */
  readonly text: string | null;
  readonly absence: Absence | null;
}

type Moved = Extract<Absence, {why: 'moved'}>;

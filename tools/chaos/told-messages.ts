// What receivers of webhooks were told, and what of it is not as docs/webhooks.md promises.
//   TM1. Every stored event that a rule wants was taken at least once, and all its copies have one `webhook-id`. The id of a batch
//        is that of a batch: its copies have the same events, but for those that were erased or moved in between. An event may come
//        in another batch, which is counted.
//   TM2. Of what a user did before its deletion nothing is sent after the receipt.

import {type Condition, holdAll} from '../model/conditions.js';
import type {JsonObject} from '../model/model.js';
import type {Broken} from './broken.js';
import type {Delivery} from './hook-receiver.js';
import type {EventRow} from './readback.js';

/** The rule of an endpoint that is told events. */
export interface EventRule {
  /** Undefined: any. */
  readonly names?: readonly string[];
  readonly where: readonly Condition[];
}

export const wants = ({names, where}: EventRule, {event, properties}: EventRow): boolean =>
  (names?.includes(event) ?? true) && holdAll(properties as JsonObject, where);

/** A deletion whose receipt a client has. */
export interface Receipt {
  readonly deletionId: string;
  readonly userId: string;
  /** Number of the thing that asked for it: what has a lower one was done before. */
  readonly n: number;
  /** When the client had the receipt, epoch ms. */
  readonly atMs: number;
}

interface Copies {
  /** `webhook-id` of the newest one. */
  id: string;
  isTaken: boolean;
}

/** What a message says of a user. */
interface Mention {
  readonly path: string;
  readonly userId: string;
  readonly n: number;
  readonly atMs: number;
}

interface DeliveredEvent {
  readonly event: EventRow;
  readonly user_ref: string;
}

interface ToldData {
  readonly event?: EventRow;
  readonly events?: readonly DeliveredEvent[];
  readonly userId?: string;
  readonly user_ref: string;
  readonly traits?: {readonly latest?: number};
  readonly deletion_id?: string;
}

/** The clock of the receipt is read after its answer, and that of a message after its end: both are late by some ms. */
const lateMsMax = 1_000;

export class ToldMessages {
  deliveries = 0;
  copies = 0;
  /** Copies of events that came in another batch than before. */
  regrouped = 0;
  /** By path and by what is told: a stored event, an identify, a deletion. */
  private readonly told = new Map<string, Map<string, Copies>>();
  /** Ids of the events of each batch, by path and `webhook-id`. */
  private readonly batches = new Map<string, ReadonlySet<string>>();
  /** Of users whose ids begin with `erased-`: the others are not deleted. */
  private readonly mentions: Mention[] = [];
  /** Ids of the messages that say that a user was identified. */
  private readonly identified = new Map<string, Set<string>>();
  private readonly refs = new Map<string, string>();
  private readonly broken: Broken[] = [];

  take(path: string, {id, type, data, atMs, isTaken}: Delivery): void {
    this.deliveries += 1;
    const told = data as ToldData;
    if (told.events !== undefined) this.noteBatch(path, id, told.events);
    for (const {event, user_ref: ref} of eventsOf(told)) {
      this.note(path, event.id, id, isTaken, told.events !== undefined);
      if (event.userId !== null) this.mention(path, event.userId, Number(event.properties.n), atMs, ref);
    }
    if (type === 'user.identified') {
      const {userId, user_ref: ref, traits} = told;
      this.mention(path, userId!, traits?.latest ?? 0, atMs, ref);
      const ids = this.identified.get(userId!) ?? new Set();
      if (isTaken) this.identified.set(userId!, ids.add(id));
    }
    if (type === 'user.deleted') {
      this.note(path, told.deletion_id!, id, isTaken, false);
      this.refs.set(told.deletion_id!, told.user_ref);
    }
  }

  private noteBatch(path: string, id: string, events: readonly DeliveredEvent[]): void {
    const known = this.batches.get(`${path} ${id}`);
    const ids = events.map(({event}) => event.id);
    if (known === undefined) {
      this.batches.set(`${path} ${id}`, new Set(ids));
      return;
    }
    const added = ids.filter((one) => !known.has(one));
    if (added.length > 0)
      this.broken.push({invariant: 'webhook', detail: `TM1 ${path}: ${id} came again with ${added.join(', ')}`});
  }

  private note(path: string, what: string, id: string, isTaken: boolean, isBatch: boolean): void {
    const told = this.told.get(path) ?? new Map<string, Copies>();
    this.told.set(path, told);
    const known = told.get(what);
    if (known === undefined) told.set(what, {id, isTaken});
    else {
      this.copies += 1;
      known.isTaken ||= isTaken;
      if (known.id === id) return;
      if (isBatch) this.regrouped += 1;
      else this.broken.push({invariant: 'webhook', detail: `TM1 ${path}: ${what} came as ${known.id} and as ${id}`});
      known.id = id;
    }
  }

  private mention(path: string, userId: string, n: number, atMs: number, ref: string): void {
    if (userId.startsWith('erased-')) this.mentions.push({path, userId, n, atMs});
    const known = this.refs.get(userId);
    if (known === undefined) this.refs.set(userId, ref);
    else if (known !== ref) this.broken.push({invariant: 'webhook', detail: `${userId} has two references`});
  }

  isTaken(path: string, what: string): boolean {
    return this.told.get(path)?.get(what)?.isTaken === true;
  }

  /** Messages of different ids that said so. */
  identifiedTimes(userId: string): number {
    return this.identified.get(userId)?.size ?? 0;
  }

  /** TM1: what was found since the last call. */
  brokenSinceLastTime(): Broken[] {
    return this.broken.splice(0);
  }

  /** TM2 */
  brokenReceipts(receipts: readonly Receipt[]): Broken[] {
    const byUser = new Map(receipts.map((receipt) => [receipt.userId, receipt]));
    const late = this.mentions.filter(({userId, n, atMs}) => {
      const receipt = byUser.get(userId);
      return receipt !== undefined && n < receipt.n && atMs > receipt.atMs + lateMsMax;
    });
    const strange = receipts.filter(({userId, deletionId}) => {
      const [ref, told] = [this.refs.get(userId), this.refs.get(deletionId)];
      return ref !== undefined && told !== undefined && ref !== told;
    });
    return [
      ...late.map(({path, userId, n, atMs}): Broken => {
        const lateMs = atMs - byUser.get(userId)!.atMs;
        return {
          invariant: 'erased',
          detail: `TM2 ${path}: thing ${n} of ${userId} came ${lateMs} ms after the receipt`,
        };
      }),
      ...strange.map(({userId}): Broken => ({invariant: 'webhook', detail: `the deletion of ${userId} names another`})),
    ];
  }
}

const eventsOf = ({event, events, user_ref}: ToldData): readonly DeliveredEvent[] =>
  events ?? (event === undefined ? [] : [{event, user_ref}]);

// An endpoint's way along the stored rows of one partition.
//   TL1. The cursor moves over a page once each of its deliveries is taken, erased, or queued for its next attempt: what fails does
//        not hold up what follows, unless the endpoint is ordered. While the endpoint is probed nothing is queued: the cursor waits.
//   TL2. What a process has not written of its cursor is told again after a crash, under the same ids.
//   TL3. Two processes tail one pair until one of them loses a compare-and-set: it stands by, and takes over when the cursor stands
//        still behind the rows.
//   TL4. Rows that a join brought were told where they came first, if the tail there has passed them; if not, here, under the id
//        that they would have had there.
//   TL5. What waits for longer than `lagMsMax` is passed over, and one line in the dead letters says so.
import {setTimeout as pause} from 'node:timers/promises';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs} from '../clock.js';
import type {Logger} from '../observe.js';
import type {Recipient} from './courier.js';
import {type Cursor, CursorRecord} from './cursor.js';
import {type EventReader, isBatched} from './event-reader.js';
import type {Heads, TailPlace} from './heads.js';
import type {Letters} from './letters.js';
import {eventRule, eventsData, type StoredEvent, type ToldEvent, wantedNames} from './message.js';
import type {Owners} from './owners.js';
import type {Outcome} from './post.js';
import type {EventsTrigger} from './queued.js';
import {attemptsMax} from './schedule.js';
import {whyOf} from './trigger-run.js';

const pageRowsMax = 256;
const batchBytesMax = 256 * 1024;
/** Among so many there is one that no join brought. */
const searchedRowsMax = 32;
const savedEveryMs = 1_000;
const standByMs = 10_000;
/** A cursor that nobody moves for so many looks has lost its process. TL3 */
const standingLooks = 3;
const failedPauseMs = 1_000;
const headWaitMs = 5_000;
const lagMsMax = 86_400_000;

export interface TailWorld {
  readonly bucket: ConstructorParameters<typeof CursorRecord>[0];
  readonly owners: Owners;
  readonly events: EventReader;
  readonly heads: Heads;
  readonly letters: Letters;
  readonly wallMs: () => number;
  readonly retryDelayMs: (attempt: number) => number | undefined;
  /** `webhook-id` made of the parts and the deployment's secret. */
  readonly messageId: (...parts: readonly (string | number)[]) => string;
  /** Where this process's tail of the same endpoint stands in another partition. TL4 */
  readonly placeIn: (partition: number) => TailPlace | undefined;
  readonly logger: Logger;
}

/** One POST. */
interface Delivery {
  readonly id: string;
  readonly ordinals: number[];
  readonly events: ToldEvent[];
  readonly atMs: number;
  /** When the events were read, monotonic ms. */
  readonly readMs: number;
}

interface Page {
  readonly next: number;
  readonly generation: number;
  readonly deliveries: readonly Delivery[];
  /** When the oldest of its events came, of those that no join brought; undefined without one. */
  readonly oldestMs: number | undefined;
}

/** Another process has the cursor. TL3 */
class Overtaken extends Error {}

export class TailRun {
  /** How long the oldest event that is not settled has waited. */
  lagMs = 0;
  private readonly recipient: Recipient;
  private readonly partition: number;
  private readonly world: TailWorld;
  private readonly record: CursorRecord;
  private cursor: Cursor | undefined;
  private savedMs = 0;
  private isSaved = true;
  private isStopped = false;

  constructor(recipient: Recipient, partition: number, world: TailWorld) {
    this.recipient = recipient;
    this.partition = partition;
    this.world = world;
    this.record = new CursorRecord(world.bucket, recipient.id, partition);
  }

  get place(): TailPlace | undefined {
    return this.cursor;
  }

  /** Ends when the endpoint is no longer served here. */
  async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.begin();
        while (!this.isStopped && (await this.recipient.gate.open())) await this.step();
      } catch (error) {
        throwBroken(error);
        this.cursor = undefined;
        if (error instanceof Overtaken) await this.standBy();
        else await pause(failedPauseMs); // An owner, or a stream, that does not answer.
      }
      if (this.isStopped || !(await this.recipient.gate.open())) return;
    }
  }

  /** Saves where it stands. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (!this.isSaved && this.cursor !== undefined) await this.record.write(this.cursor).catch(throwBroken);
  }

  private async begin(): Promise<void> {
    const found = await this.record.read();
    this.cursor = found?.cursor ?? (await this.firstCursor());
    this.isSaved = true;
  }

  /** The edge that made the endpoint has written one (routes/webhooks.ts): this is for one that came to its rule later. */
  private async firstCursor(): Promise<Cursor> {
    const {generation, end} = await this.world.owners.ask(this.partition, {ask: 'tail', from: 0, limit: 0}, ['tail']);
    const cursor: Cursor = {v: 1, generation, ordinal: end};
    if (await this.record.write(cursor)) return cursor;
    const found = await this.record.read();
    if (found === undefined) throw new Overtaken();
    return found.cursor;
  }

  private async step(): Promise<void> {
    const cursor = this.cursor!;
    if (!(await this.world.heads.whenBehind(this.partition, cursor, headWaitMs))) {
      this.lagMs = 0;
      if (!this.isSaved) await this.save();
      return;
    }
    const page = await this.read(cursor);
    if (page.generation !== cursor.generation) {
      // The log was restored, and may be shorter: rows from its end on are others. What the heads know may be of the log before.
      this.cursor = {v: 1, generation: page.generation, ordinal: Math.min(cursor.ordinal, page.next)};
      return this.save();
    }
    if (page.oldestMs !== undefined) {
      this.lagMs = Math.max(0, this.world.wallMs() - page.oldestMs);
      if (this.lagMs > lagMsMax) return this.skip(cursor);
    }
    if (page.deliveries.length > 0) await this.settleAll(cursor, page);
    if (this.isStopped) return;
    const {generation} = cursor;
    this.cursor = {v: 1, generation, ordinal: page.next};
    this.isSaved = false;
    if (this.world.wallMs() - this.savedMs >= savedEveryMs) await this.save();
  }

  private async settleAll(cursor: Cursor, page: Page): Promise<void> {
    const {endpoint} = this.recipient;
    if (isBatched(endpoint) && cursor.plannedEnd === undefined) {
      this.cursor = {...cursor, plannedEnd: page.next};
      await this.save();
    }
    if (endpoint.ordered) for (const delivery of page.deliveries) await this.settle(delivery);
    else await Promise.all(page.deliveries.map((delivery) => this.settle(delivery)));
  }

  /** CU1 */
  private async save(): Promise<void> {
    this.savedMs = this.world.wallMs();
    if (!(await this.record.write(this.cursor!))) throw new Overtaken();
    this.isSaved = true;
  }

  // ---- pages ----

  private async read(cursor: Cursor): Promise<Page> {
    const {endpoint} = this.recipient;
    let page = await this.readOnce(cursor);
    const {events, ms} = endpoint.batch;
    const count = page.deliveries.reduce((sum, {ordinals}) => sum + ordinals.length, 0);
    if (cursor.plannedEnd === undefined && ms > 0 && count > 0 && count < events) {
      await pause(ms);
      page = await this.readOnce(cursor);
    }
    return page;
  }

  private async readOnce(cursor: Cursor): Promise<Page> {
    const {endpoint} = this.recipient;
    const names = wantedNames(endpoint);
    const limit = Math.max(pageRowsMax, endpoint.batch.events);
    const question = {ask: 'tail', from: cursor.ordinal, limit, ...(names && {names})} as const;
    const answer = await this.world.owners.ask(this.partition, question, ['tail']);
    const {generation} = answer;
    const next = Math.min(answer.next, cursor.plannedEnd ?? Number.POSITIVE_INFINITY);
    const isWanted = eventRule(endpoint);
    const rows: {readonly ordinal: number; readonly event: StoredEvent; readonly text: string}[] = [];
    for (const [at, ordinal] of answer.ordinals.entries()) {
      const text = answer.events[at];
      if (ordinal >= next || typeof text !== 'string') continue;
      const event = JSON.parse(text) as StoredEvent;
      if (isWanted(event) && !(await this.wasToldBefore(event))) rows.push({ordinal, event, text});
    }
    const oldest = rows.find(({event}) => !event.joined);
    const oldestMs = oldest && Date.parse(oldest.event.received_at);
    return {next, generation, deliveries: this.deliveriesOf(rows, generation), oldestMs};
  }

  /** TL4. Where this process has no place (an owner that is away, another process that tails), the stored cursor says it. */
  private async wasToldBefore(event: StoredEvent): Promise<boolean> {
    if (!event.joined) return false;
    const {bucket, placeIn} = this.world;
    const {partition, ordinal} = originOf(event);
    const place = placeIn(partition) ?? (await new CursorRecord(bucket, this.recipient.id, partition).read())?.cursor;
    return place === undefined || place.ordinal > ordinal;
  }

  private deliveriesOf(
    rows: readonly {readonly ordinal: number; readonly event: StoredEvent; readonly text: string}[],
    generation: number,
  ): Delivery[] {
    const {endpoint, id: endpointId} = this.recipient;
    const {events, messageId} = this.world;
    const {partition} = this;
    const groups: (typeof rows)[number][][] = [];
    let bytes = 0;
    for (const row of rows) {
      const group = groups.at(-1);
      bytes += row.text.length;
      if (group !== undefined && group.length < endpoint.batch.events && bytes <= batchBytesMax) group.push(row);
      else {
        groups.push([row]);
        bytes = row.text.length;
      }
    }
    return groups.map((group) => {
      const [first, last] = [group[0]!, group.at(-1)!];
      const origin = first.event.joined ? originOf(first.event) : {partition, ordinal: first.ordinal};
      const ends = isBatched(endpoint) ? [first.ordinal, last.ordinal] : [origin.ordinal];
      return {
        id: messageId(endpointId, isBatched(endpoint) ? partition : origin.partition, generation, ...ends),
        ordinals: group.map(({ordinal}) => ordinal),
        events: group.map(({text, event}) => events.told(text, event)),
        atMs: Date.parse(last.event.received_at),
        readMs: monotonicMs(),
      };
    });
  }

  // ---- deliveries ----

  /** Resolves when it is settled. TL1 */
  private async settle(delivery: Delivery): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(delivery, attempt);
      if (outcome === undefined || outcome.kind === 'delivered' || outcome.kind === 'erased') return;
      if (outcome.kind === 'gone') continue; // Disabled: the gate is closed until it is resumed.
      if (this.recipient.isProbed) continue;
      if (!this.recipient.endpoint.ordered) return this.queue(delivery, outcome);
      const delayMs = attempt < attemptsMax ? this.world.retryDelayMs(attempt) : undefined;
      if (delayMs === undefined) return this.bury(delivery, outcome);
      await pause(waitOf(outcome) ?? delayMs);
    }
  }

  /** Undefined: the process stops, or does not serve the endpoint any more. */
  private async attempt({id, events, atMs, ordinals, readMs}: Delivery, attempt: number): Promise<Outcome | undefined> {
    const {recipient, partition, world} = this;
    if (!(await recipient.gate.enter())) {
      this.isStopped = true;
      return undefined;
    }
    try {
      const message = {id, type: 'event.tracked', timestampMs: atMs, attempt};
      const say = () => world.events.dataOf(partition, ordinals, recipient.endpoint);
      const read = {dataJson: eventsData(events, isBatched(recipient.endpoint)), atMs: readMs};
      return await recipient.send(message, say, attempt === 1 ? read : undefined);
    } finally {
      recipient.gate.leave();
    }
  }

  private triggerOf({id, ordinals, atMs}: Delivery): EventsTrigger {
    const {partition} = this;
    const generation = this.cursor?.generation ?? 0;
    return {v: 1, id, type: 'event.tracked', timestampMs: atMs, of: {partition, generation, ordinals}};
  }

  private async queue(delivery: Delivery, outcome: Outcome): Promise<void> {
    const {letters, wallMs, retryDelayMs} = this.world;
    const waitMs = waitOf(outcome) ?? retryDelayMs(1) ?? 0;
    await letters.queue(this.recipient.id, {...this.triggerOf(delivery), attempts: 1, dueMs: wallMs() + waitMs});
  }

  private async bury(delivery: Delivery, outcome: Outcome & {readonly kind: 'failed'}): Promise<void> {
    const {letters, wallMs} = this.world;
    const letter = {...this.triggerOf(delivery), attempts: attemptsMax, why: whyOf(outcome), endedMs: wallMs()};
    await letters.bury(this.recipient.id, letter);
    this.recipient.note((standing) => ({...standing, dead: standing.dead + 1}));
  }

  // ---- behind ----

  /** Goes on at the first row that came within `lagMsMax`. TL5 */
  private async skip(cursor: Cursor): Promise<void> {
    const {letters, wallMs, messageId, logger, heads} = this.world;
    const {partition, recipient} = this;
    let [low, high] = [cursor.ordinal, heads.get(partition)?.end ?? cursor.ordinal];
    const sinceMs = wallMs() - lagMsMax;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const question = {ask: 'tail', from: middle, limit: searchedRowsMax} as const;
      const {ordinals, events, next} = await this.world.owners.ask(partition, question, ['tail']);
      const found = events.map((text) => (typeof text === 'string' ? (JSON.parse(text) as StoredEvent) : undefined));
      // When a joined row came here it does not say.
      const at = found.findIndex((event) => event !== undefined && !event.joined);
      if (at >= 0 && Date.parse(found[at]!.received_at) < sinceMs) low = ordinals[at]! + 1;
      else if (ordinals.length === 0 && next < high && next > middle) low = next;
      else high = middle;
    }
    const to = Math.max(low, cursor.ordinal + 1);
    const nowMs = wallMs();
    await letters.bury(recipient.id, {
      v: 1,
      id: messageId(recipient.id, partition, cursor.generation, 'skipped', cursor.ordinal),
      type: 'skipped',
      timestampMs: nowMs,
      of: {partition, from: cursor.ordinal, to},
      why: 'nobody took these events for a day',
      endedMs: nowMs,
    });
    const events = to - cursor.ordinal;
    recipient.note((standing) => ({...standing, skippedEvents: standing.skippedEvents + events}));
    logger.warn({endpoint: recipient.id, partition, events}, 'a webhook is a day behind: events are passed over');
    this.cursor = {v: 1, generation: cursor.generation, ordinal: to};
    await this.save();
  }

  /** Returns when nobody moves the cursor any more, though rows follow it. TL3 */
  private async standBy(): Promise<void> {
    let seen: number | undefined;
    for (let looks = 0; looks < standingLooks && !this.isStopped; ) {
      await pause(standByMs);
      const found = await this.record.read();
      if (found === undefined) return;
      const head = this.world.heads.get(this.partition);
      const isBehind = head !== undefined && head.end > found.cursor.ordinal;
      looks = isBehind && found.revision === seen ? looks + 1 : 0;
      seen = found.revision;
    }
  }
}

const waitOf = (outcome: Outcome): number | undefined => ('waitMs' in outcome ? outcome.waitMs : undefined);

function originOf({id}: StoredEvent): {readonly partition: number; readonly ordinal: number} {
  const [partition = '', ordinal = ''] = id.split('-');
  return {partition: Number(partition), ordinal: Number(ordinal)};
}

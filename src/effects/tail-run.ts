// The tail of an endpoint over the stored rows of one partition: it sends the rows after a cursor that the endpoint wants.
//   TL1. The cursor moves over a page once each of its deliveries is taken, erased, or queued for its next attempt. So a failed
//        delivery delays no later one, unless the endpoint is ordered. While the endpoint is probed nothing is queued: the cursor waits.
//   TL2. A crash loses the moves of the cursor that were not written: those rows are sent again, under the same ids.
//   TL3. Two processes may tail one pair until one of them loses a compare-and-set. The loser stands by, and takes over when the
//        cursor stops moving although rows follow it. The winner rewrites the cursor regularly, also while a page takes long, and
//        stops sending once a write is refused.
//   TL4. A row that a join brought is sent by the tail of its first partition, if that tail passed the row while it was there.
//        Otherwise it is sent here, under the id that it would have had there. A tail keeps the ordinals that it missed until all
//        other tails have passed the rows that were stored by then: a missing row is where the join brought it.
//   TL5. Rows that wait for longer than the endpoint's `maxLagMs` are passed over; a dead letter gives their number.
//   TL6. In a new generation of the log, a cursor after the ordinal where it began goes back to that ordinal: the rows from there
//        are others.
//   TL7. The definition is read after each page: an edit that was answered before a row was stored counts for it, even if this
//        process has not heard of the edit yet. A page that was read by other rules is read again.
//   TL8. A delivery that cannot be settled now delays the cursor, and no other delivery of its page: the page is read again without
//        those that are settled.
import {setTimeout as pause} from 'node:timers/promises';
import {type Generations, lostFrom, newestOf} from '../../actors/generations.js';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs} from '../clock.js';
import type {Logger} from '../observe.js';
import {whenAllEnded} from '../pacing/when-all-ended.js';
import type {Recipient} from './courier.js';
import {type Cursor, CursorRecord} from './cursor.js';
import {maxLagMsOf} from './endpoint.js';
import type {EventReader} from './event-reader.js';
import type {Heads, TailPlace} from './heads.js';
import type {Letters} from './letters.js';
import {eventsData, type StoredEvent, type ToldEvent} from './message.js';
import {isMissed, type Missed, withMissed} from './missed.js';
import type {Owners} from './owners.js';
import {type Outcome, socketsMax} from './post.js';
import type {Attempts, EventsReference, EventsTrigger} from './queued.js';
import type {RowRules} from './row-rules.js';
import {attemptsMax} from './schedule.js';
import {type Batch, isBatched, originOf, type ToldRow, toldDeliveries} from './told-rows.js';
import {whyOf} from './trigger-run.js';

/** Rows of a page of batches. */
const batchedRowsMin = 256;
/** Rows of a page that is sent one by one. The last of more would be too old when they are sent, and be read again (courier.ts CO2). */
const singleRows = 64;
/** Rows among which at least one came without a join. */
const searchedRowsMax = 32;
const savedEveryMs = 1_000;
/** Looks without a move of the cursor after which its process counts as lost. TL3 */
const standingLooks = 3;
const failedPauseMs = 1_000;
const minuteMs = 60_000;
const headWaitMs = 5_000;

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
  readonly partitionCount: number;
  /** Time between two looks at the cursor while standing by, and between two renewals of the claim while working. TL3 */
  readonly standByMs: number;
  /** Cursor of this process's tail of the same endpoint in another partition. TL4 */
  readonly placeIn: (partition: number) => Cursor | undefined;
  readonly logger: Logger;
}

/** One POST. */
interface Delivery {
  readonly trigger: EventsTrigger;
  readonly batch: Batch;
  readonly events: ToldEvent[];
  /** Time at which the events were read, monotonic ms. */
  readonly readMs: number;
}

/** A stored event that the endpoint wants. */
interface Row extends ToldRow {
  readonly event: StoredEvent;
  readonly text: string;
}

interface Page {
  readonly next: number;
  readonly missed: Missed;
  readonly generations: Generations;
  readonly deliveries: readonly Delivery[];
  /** Receipt of its oldest event that came without a join; undefined without one. */
  readonly oldestMs: number | undefined;
}

/** Another process has the cursor. TL3 */
class Overtaken extends Error {}

/** The log was replaced since the page was read. */
class LogReplaced extends Error {}

export class TailRun {
  /** Age of the oldest event that is not settled. */
  lagMs = 0;
  private readonly recipient: Recipient;
  private readonly partition: number;
  private readonly world: TailWorld;
  private readonly record: CursorRecord;
  private cursor: Cursor | undefined;
  private rules: RowRules | undefined;
  /** Ends of the rows per partition when the cursor had missed these ordinals. TL4 */
  private sinceMissed: {readonly missed: Missed; readonly ends: readonly number[]} | undefined;
  /** Monotonic ms. */
  private savedMs = Number.NEGATIVE_INFINITY;
  private isSaved = true;
  private isOvertaken = false;
  private isStopped = false;
  /** Ids of settled deliveries that the cursor has not passed. TL8 */
  private readonly settled = new Set<string>();

  constructor(recipient: Recipient, partition: number, world: TailWorld) {
    this.recipient = recipient;
    this.partition = partition;
    this.world = world;
    this.record = new CursorRecord(world.bucket, recipient.id, partition);
  }

  get place(): Cursor | undefined {
    return this.cursor;
  }

  /** Resolves when this process no longer serves the endpoint. */
  async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.begin();
        while (!this.isStopped && (await this.recipient.gate.open())) await this.step();
      } catch (error) {
        throwBroken(error);
        if (error instanceof Overtaken) await this.standBy();
        else await pause(failedPauseMs); // An owner or a stream does not answer.
      }
      if (this.isStopped || !(await this.recipient.gate.open())) return;
    }
  }

  /** Ends the run and writes the cursor. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.recipient.gate.notify();
    if (!this.isSaved && this.cursor !== undefined) await this.record.write(this.cursor).catch(throwBroken);
  }

  private async begin(): Promise<void> {
    this.rules = await this.recipient.readRules();
    const {revision} = this.record;
    const found = await this.record.read();
    this.isOvertaken = false;
    // An unchanged record is this process's own, and its cursor may be ahead of what it wrote.
    if (this.cursor !== undefined && found?.revision === revision) return;
    this.cursor = found?.cursor ?? (await this.firstCursor(this.rules));
    this.isSaved = true;
    this.settled.clear();
  }

  /** Cursor of an endpoint that subscribed after its creation; the edge writes the one of a new endpoint (routes/webhooks.ts). */
  private async firstCursor(rules: RowRules): Promise<Cursor> {
    const cursor: Cursor = {v: 1, ...(rules.firstPlace(this.partition) ?? (await this.end()))};
    if (await this.record.write(cursor)) return cursor;
    const found = await this.record.read();
    if (found === undefined) throw new Overtaken();
    return found.cursor;
  }

  /** Place after the newest row. */
  private async end(): Promise<TailPlace> {
    const {generation, end} = await this.world.owners.ask(this.partition, {ask: 'tail', from: 0, limit: 0}, ['tail']);
    return {generation, ordinal: end};
  }

  private async step(): Promise<void> {
    const cursor = this.cursor!;
    if (!(await this.world.heads.whenBehind(this.partition, cursor, headWaitMs))) {
      this.lagMs = 0;
      if (!this.isSaved) await this.save();
      await this.forgetMissed();
      return;
    }
    const rules = this.rules!;
    const begin = this.beginOf(rules, cursor);
    if (begin !== undefined) {
      this.move(begin);
      return this.save();
    }
    const page = await this.read(cursor, rules);
    if (page === undefined) return;
    const generation = newestOf(page.generations);
    if (generation !== cursor.generation) {
      // The answer's generations count: the heads may still know the log before. TL6
      const ordinal = Math.min(cursor.ordinal, page.next, lostFrom(page.generations, cursor.generation));
      this.move({generation, ordinal});
      return this.save();
    }
    if (page.oldestMs !== undefined) {
      this.lagMs = Math.max(0, this.world.wallMs() - page.oldestMs);
      if (this.lagMs > maxLagMsOf(this.recipient.endpoint)) return this.skip(cursor);
    }
    if (page.deliveries.length > 0) await this.settleAll(cursor, page);
    if (this.isStopped) return;
    this.move({generation, ordinal: page.next}, page.missed);
    if (monotonicMs() - this.savedMs < savedEveryMs) return;
    await this.save(); // First: another partition's owner that is away must not take back what is settled here.
    await this.forgetMissed();
  }

  /** The first row that a rule may take, if the cursor is before it: the endpoint took no events until an edit. */
  private beginOf(rules: RowRules, cursor: Cursor): TailPlace | undefined {
    const generations = this.world.heads.get(this.partition)?.generations;
    if (generations === undefined) return undefined;
    const ordinal = rules.beginIn(this.partition, generations);
    return ordinal > cursor.ordinal ? {generation: newestOf(generations), ordinal} : undefined;
  }

  private move({generation, ordinal}: TailPlace, missed = this.cursor?.missed ?? []): void {
    this.cursor = {v: 1, generation, ordinal, ...(missed.length > 0 && {missed})};
    this.isSaved = false;
    this.settled.clear();
  }

  private async settleAll(cursor: Cursor, page: Page): Promise<void> {
    if (cursor.plannedEnd === undefined && page.deliveries.some(({trigger}) => trigger.of.isBatch))
      await this.save({...cursor, plannedEnd: page.next, planned: page.deliveries.map(({batch}) => batch)});
    const rest = page.deliveries.values();
    // An edit may make it ordered in the middle of a page: the first lane goes on alone.
    const settleSome = async (_: unknown, lane: number): Promise<void> => {
      while (lane === 0 || !this.recipient.endpoint.ordered) {
        const {value: delivery} = rest.next();
        if (delivery === undefined) return;
        if (!this.settled.has(delivery.trigger.id)) await this.settle(delivery);
      }
    };
    // Further lanes would only wait in the gate, which wakes all of them whenever a place is free.
    await this.whileClaimed(async () => void (await whenAllEnded(Array.from({length: socketsMax}, settleSome)))); // TL8
  }

  /** Renews the claim while `work` runs. TL3 @throws Overtaken, after `work` has ended */
  private async whileClaimed(work: () => Promise<void>): Promise<void> {
    let renewal: Promise<void> = Promise.resolve();
    const renewing = setInterval(() => {
      renewal = renewal.then(() => this.renew());
    }, this.world.standByMs);
    try {
      await work();
    } finally {
      clearInterval(renewing);
      await renewal;
    }
    if (this.isOvertaken) throw new Overtaken();
  }

  /** Writes the cursor to keep the claim. A paused or disabled endpoint needs none: nothing is sent. */
  private async renew(): Promise<void> {
    if (this.isOvertaken || this.isStopped || this.recipient.endpoint.state !== 'active') return;
    const isOurs = await this.record.write(this.cursor!).catch((error: Error) => {
      throwBroken(error);
      return true; // The bucket answers no other process either.
    });
    this.isOvertaken = !isOurs;
  }

  /** Writes the cursor. CU1 @throws Overtaken */
  private async save(cursor = this.cursor!): Promise<void> {
    this.savedMs = monotonicMs();
    if (!(await this.record.write(cursor))) throw new Overtaken();
    this.cursor = cursor;
    this.isSaved = true;
  }

  // ---- pages ----

  /** Undefined: the rules are others by now. TL7 */
  private async read(cursor: Cursor, rules: RowRules): Promise<Page | undefined> {
    const {endpoint} = this.recipient;
    let page = await this.readOnce(cursor, rules);
    if (page === undefined) return undefined;
    const {events, ms} = endpoint.batch;
    const count = page.deliveries.reduce((sum, {trigger}) => sum + trigger.of.ordinals.length, 0);
    if (cursor.plannedEnd === undefined && ms > 0 && count > 0 && count < events) {
      await pause(ms);
      page = await this.readOnce(cursor, rules);
    }
    return page;
  }

  private async readOnce(cursor: Cursor, rules: RowRules): Promise<Page | undefined> {
    const {endpoint} = this.recipient;
    const {names} = rules;
    const limit = isBatched(endpoint) ? Math.max(batchedRowsMin, endpoint.batch.events) : singleRows;
    const question = {ask: 'tail', from: cursor.ordinal, limit, ...(names && {names})} as const;
    const answer = await this.world.owners.ask(this.partition, question, ['tail']);
    this.rules = await this.recipient.readRules();
    if (this.rules.text !== rules.text) return undefined;
    const {generations} = answer;
    const next = Math.min(answer.next, cursor.plannedEnd ?? Number.POSITIVE_INFINITY);
    const rows: Row[] = [];
    let {missed = []} = cursor;
    const miss = (from: number, to: number): void => {
      if (from < Math.min(to, next)) missed = withMissed(missed, [from, Math.min(to, next)]);
    };
    if (answer.missing !== undefined) miss(...answer.missing);
    for (const [at, ordinal] of answer.ordinals.entries()) {
      const [text, user] = [answer.events[at], answer.users[at]];
      if (ordinal >= next) continue;
      if (typeof text !== 'string' || typeof user !== 'number') {
        miss(ordinal, ordinal + 1);
        continue;
      }
      const event = JSON.parse(text) as StoredEvent;
      const isTaken = event.joined
        ? await this.takesJoined(event, rules)
        : rules.takes(event, {partition: this.partition, ordinal}, generations);
      if (isTaken) rows.push({ordinal, user, event, text, chars: text.length});
    }
    const oldest = rows.find(({event}) => !event.joined);
    const oldestMs = oldest && Date.parse(oldest.event.received_at);
    return {
      next,
      missed,
      generations,
      deliveries: await this.deliveriesOf(rows, generations, cursor.planned),
      oldestMs,
    };
  }

  /** Whether a row that a join brought is told here. TL4, row-rules.ts RR2 */
  private async takesJoined(event: StoredEvent, rules: RowRules): Promise<boolean> {
    const origin = originOf(event);
    const generations = await this.generationsOf(origin.partition);
    return rules.takes(event, origin, generations) && !(await this.wasToldAt(origin));
  }

  /** Whether the tail of the row's first partition sent it. TL4 */
  private async wasToldAt({partition, ordinal}: ReturnType<typeof originOf>): Promise<boolean> {
    const place = await this.placeOf(partition);
    return place === undefined || (place.ordinal > ordinal && !isMissed(place.missed ?? [], ordinal));
  }

  /** Cursor in another partition; the stored one if this process has none (its owner is away, or another process tails it). */
  private async placeOf(partition: number): Promise<Cursor | undefined> {
    const {bucket, placeIn} = this.world;
    return placeIn(partition) ?? (await new CursorRecord(bucket, this.recipient.id, partition).read())?.cursor;
  }

  /** Drops the missed ordinals once all tails have passed the rows that were stored by then. TL4 */
  private async forgetMissed(): Promise<void> {
    const {cursor, world} = this;
    if (cursor?.missed === undefined) return;
    if (this.sinceMissed?.missed !== cursor.missed) {
      const asked = Array.from({length: world.partitionCount}, async (_, partition) => {
        return (await world.owners.ask(partition, {ask: 'tail', from: 0, limit: 0}, ['tail'])).end;
      });
      this.sinceMissed = {missed: cursor.missed, ends: await Promise.all(asked)};
    }
    for (const [partition, end] of this.sinceMissed.ends.entries()) {
      const place = await this.placeOf(partition);
      if (place === undefined || place.ordinal < end) return;
    }
    this.move(cursor, []);
  }

  private async deliveriesOf(
    rows: readonly Row[],
    generations: Generations,
    planned: Cursor['planned'],
  ): Promise<Delivery[]> {
    const {endpoint} = this.recipient;
    const {events, messageId} = this.world;
    const generationsOf = (partition: number) => this.generationsOf(partition);
    const of = {endpoint, partition: this.partition, generations, rows, planned};
    const formed = await toldDeliveries(of, {generationsOf, messageId});
    const readMs = monotonicMs();
    return formed.map(({trigger, batch, rows: some}) => ({
      trigger,
      batch,
      events: some.map(({text, event}) => events.told(text, event)),
      readMs,
    }));
  }

  private async generationsOf(partition: number): Promise<Generations> {
    const {heads, owners} = this.world;
    const known = heads.get(partition);
    return (known ?? (await owners.ask(partition, {ask: 'tail', from: 0, limit: 0}, ['tail']))).generations;
  }

  // ---- deliveries ----

  /** Resolves when the delivery is taken, erased, queued or a dead letter, or this process may not go on. TL1 */
  private async settle(delivery: Delivery): Promise<void> {
    if (await this.isSettled(delivery)) this.settled.add(delivery.trigger.id);
  }

  private async isSettled(delivery: Delivery): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.attempt(delivery, attempt);
      if (outcome === undefined) return false;
      if (outcome.kind === 'delivered' || outcome.kind === 'erased') return true;
      if (outcome.kind === 'gone') continue; // Disabled: the gate is closed until it is resumed.
      if (this.recipient.isProbed) continue;
      if (!this.recipient.endpoint.ordered) {
        const waitMs = waitOf(outcome) ?? this.world.retryDelayMs(1) ?? 0;
        await this.queue(delivery, {attempts: 1, dueMs: this.world.wallMs() + waitMs, waitMs});
        return true;
      }
      const delayMs = attempt < attemptsMax ? this.world.retryDelayMs(attempt) : undefined;
      if (delayMs === undefined) {
        await this.bury(delivery, outcome);
        return true;
      }
      const waitMs = waitOf(outcome) ?? delayMs;
      const dueMs = this.world.wallMs() + waitMs;
      await this.recipient.gate.rest(waitMs, () => this.isStopped || !this.recipient.endpoint.ordered);
      if (this.recipient.endpoint.ordered || this.isStopped || this.isOvertaken) continue;
      // An edit lets the others pass: this one waits in the queue.
      await this.queue(delivery, {attempts: attempt, dueMs, waitMs});
      return true;
    }
  }

  /** Outcome of one attempt; undefined: the process stops, no longer serves the endpoint, or lost its claim. */
  private async attempt({trigger, events, readMs}: Delivery, attempt: number): Promise<Outcome | undefined> {
    const {recipient} = this;
    if (!(await recipient.gate.enter())) {
      this.isStopped = true;
      return undefined;
    }
    try {
      if (this.isOvertaken) return undefined;
      const {id, type, timestampMs, of} = trigger;
      const message = {id, type, timestampMs, attempt};
      const read = {dataJson: eventsData(events, of.isBatch === true), atMs: readMs};
      return await recipient.send(message, () => this.readAgain(of), attempt === 1 ? read : undefined);
    } finally {
      recipient.gate.leave();
    }
  }

  private async readAgain(of: EventsReference): Promise<string | undefined> {
    const {data, lost} = await this.world.events.read(of, this.recipient.endpoint);
    if (lost.length > 0) throw new LogReplaced(); // The next page has the new generation. TL6
    return data;
  }

  private async queue({trigger}: Delivery, attempts: Required<Attempts>): Promise<void> {
    await this.world.letters.queue(this.recipient.id, {...trigger, ...attempts});
  }

  private async bury({trigger}: Delivery, outcome: Outcome & {readonly kind: 'failed'}): Promise<void> {
    const {letters, wallMs} = this.world;
    const letter = {...trigger, attempts: attemptsMax, why: whyOf(outcome), endedMs: wallMs()};
    await letters.bury(this.recipient.id, letter);
    this.recipient.note((standing) => ({...standing, dead: standing.dead + 1}));
  }

  // ---- behind ----

  /** Moves the cursor to the first row that came within the endpoint's `maxLagMs`. TL5 */
  private async skip(cursor: Cursor): Promise<void> {
    const {letters, wallMs, messageId, logger, heads} = this.world;
    const {partition, recipient} = this;
    let [low, high] = [cursor.ordinal, heads.get(partition)?.end ?? cursor.ordinal];
    const maxLagMs = maxLagMsOf(recipient.endpoint);
    const sinceMs = wallMs() - maxLagMs;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const question = {ask: 'tail', from: middle, limit: searchedRowsMax} as const;
      const {ordinals, events, next} = await this.world.owners.ask(partition, question, ['tail']);
      const found = events.map((text) => (typeof text === 'string' ? (JSON.parse(text) as StoredEvent) : undefined));
      // A joined row has the time of its receipt in its first partition, not of its arrival here.
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
      why: `nobody took these events for ${maxLagMs / minuteMs} minutes`,
      endedMs: nowMs,
    });
    const events = to - cursor.ordinal;
    recipient.note((standing) => ({...standing, skippedEvents: standing.skippedEvents + events}));
    logger.warn({endpoint: recipient.id, partition, events}, 'a webhook is too far behind: events are passed over');
    this.move({generation: cursor.generation, ordinal: to});
    await this.save();
  }

  /** Resolves when no process moves the cursor any more although rows follow it. TL3 */
  private async standBy(): Promise<void> {
    this.cursor = undefined;
    let seen: number | undefined;
    for (let looks = 0; looks < standingLooks && !this.isStopped; ) {
      await pause(this.world.standByMs);
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

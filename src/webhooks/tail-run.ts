// The tail of an endpoint over the stored rows of one partition: it sends the rows after a cursor that the endpoint wants.
//   TL1. The cursor moves over a page once each of its deliveries is taken, erased, or queued for its next attempt. So a failed
//        delivery delays no later one, unless the endpoint is ordered. While the endpoint is probed nothing is queued: the cursor waits.
//   TL2. A crash loses what was settled since the last write of the cursor: those rows are sent again, under the same ids. A stop
//        waits for attempts under way, and writes what is settled of a page: nothing of it is sent again.
//   TL3. The owner of the partition in the role `deliver` tails it (actors/cluster). An attempt begins only while this process is
//        sure to be the owner: one that was paused (SIGSTOP, a machine that slept) could otherwise send an old event to an ordered
//        receiver after the new owner has sent later ones. A process whose write of the cursor is refused reads it again.
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
//   TL9. What follows a failed attempt is kept here until OUT or DEAD has it (retry.ts SQ1). An ordered endpoint's delivery waits
//        here and not in OUT: its next attempt stands in the cursor, so a restart or another process goes on with the schedule.
import {setTimeout as pause} from 'node:timers/promises';
import {type Generations, lostFrom, newestOf} from '../../actors/generations.js';
import {throwBroken} from '../../actors/invariant.js';
import {monotonicMs} from '../clock.js';
import type {Logger} from '../observe.js';
import {whenAllEnded} from '../pacing/when-all-ended.js';
import {type Cursor, CursorRecord} from './cursor.js';
import type {DeliveryQueue} from './delivery-queue.js';
import {maxLagMsOf} from './endpoint.js';
import type {Wait} from './endpoint-health.js';
import {type Batch, type DeliveredRow, eventDeliveries, isBatched, originOf} from './event-deliveries.js';
import type {EventReader} from './event-reader.js';
import type {Heads, TailPlace} from './heads.js';
import {isMissed, type Missed, withMissed} from './missed.js';
import type {Owners} from './owners.js';
import {type DeliveredEvent, eventsData, type StoredEvent} from './payload.js';
import {type Outcome, socketsMax} from './post.js';
import type {EventsReference, EventsTrigger} from './queued-delivery.js';
import {isDue, type NextAttempt, type RetryDecision, retryDecisionOf, writeDecision} from './retry.js';
import type {RowRules} from './row-rules.js';
import {NotServed, type Recipient} from './sender.js';

/** Rows of a page of batches. */
const batchedRowsMin = 256;
/** Rows of a page that is sent one by one. The last of more would be too old when they are sent, and be read again (sender.ts CO2). */
const singleRows = 64;
/** Rows among which at least one came without a join. */
const searchedRowsMax = 32;
const savedEveryMs = 1_000;
/** Pause before it looks again whether it is sure to be the owner. */
const sureAgainMs = 100;
/** A stop does not wait longer for attempts under way: a drain has other work to end. TL2 */
export const attemptsEndMsMax = 5_000;
const failedPauseMs = 1_000;
const minuteMs = 60_000;
const headWaitMs = 5_000;
/** Events wait after this time. Before it they are being sent. */
const waitMsMin = 1_000;

export interface TailWorld {
  readonly bucket: ConstructorParameters<typeof CursorRecord>[0];
  readonly owners: Owners;
  readonly events: EventReader;
  readonly heads: Heads;
  readonly deliveryQueue: DeliveryQueue;
  readonly wallMs: () => number;
  readonly retryDelayMs: (attempt: number) => number | undefined;
  /** `webhook-id` made of the parts and the deployment's secret. */
  readonly messageId: (...parts: readonly (string | number)[]) => string;
  readonly partitionCount: number;
  /** Whether this process is sure to own its partitions now. TL3 */
  readonly isSure: () => boolean;
  /** Cursor of this process's tail of the same endpoint in another partition. TL4 */
  readonly placeIn: (partition: number) => Cursor | undefined;
  readonly logger: Logger;
}

/** One POST. */
interface Delivery {
  readonly trigger: EventsTrigger;
  readonly batch: Batch;
  readonly events: DeliveredEvent[];
  /** Time at which the events were read, monotonic ms. */
  readonly readMs: number;
}

/** A stored event that the endpoint wants. */
interface Row extends DeliveredRow {
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

/** Another process wrote the cursor. TL3 */
class Overtaken extends Error {}

/** The log was replaced since the page was read. */
class LogReplaced extends Error {}

/** A delivery of the page is not settled: no stream takes what follows its attempt. TL9 */
class Unwritten extends Error {}

export class TailRun {
  private readonly recipient: Recipient;
  private readonly partition: number;
  private readonly world: TailWorld;
  private readonly record: CursorRecord;
  /** Receipt of the oldest event of the newest page, epoch ms; undefined: none waits. */
  private oldestMs: number | undefined;
  private cursor: Cursor | undefined;
  private rules: RowRules | undefined;
  /** Ends of the rows per partition when the cursor had missed these ordinals. TL4 */
  private sinceMissed: {readonly missed: Missed; readonly ends: readonly number[]} | undefined;
  /** Monotonic ms. */
  private savedMs = Number.NEGATIVE_INFINITY;
  private isSaved = true;
  private isOvertaken = false;
  private isStopped = false;
  /** Ends when no attempt of the page is under way. */
  private page: Promise<unknown> = Promise.resolve();
  /** Ids of settled deliveries that the cursor has not passed. TL8 */
  private readonly settled = new Set<string>();
  /** What follows the newest attempt of deliveries that are not settled, by id. TL9 */
  private readonly decisions = new Map<string, RetryDecision>();
  /** Ends when the last write of a retry has ended. TL9 */
  private writing: Promise<void> = Promise.resolve();

  constructor(recipient: Recipient, partition: number, world: TailWorld) {
    this.recipient = recipient;
    this.partition = partition;
    this.world = world;
    this.record = new CursorRecord(world.bucket, recipient.id, partition);
  }

  /** Age of the oldest event that is not settled. It grows while the receiver takes nothing. */
  get lagMs(): number {
    return this.oldestMs === undefined ? 0 : Math.max(0, this.world.wallMs() - this.oldestMs);
  }

  /** What waits, if this process has the cursor. */
  get wait(): Wait | undefined {
    if (this.cursor === undefined || this.isOvertaken) return undefined;
    return {
      revision: this.record.revision,
      oldestMs: this.oldestMs === undefined || this.lagMs < waitMsMin ? null : this.oldestMs,
    };
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
        await pause(failedPauseMs); // An owner or a stream does not answer, or another process wrote the cursor.
      }
      if (this.isStopped || !(await this.recipient.gate.open())) return;
    }
  }

  /** Ends the run and writes the cursor. TL2 */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.recipient.gate.notify();
    await Promise.race([this.page, pause(attemptsEndMsMax)]);
    await this.writing; // The store would refuse one of two writes at the same time.
    const {cursor, settled, isOvertaken} = this;
    if (cursor === undefined || isOvertaken || (this.isSaved && settled.size === 0)) return;
    const whole: Cursor = settled.size === 0 ? cursor : {...cursor, settled: [...settled]};
    await this.record.write(whole).catch(throwBroken);
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
    for (const id of this.cursor.settled ?? []) this.settled.add(id);
    // What is known of deliveries stays: a write whose answer was lost changes the record, too.
    const {retry} = this.cursor;
    if (retry !== undefined && attemptsOf(this.decisions.get(retry.id)) < retry.attempts)
      this.decisions.set(retry.id, {kind: 'retry', next: retry});
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
    const waitMs = this.isSaved ? headWaitMs : savedEveryMs;
    if (!(await this.world.heads.whenBehind(this.partition, cursor, waitMs))) {
      this.oldestMs = undefined;
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
    this.oldestMs = page.oldestMs;
    // A delivery that waits for its next attempt is under way: a restart must not pass it over. TL9
    if (cursor.retry === undefined && this.lagMs > maxLagMsOf(this.recipient.endpoint)) return this.skip(cursor);
    if (page.deliveries.length > 0) await this.settleAll(cursor, page);
    if (this.isStopped) return;
    this.move({generation, ordinal: page.next}, page.missed);
    if ((this.world.heads.get(this.partition)?.end ?? 0) <= page.next) this.oldestMs = undefined;
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
    this.decisions.clear();
  }

  private async settleAll(cursor: Cursor, page: Page): Promise<void> {
    await this.plan(cursor, page);
    const rest = page.deliveries.values();
    // An edit may make it ordered in the middle of a page: the first lane goes on alone.
    const settleSome = async (_: unknown, lane: number): Promise<void> => {
      while (lane === 0 || !this.recipient.endpoint.ordered) {
        const {value: delivery} = rest.next();
        if (delivery === undefined) return;
        if (this.settled.has(delivery.trigger.id)) continue;
        if (await this.isSettled(delivery)) this.settled.add(delivery.trigger.id);
        else if (this.recipient.endpoint.ordered) return; // None passes it.
      }
    };
    // Further lanes would only wait in the gate, which wakes all of them whenever a place is free.
    const lanes = whenAllEnded(Array.from({length: socketsMax}, settleSome)); // TL8
    this.page = lanes.catch(() => undefined);
    await lanes;
    if (this.isOvertaken) throw new Overtaken();
    if (!this.isStopped && page.deliveries.some(({trigger}) => !this.settled.has(trigger.id))) throw new Unwritten();
  }

  /** Writes batches that are sent for the first time to the cursor: a restart keeps their ids and their rows. event-deliveries.ts RO2 */
  private async plan(cursor: Cursor, {next, deliveries}: Page): Promise<void> {
    const {planned = []} = cursor;
    const batches = deliveries.filter(({trigger}) => trigger.of.isBatch).map(({batch}) => batch);
    const added = batches.filter((batch) => !planned.includes(batch));
    if (added.length > 0) await this.save({...cursor, plannedEnd: next, planned: [...planned, ...added]});
  }

  /** Waits until this process is sure to be the owner. False: it stops before. TL3 */
  private async whenSure(): Promise<boolean> {
    while (!this.isStopped && !this.world.isSure()) await pause(sureAgainMs);
    return !this.isStopped;
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
    const generations = await this.world.heads.generationsOf(origin.partition);
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
    const generationsOf = (partition: number) => this.world.heads.generationsOf(partition);
    const of = {endpoint, partition: this.partition, generations, rows, planned};
    const formed = await eventDeliveries(of, {generationsOf, messageId});
    const readMs = monotonicMs();
    return formed.map(({trigger, batch, rows: some}) => ({
      trigger,
      batch,
      events: some.map(({text, event}) => events.told(text, event)),
      readMs,
    }));
  }

  // ---- deliveries ----

  /**
   * Whether the delivery is taken, erased, queued or a dead letter. False: no stream takes what follows its attempt, or this process
   * may not go on. TL1
   */
  private async isSettled(delivery: Delivery): Promise<boolean> {
    const {id} = delivery.trigger;
    for (let probes = 0; !this.isStopped && !this.isOvertaken; ) {
      const decision = this.decisions.get(id);
      if (decision !== undefined) {
        if (!this.isHeld(decision) && (await this.isWritten(delivery, decision))) return true;
        if (decision.kind === 'dead') return false;
        if (!isDue(decision.next, this.world.wallMs())) {
          if (!this.isHeld(decision)) return false;
          await this.rest(decision.next);
          continue;
        }
      }
      const attempts = decision?.next.attempts ?? 0;
      const outcome = await this.attempt(delivery, attempts + probes + 1);
      if (outcome === undefined) return false;
      if (outcome.kind === 'delivered' || outcome.kind === 'erased') return true;
      // Disabled by a 410: the gate is closed until it is resumed. Probed: the gate says when.
      if (outcome.kind === 'gone' || this.recipient.isProbed) probes += 1;
      else await this.follow(id, retryDecisionOf(outcome, attempts + 1, this.world.wallMs(), this.world.retryDelayMs));
    }
    return false;
  }

  /** Whether the next attempt waits here: of an ordered endpoint. */
  private isHeld({kind}: RetryDecision): boolean {
    return kind === 'retry' && this.recipient.endpoint.ordered;
  }

  /** Waits until the attempt is due, or may wait in OUT: an edit lets the others pass. */
  private async rest({dueMs}: NextAttempt): Promise<void> {
    const untilDueMs = Math.max(0, dueMs - this.world.wallMs());
    await this.recipient.gate.rest(
      untilDueMs,
      () => this.isStopped || this.isOvertaken || !this.recipient.endpoint.ordered,
    );
  }

  /** Keeps what follows an attempt, that of an ordered endpoint in the cursor, too. TL9 */
  private async follow(id: string, decision: RetryDecision): Promise<void> {
    this.decisions.set(id, decision);
    if (decision.kind !== 'retry' || !this.isHeld(decision)) return;
    this.cursor = {...this.cursor!, retry: {id, ...decision.next}};
    this.isSaved = false;
    this.writing = this.writing.then(() => this.writeRetry());
    await this.writing;
  }

  private async writeRetry(): Promise<void> {
    if (this.isOvertaken) return;
    const isWritten = await this.record.write(this.cursor!).catch((error: Error) => {
      throwBroken(error);
      return true; // Memory keeps it until the next write.
    });
    this.isOvertaken = !isWritten;
    if (!isWritten) this.recipient.gate.notify();
  }

  /** Writes the decision to OUT or DEAD. False: the stream does not take it. */
  private async isWritten({trigger}: Delivery, decision: RetryDecision): Promise<boolean> {
    const {recipient, world} = this;
    try {
      await writeDecision(world.deliveryQueue, recipient.id, trigger, decision);
    } catch (error) {
      throwBroken(error);
      return false;
    }
    if (decision.kind === 'dead') recipient.note((health) => ({...health, dead: health.dead + 1}));
    return true;
  }

  /** Outcome of one attempt; undefined: the process stops, or no longer serves the endpoint. */
  private async attempt({trigger, events, readMs}: Delivery, attempt: number): Promise<Outcome | undefined> {
    const {recipient} = this;
    if (!(await recipient.gate.enter())) {
      this.isStopped = true;
      return undefined;
    }
    try {
      if (!(await this.whenSure())) return undefined;
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
    if (!this.world.isSure()) throw new NotServed(); // It waited: TL3 again.
    return data;
  }

  // ---- behind ----

  /** Moves the cursor to the first row that came within the endpoint's `maxLagMs`. TL5 */
  private async skip(cursor: Cursor): Promise<void> {
    const {deliveryQueue, wallMs, messageId, logger, heads} = this.world;
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
    await deliveryQueue.bury(recipient.id, {
      v: 1,
      id: messageId(recipient.id, partition, cursor.generation, 'skipped', cursor.ordinal),
      type: 'skipped',
      timestampMs: nowMs,
      of: {partition, from: cursor.ordinal, to},
      why: `nobody took these events for ${maxLagMs / minuteMs} minutes`,
      endedMs: nowMs,
    });
    const events = to - cursor.ordinal;
    recipient.note((health) => ({...health, skippedEvents: health.skippedEvents + events}));
    logger.warn({endpoint: recipient.id, partition, events}, 'a webhook is too far behind: events are passed over');
    this.move({generation: cursor.generation, ordinal: to});
    await this.save();
  }
}

/** Attempts that were made. */
const attemptsOf = (decision: RetryDecision | undefined): number =>
  decision === undefined ? 0 : decision.kind === 'retry' ? decision.next.attempts : decision.end.attempts;

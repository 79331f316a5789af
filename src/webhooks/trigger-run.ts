// Delivers the queued messages of an endpoint from OUT.
//   TG1. A message is acked when its delivery is over: accepted, erased, in DEAD, or followed by its successor (queued-delivery.ts QU2).
//   TG2. A message that cannot be delivered now (an owner is away, a stream does not answer) goes back to the stream. It counts as no
//        attempt.
//   TG3. If no stream takes the record of a failed attempt, its message goes back to the stream until the next attempt is due, and at
//        each return the record is tried first. The decision is kept here meanwhile: a message that comes too early is not sent, and the
//        number of its attempts goes on (retry.ts SQ1).
import {setTimeout as pause} from 'node:timers/promises';
import {throwBroken} from '../../actors/invariant.js';
import {BucketFault} from '../keys/key-bucket.js';
import type {Logger} from '../observe.js';
import type {DeliveryQueue, PulledMessage, TriggerSource} from './delivery-queue.js';
import type {EventReader} from './event-reader.js';
import {OwnerAway, type Owners} from './owners.js';
import {type Queued, type QueuedEvents, type QueuedTrigger, split} from './queued-delivery.js';
import {isDue, type RetryDecision, retryDecisionOf, writeDecision} from './retry.js';
import {NotServed, type Recipient, type Say} from './sender.js';

const goBackMs = 1_000;
/** Period of the notice to the stream that a delivery is under way: it may take longer than the stream waits for an ack. */
const aliveEveryMs = 20_000;
const failedPauseMs = 1_000;
/** Period of the tries to write a decision. The stream recognizes a copy of a record for two minutes. */
const writeAgainMs = 10_000;
/** Decisions kept at most: as many messages can wait in the stream for an ack (delivery-queue.ts). */
const unwrittenMax = 10_000;

export interface TriggerWorld {
  readonly source: TriggerSource;
  readonly deliveryQueue: DeliveryQueue;
  readonly owners: Owners;
  readonly events: EventReader;
  readonly wallMs: () => number;
  /** Pause after an attempt; undefined: it was the last attempt. */
  readonly retryDelayMs: (attempt: number) => number | undefined;
  readonly logger: Logger;
}

/** A failed attempt whose record no stream took. */
interface Unwritten {
  /** The delivery without events that the log lost. */
  readonly queued: Queued;
  readonly decision: RetryDecision;
}

export class TriggerRun {
  private readonly recipient: Recipient;
  private readonly world: TriggerWorld;
  /** By the sequence of the message, the oldest first. TG3 */
  private readonly unwritten = new Map<number, Unwritten>();

  constructor(recipient: Recipient, world: TriggerWorld) {
    this.recipient = recipient;
    this.world = world;
  }

  private get isDisabled(): boolean {
    return this.recipient.endpoint.state === 'disabled';
  }

  /** Ends when the endpoint is no longer served here. */
  async run(): Promise<void> {
    const {recipient, world} = this;
    while (await recipient.gate.open(() => this.isDisabled)) {
      try {
        const message = await world.source.next();
        if (message === undefined) continue;
        const handled = this.handle(message);
        if (recipient.endpoint.ordered || recipient.isProbed) await handled;
      } catch (error) {
        throwBroken(error);
        await pause(failedPauseMs); // The stream does not answer.
      }
    }
  }

  /** Delivers one message. Rejects only for a broken invariant. */
  private async handle(message: PulledMessage): Promise<void> {
    const keeping = setInterval(() => message.alive(), aliveEveryMs);
    try {
      if (await this.isOver(message)) message.ack(); // TG1
    } catch (error) {
      throwBroken(error);
      if (!(error instanceof OwnerAway || error instanceof BucketFault || error instanceof NotServed))
        this.world.logger.warn(
          {err: error, endpoint: this.recipient.id},
          'a delivery could not be attempted: it goes back to its queue',
        );
      message.back(goBackMs); // TG2
    } finally {
      clearInterval(keeping);
    }
  }

  private async isOver(message: PulledMessage): Promise<boolean> {
    const {recipient, world} = this;
    const known = this.unwritten.get(message.sequence);
    if (known !== undefined && (await this.isWritten(message, known))) return true;
    const queued = known === undefined ? message.queued : pendingOf(known);
    if (this.isDisabled && queued !== undefined) {
      await this.bury(queued, queued.attempts ?? 0, 'the webhook is disabled');
      this.unwritten.delete(message.sequence);
      return true;
    }
    if (queued === undefined || !isDue(queued, world.wallMs())) {
      message.back(this.untilNextMs(queued, known !== undefined));
      return false;
    }
    if (!(await recipient.gate.enter())) {
      message.back(goBackMs);
      return false;
    }
    try {
      return await this.attempt(message, queued);
    } finally {
      recipient.gate.leave();
    }
  }

  /** Time until the message is to come again. `queued`: undefined if no attempt is left. */
  private untilNextMs(queued: Queued | undefined, isUnwritten: boolean): number {
    const untilDueMs = queued === undefined ? Number.POSITIVE_INFINITY : (queued.dueMs ?? 0) - this.world.wallMs();
    return isUnwritten ? Math.min(untilDueMs, writeAgainMs) : untilDueMs;
  }

  private async attempt(message: PulledMessage, queued: Queued): Promise<boolean> {
    const {recipient, world} = this;
    const {id, type, timestampMs, attempts = 0} = queued;
    const attempt = attempts + 1;
    let kept: Queued = queued;
    const say = async (): ReturnType<Say> => {
      if (kept.type !== 'event.tracked') return this.say(kept);
      const read = await this.readEvents(kept);
      kept = read.kept;
      return read.said;
    };
    const outcome = await recipient.send({id, type, timestampMs, attempt}, say);
    if (outcome.kind === 'delivered' || outcome.kind === 'erased') {
      this.unwritten.delete(message.sequence);
      return true;
    }
    const follows = {queued: kept, decision: retryDecisionOf(outcome, attempt, world.wallMs(), world.retryDelayMs)};
    if (await this.isWritten(message, follows)) return true;
    message.back(this.untilNextMs(pendingOf(follows), true));
    return false;
  }

  /** Writes the decision. False: no stream takes it; it is kept here. TG3 */
  private async isWritten({sequence}: PulledMessage, follows: Unwritten): Promise<boolean> {
    const {recipient, world, unwritten} = this;
    const {queued, decision} = follows;
    try {
      await writeDecision(world.deliveryQueue, recipient.id, queued, decision);
    } catch (error) {
      throwBroken(error);
      if (unwritten.size === 0)
        world.logger.warn(
          {err: error, endpoint: recipient.id},
          'failed attempts cannot be recorded: memory keeps them',
        );
      unwritten.delete(sequence);
      unwritten.set(sequence, follows);
      // Another process may have ended the oldest one.
      if (unwritten.size > unwrittenMax) unwritten.delete(unwritten.keys().next().value!);
      return false;
    }
    unwritten.delete(sequence);
    if (decision.kind === 'dead') this.countDead();
    return true;
  }

  private async say(queued: QueuedTrigger): ReturnType<Say> {
    if ('data' in queued) return JSON.stringify(queued.data);
    const {of, type} = queued;
    const answer = await this.world.owners.ask(of.partition, {ask: 'effect', of, type}, ['effect', 'effect_gone']);
    return answer.kind === 'effect' ? answer.dataJson : undefined;
  }

  /** Buries the events that the log lost. `kept`: the delivery without these. */
  private async readEvents(queued: QueuedEvents) {
    const {data: said, lost} = await this.world.events.read(queued.of, this.recipient.endpoint);
    if (lost.length === 0) return {said, kept: queued};
    const [gone, rest] = split(queued.of, lost);
    await this.bury({...queued, of: gone}, queued.attempts ?? 0, 'the log lost these events');
    return {said, kept: {...queued, of: rest}};
  }

  private async bury(queued: Queued, attempts: number, why: string): Promise<void> {
    const {deliveryQueue, wallMs} = this.world;
    await deliveryQueue.bury(this.recipient.id, {...queued, attempts, why, endedMs: wallMs()});
    this.countDead();
  }

  private countDead(): void {
    this.recipient.note((health) => ({...health, dead: health.dead + 1}));
  }
}

/** The delivery with its next attempt; undefined: no attempt is left. */
const pendingOf = ({queued, decision}: Unwritten): Queued | undefined =>
  decision.kind === 'retry' ? {...queued, ...decision.next} : undefined;

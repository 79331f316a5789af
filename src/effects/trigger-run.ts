// Delivers the queued messages of an endpoint from OUT.
//   TG1. A message is acked when its delivery is over: accepted, erased, in DEAD, or followed by its successor (queued.ts QU2).
//   TG2. A message that cannot be delivered now (an owner is away, a stream does not answer) goes back to the stream. It counts as no
//        attempt.
import {setTimeout as pause} from 'node:timers/promises';
import {throwBroken} from '../../actors/invariant.js';
import {BucketFault} from '../keys/store.js';
import type {Logger} from '../observe.js';
import {NotServed, type Recipient, type Say} from './courier.js';
import type {EventReader} from './event-reader.js';
import type {Letters} from './letters.js';
import {OwnerAway, type Owners} from './owners.js';
import {type Queued, type QueuedEvents, type QueuedTrigger, split} from './queued.js';
import {attemptsMax, hasCome} from './schedule.js';

const goBackMs = 1_000;
/** Period of the notice to the stream that a delivery is under way: it may take longer than the stream waits for an ack. */
const aliveEveryMs = 20_000;
const failedPauseMs = 1_000;

/** A message of the stream, which waits for its ack. */
export interface PulledMessage {
  readonly queued: Queued;
  ack(): void;
  /** Returns the message; the stream delivers it again after `ms`. */
  back(ms: number): void;
  /** Tells the stream that the delivery is under way. */
  alive(): void;
}

export interface TriggerSource {
  /** The next message; undefined if none came within some seconds. Rejects while the stream does not answer. */
  next(): Promise<PulledMessage | undefined>;
}

export interface TriggerWorld {
  readonly source: TriggerSource;
  readonly letters: Letters;
  readonly owners: Owners;
  readonly events: EventReader;
  readonly wallMs: () => number;
  /** Pause after an attempt; undefined: it was the last attempt. */
  readonly retryDelayMs: (attempt: number) => number | undefined;
  readonly logger: Logger;
}

export class TriggerRun {
  private readonly recipient: Recipient;
  private readonly world: TriggerWorld;

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
    const {queued} = message;
    const {dueMs = 0, waitMs = Number.POSITIVE_INFINITY, attempts = 0} = queued;
    if (this.isDisabled) {
      await this.bury(queued, attempts, 'the webhook is disabled');
      return true;
    }
    const nowMs = world.wallMs();
    if (!hasCome(dueMs, waitMs, nowMs)) {
      message.back(dueMs - nowMs);
      return false;
    }
    if (!(await recipient.gate.enter())) {
      message.back(goBackMs);
      return false;
    }
    try {
      return await this.attempt(queued, attempts + 1);
    } finally {
      recipient.gate.leave();
    }
  }

  private async attempt(queued: Queued, attempt: number): Promise<boolean> {
    const {recipient, world} = this;
    const {id, type, timestampMs} = queued;
    const message = {id, type, timestampMs, attempt};
    let kept: Queued = queued;
    const say = async (): ReturnType<Say> => {
      if (kept.type !== 'event.tracked') return this.say(kept);
      const read = await this.readEvents(kept);
      kept = read.kept;
      return read.said;
    };
    const outcome = await recipient.send(message, say);
    if (outcome.kind === 'delivered' || outcome.kind === 'erased') return true;
    if (outcome.kind === 'gone') {
      await this.bury(kept, attempt, 'the receiver answered 410');
      return true;
    }
    const delayMs = attempt < attemptsMax ? world.retryDelayMs(attempt) : undefined;
    if (delayMs === undefined) await this.bury(kept, attempt, whyOf(outcome));
    else {
      const waitMs = ('waitMs' in outcome ? outcome.waitMs : undefined) ?? delayMs;
      await world.letters.queue(recipient.id, {...kept, attempts: attempt, dueMs: world.wallMs() + waitMs, waitMs});
    }
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
    const {letters, wallMs} = this.world;
    await letters.bury(this.recipient.id, {...queued, attempts, why, endedMs: wallMs()});
    this.recipient.note((standing) => ({...standing, dead: standing.dead + 1}));
  }
}

export const whyOf = (outcome: {readonly status: number} | {readonly why: string}): string =>
  'why' in outcome ? outcome.why : `the receiver answered ${outcome.status}`;

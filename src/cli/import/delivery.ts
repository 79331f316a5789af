// Delivers events and identify calls to the service, with as many attempts as needed, and returns a verdict for each.
//   D1. An event is sent again until the service has judged it: every event has a messageId, so a second copy is harmless.
//   D2. Events that wait for another attempt keep their order, and no event of the next batch overtakes them (lanes.ts).
//   D3. Waiting is bounded: after `giveUpMs` without any success the import fails, and a later run resumes it.
//   D4. Traits count by their time, so calls that set traits alone follow the events of their batch, some at a time, and the events
//       are one request.
//       Of equal traits of one user the oldest and the newest are sent: those between change nothing.

import {type BatchAnswer, type HttpAnswer, interpret, interpretIdentify} from './batch-answer.js';
import type {Refusal, SourceEvent} from './source-event.js';

/** Makes one attempt; rejects when no whole answer arrived. */
export type Post = (body: Buffer, call: SourceEvent['call']) => Promise<HttpAnswer>;

export interface Pace {
  nowMs(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects when the import is interrupted. */
  sleep(ms: number): Promise<void>;
}

/** Null: the event was accepted. */
export type Verdict = Refusal | null;

/** A failure that another attempt will not cure; the message is a sentence for the operator. */
export class DeliveryFault extends Error {
  override name = 'DeliveryFault';
}

/** Calls of traits alone that a batch has in flight: each waits for its own place in the log. */
export const traitsAtOnce = 8;

const waitMsMin = 250;
const waitMsMax = 30_000;

export class Delivery {
  /** Why events wait at the moment; empty if they do not. The progress bar shows it. */
  trouble = '';

  constructor(
    private readonly post: Post,
    private readonly pace: Pace,
    private readonly giveUpMs: number,
  ) {}

  /** Resolves with a verdict per event or identify call, in order; rejects with a DeliveryFault. */
  async deliver(calls: readonly SourceEvent[]): Promise<Verdict[]> {
    const verdicts: Verdict[] = new Array(calls.length).fill(null);
    const send = async (body: readonly Sent[]): Promise<void> => {
      const judged = await this.#deliverBody(body.map(({call}) => call));
      for (const [at, verdict] of judged.entries()) for (const place of body[at]!.places) verdicts[place] = verdict;
    };
    const {inOrder, ofTraits} = bodiesOf(calls);
    for (const body of inOrder) await send(body);
    let hasFailed = false;
    const queue = ofTraits.values();
    const sendQueued = async (): Promise<void> => {
      for (const one of queue) {
        if (hasFailed) return;
        await send([one]).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      }
    };
    await Promise.all(Array.from({length: traitsAtOnce}, sendQueued));
    return verdicts;
  }

  /** Delivers what one request takes. */
  async #deliverBody(events: readonly SourceEvent[]): Promise<Verdict[]> {
    const verdicts: Verdict[] = new Array(events.length).fill(null);
    let pending = events.map((_, index) => index);
    const patience = new Patience(this.pace, this.giveUpMs);
    while (pending.length > 0) {
      const answer = await this.#attempt(pending.map((index) => events[index]!));
      if (answer.kind === 'judged') {
        this.trouble = '';
        for (const [place, refusal] of answer.refused) verdicts[pending[place]!] = refusal;
        const left = answer.unavailable.map((place) => pending[place]!).sort((a, b) => a - b); // D2
        if (left.length < pending.length) patience.renew();
        if (left.length > 0) await this.#wait(patience, 'the log did not take all events', answer.retryAfterSeconds);
        pending = left;
      } else if (answer.kind === 'body_refused') {
        return this.#split(events, verdicts, pending, answer.refusal);
      } else {
        await this.#wait(patience, answer.reason, answer.retryAfterSeconds);
      }
    }
    return verdicts;
  }

  /** Sends the halves: one event can spoil a whole body, and a proxy may allow smaller bodies than the service. */
  async #split(
    events: readonly SourceEvent[],
    verdicts: Verdict[],
    pending: readonly number[],
    refusal: Refusal,
  ): Promise<Verdict[]> {
    if (pending.length === 1) {
      verdicts[pending[0]!] = refusal;
      return verdicts;
    }
    const middle = pending.length >> 1;
    for (const half of [pending.slice(0, middle), pending.slice(middle)]) {
      const judged = await this.#deliverBody(half.map((index) => events[index]!));
      for (const [place, verdict] of judged.entries()) verdicts[half[place]!] = verdict;
    }
    return verdicts;
  }

  async #attempt(
    events: readonly SourceEvent[],
  ): Promise<Exclude<BatchAnswer, {kind: 'hopeless'}> & {retryAfterSeconds: number | null}> {
    const {call, json} = events[0]!;
    let answer: HttpAnswer;
    try {
      answer = await this.post(call === 'event' ? batchBody(events) : json, call);
    } catch (error) {
      return {kind: 'later', reason: networkReason(error), retryAfterSeconds: null};
    }
    const meaning = call === 'event' ? interpret(answer, events.length) : interpretIdentify(answer);
    if (meaning.kind === 'hopeless')
      throw new DeliveryFault(`The service does not accept the events: ${meaning.reason}`);
    return {...meaning, retryAfterSeconds: answer.retryAfterSeconds};
  }

  async #wait(patience: Patience, reason: string, retryAfterSeconds: number | null): Promise<void> {
    this.trouble = reason;
    await patience.wait(reason, retryAfterSeconds);
  }
}

/** Exponential pauses with full jitter, so that lanes that failed together do not retry together. D3 */
class Patience {
  #attempts = 0;
  #sinceMs: number;

  constructor(
    private readonly pace: Pace,
    private readonly giveUpMs: number,
  ) {
    this.#sinceMs = pace.nowMs();
  }

  renew(): void {
    this.#attempts = 0;
    this.#sinceMs = this.pace.nowMs();
  }

  async wait(reason: string, retryAfterSeconds: number | null): Promise<void> {
    const waitedMs = this.pace.nowMs() - this.#sinceMs;
    if (waitedMs >= this.giveUpMs) {
      throw new DeliveryFault(`Gave up after ${Math.round(waitedMs / 1_000)} s without success: ${reason}`);
    }
    const ceilingMs = Math.min(waitMsMax, waitMsMin * 2 ** this.#attempts);
    this.#attempts += 1;
    // `Retry-After` is the least pause; the jitter is added, or all lanes would return in the same instant.
    const floorMs = (retryAfterSeconds ?? 0) * 1_000;
    await this.pace.sleep(Math.min(floorMs + ceilingMs * (0.5 + 0.5 * this.pace.random()), this.giveUpMs));
  }
}

interface Sent {
  readonly call: SourceEvent;
  /** Indexes of the calls that its verdict is for. */
  readonly places: readonly number[];
}

/** Neighbouring events as one batch; each identify call for itself. Those of traits alone may come in any order. D4 */
function bodiesOf(calls: readonly SourceEvent[]): {readonly inOrder: Sent[][]; readonly ofTraits: Sent[]} {
  const bodies: Sent[][] = [];
  const ofTraits = new Map<string, number[]>();
  for (const [place, call] of calls.entries()) {
    const last = bodies.at(-1);
    const one = {call, places: [place]};
    if (call.traits !== undefined) {
      const equal = ofTraits.get(call.traits.key);
      if (equal === undefined) ofTraits.set(call.traits.key, [place]);
      else equal.push(place);
    } else if (call.call === 'event' && last?.[0]?.call.call === 'event') last.push(one);
    else bodies.push([one]);
  }
  return {inOrder: bodies, ofTraits: [...ofTraits.values()].flatMap((places) => oldestAndNewest(calls, places))};
}

function oldestAndNewest(calls: readonly SourceEvent[], places: readonly number[]): Sent[] {
  const timeOf = (place: number): number => calls[place]!.traits!.timeMs;
  let [oldest, newest] = [places[0]!, places[0]!];
  for (const place of places) {
    if (timeOf(place) < timeOf(oldest)) oldest = place;
    if (timeOf(place) > timeOf(newest)) newest = place;
  }
  if (oldest === newest) return [{call: calls[oldest]!, places}];
  const others = places.filter((place) => place !== oldest);
  return [
    {call: calls[oldest]!, places: [oldest]},
    {call: calls[newest]!, places: others},
  ];
}

const prefix = Buffer.from('{"events":[');
const comma = Buffer.from(',');
const suffix = Buffer.from(']}');

function batchBody(events: readonly SourceEvent[]): Buffer {
  const pieces: Buffer[] = [prefix];
  for (const [index, event] of events.entries()) {
    if (index > 0) pieces.push(comma);
    pieces.push(event.json);
  }
  pieces.push(suffix);
  return Buffer.concat(pieces);
}

function networkReason(error: unknown): string {
  const {code, message} = error as NodeJS.ErrnoException;
  return code === undefined ? message : `${code} (${message})`;
}

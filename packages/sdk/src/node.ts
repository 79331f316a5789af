// @millrace/sdk/node: events from servers and scripts, in batches.
//   ND1. No timer of it keeps the process alive. A process that has nothing else to do sends what waits before it ends.
//   ND2. A call that leaves without being stored is heard of: `dropped` and `rejected` are emitted, and `close` says what still waits.
import {EventEmitter} from 'node:events';
import {setTimeout as pause} from 'node:timers/promises';
import {type AnyEvents, type Fields, type MoreOfEvent, type MoreOfIdentify, newId} from './calls.js';
import {type Answer, type Limits, type Outbox, type Outcome, openOutbox, type Rejected} from './outbox.js';
import {version} from './version.js';

export type {AnyEvents, Fields, MoreOfEvent, MoreOfIdentify} from './calls.js';
export type {Outcome, Rejected} from './outbox.js';

export interface Options {
  /** Address of the service, such as `https://millrace.example.com`. */
  readonly host: string;
  /** A write key, or a secret key. */
  readonly key: string;
  /** Calls that may wait; of more the oldest are dropped. Default: 10,000. */
  readonly callsMax?: number;
  /** Signals at which it sends what waits. Default: SIGTERM. */
  readonly signals?: readonly NodeJS.Signals[];
}

export interface MillraceEvents {
  /** A call left the queue as the oldest of too many. */
  readonly dropped: [call: unknown];
  /** The service refused a call. */
  readonly rejected: [rejected: Rejected];
  /** The key is wrong, or may not do this: calls wait, and nothing is sent any more. */
  readonly stopped: [why: string];
}

/** An event of a server names its person. */
export type MoreOfPerson = MoreOfEvent & ({readonly userId: string} | {readonly anonymousId: string});

type PersonArguments<Properties> = [properties: Properties, more: MoreOfPerson];

const limits: Limits = {
  callsMax: 10_000,
  bytesMax: 16 * 1024 * 1024,
  pieceCallsMax: 500,
  pieceBytesMax: 1_000_000,
  fullCalls: 100,
  waitMs: 1_000,
};
const answerMsMax = 30_000;
const closeMsMax = 10_000;
const closePauseMs = 500;

/** What ends of the process wait for, by what announces them: a signal, or that nothing else is left to do. */
const closings = new Map<NodeJS.Signals | 'beforeExit', Set<() => Promise<unknown>>>();

function closeAt(end: NodeJS.Signals | 'beforeExit', close: () => Promise<unknown>): void {
  const known = closings.get(end);
  const all = known ?? new Set();
  closings.set(end, all.add(close));
  if (known !== undefined) return;
  process.once(end, async () => {
    closings.delete(end);
    await Promise.all([...all].map((one) => one()));
    // Our listener kept the signal from ending the process. Another listener of the application decides for itself.
    if (end !== 'beforeExit' && process.listenerCount(end) === 0) process.kill(process.pid, end);
  });
}

export class Millrace<Events extends object = AnyEvents> extends EventEmitter<MillraceEvents> {
  private readonly outbox: Outbox;
  private isStopped = false;

  constructor({host, key, callsMax = limits.callsMax, signals = ['SIGTERM']}: Options) {
    super();
    const base = host.replace(/\/$/, '');
    const post = async (path: string, body: string): Promise<Answer> => {
      const answer = await fetch(base + path, {
        method: 'POST',
        headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'},
        body,
        signal: AbortSignal.timeout(answerMsMax),
      });
      const told = (await answer.json().catch(() => undefined)) as Answer['told'];
      return {status: answer.status, retryAfter: Number(answer.headers.get('retry-after')) || 0, told};
    };
    const later = (work: () => void, ms: number): (() => void) => {
      const timer = setTimeout(work, ms).unref(); // ND1
      return () => clearTimeout(timer);
    };
    this.outbox = openOutbox(
      {
        nowMs: Date.now,
        later,
        post,
        say: (...said) => {
          if (said[0] === 'stopped') {
            this.isStopped = true;
            this.emit('stopped', said[1]);
          } else if (said[0] === 'refused') this.emit('rejected', said[1]);
          else this.emit('dropped', said[1]);
        },
      },
      {...limits, callsMax},
    );
    for (const end of [...signals, 'beforeExit'] as const) closeAt(end, this.close);
  }

  track<Name extends keyof Events & string>(event: Name, ...[properties, more]: PersonArguments<Events[Name]>): void {
    const {context, ...own} = more;
    const library = {name: '@millrace/sdk/node', version};
    this.add('e', {event, properties, context: {library, ...context}, ...own});
  }

  /** The user has these traits; with `anonymousId` in `more`, that visitor was this user. */
  identify(userId: string, traits: Fields = {}, {once, ...more}: MoreOfIdentify = {}): void {
    this.add('i', {userId, traits, traitsOnce: once, ...more});
  }

  private add(kind: 'e' | 'i', fields: Fields): void {
    const now = Date.now();
    const call = {timestamp: new Date(now).toISOString(), messageId: newId(now), ...fields};
    // Two calls of one message id wait both: which of them is a copy, the service decides.
    this.outbox.add(newId(now), kind + JSON.stringify(call));
  }

  /** Sends what waits, and says what became of calls since the last `flush`. It never rejects. */
  async flush(): Promise<Outcome> {
    await this.outbox.flush();
    return this.outbox.outcome();
  }

  /** Sends what waits, again and again for up to 10 s. `waiting` of the result is what could not be sent. */
  readonly close = async (): Promise<Outcome> => {
    for (const all of closings.values()) all.delete(this.close);
    let told = await this.flush();
    const endMs = Date.now() + closeMsMax;
    while (told.waiting > 0 && !this.isStopped && Date.now() < endMs) {
      await pause(closePauseMs);
      const next = await this.flush();
      told = {
        accepted: told.accepted + next.accepted,
        rejected: [...told.rejected, ...next.rejected],
        dropped: told.dropped + next.dropped,
        waiting: next.waiting,
      };
    }
    return told;
  };
}

export const start = <Events extends object = AnyEvents>(options: Options): Millrace<Events> =>
  new Millrace<Events>(options);

// A consumer of a partition's log, which requests batches. Messages that are delivered one by one cost 40 us of CPU each in
// nats-server and more in the reader. With a request every `restMs` the messages of that time come together, and all pulls of a
// connection request at the same moment: in one write.
//   L1. Every message after the start, once and in order. The consumer counts what it sends, and a jump (a lost connection took
//       messages with it) ends this pull; its reader opens another one after the last message that arrived.
//   L2. One request at a time. On an idle log a request waits at the server for the first message, which is thus not delayed;
//       `expedite` ends a rest. Messages that arrived and are not taken are bounded by `heldBytesMax` and one request more.
//   L3. A restarted server has forgotten the consumer, and a lost connection its answers: silence ends the pull.
import {AckPolicy, DeliverPolicy, type JetStreamManager} from '@nats-io/jetstream';
import {createInbox, type Msg, type NatsConnection, nanos, nuid, type Subscription} from 'nats';
import type {ReceivedMessage} from '../partition/log/handed-messages.js';
import type {LogPull, LogSource} from '../partition/log/log-reader.js';
import {logStream} from './topology.js';

/** Delay of a message that no caller waits for: far less than the time until a report shows it. */
const restMs = 125;
/** Bound of messages that arrived and are not taken. L2 */
const heldBytesMax = 2 * 1024 * 1024;
/** A bound in messages alone would exceed the server's limit of pending bytes when messages are large. */
const requestBytesMax = 4 * 1024 * 1024;
const requestMessagesMax = 10_000;
/** Time that a request waits at the server for a first message. */
const waitsMs = 2_000;
/** Time without an answer after which the pull ends. L3 */
const silenceMs = 2_000;
const lookEveryMs = 500;
/** The server forgets a consumer after this time without a request. */
const inactiveMs = 60_000;

const requestForFirst = JSON.stringify({batch: 1, expires: nanos(waitsMs)});
const requestForAll = JSON.stringify({batch: requestMessagesMax, max_bytes: requestBytesMax, no_wait: true});

/** Logs of the partitions of a thread, over one connection. */
export class NatsLogSource implements LogSource {
  private readonly nc: NatsConnection;
  private readonly jsm: JetStreamManager;
  private readonly rests = new Rests();

  /** `jsm`: of the same connection. */
  constructor(nc: NatsConnection, jsm: JetStreamManager) {
    this.nc = nc;
    this.jsm = jsm;
  }

  async open(partition: number, startSequence: number): Promise<LogPull> {
    const {name} = await this.jsm.consumers.add(logStream(partition), {
      name: nuid.next(),
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: startSequence,
      ack_policy: AckPolicy.None,
      max_deliver: 1,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(inactiveMs),
    });
    return new NatsLogPull({
      nc: this.nc,
      jsm: this.jsm,
      rests: this.rests,
      stream: logStream(partition),
      consumer: name,
      startSequence,
    });
  }
}

/** Pulls that rest until all of them request again. */
class Rests {
  private readonly resting = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  add(ask: () => void): void {
    this.resting.add(ask);
    this.timer ??= setTimeout(this.end, restMs);
  }

  delete(ask: () => void): void {
    this.resting.delete(ask);
  }

  private readonly end = (): void => {
    this.timer = undefined;
    const due = [...this.resting];
    this.resting.clear();
    for (const ask of due) ask();
  };
}

interface PullSetup {
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly rests: Rests;
  readonly stream: string;
  readonly consumer: string;
  readonly startSequence: number;
}

/** `first`: a request waits for a first message; `now`: a request for all there are; `full`: `next` must be called first. */
type State = 'first' | 'now' | 'resting' | 'full' | 'over';

class NatsLogPull implements LogPull {
  private readonly setup: PullSetup;
  private readonly inbox = createInbox();
  private readonly subscription: Subscription;
  private readonly looking: NodeJS.Timeout;
  private state: State = 'now';
  private arrived: ReceivedMessage[] = [];
  private arrivedBytes = 0;
  /** The first sequence that has not arrived. */
  private due: number;
  /** The newest count of the consumer. */
  private delivered = 0;
  /** Number of the newest request, checks since it was made or brought a message, and messages and bytes that it brought. */
  private requests = 0;
  private silentLooks = 0;
  private brought = 0;
  private broughtBytes = 0;
  /** A sequence that a caller waits for, and that the newest request may not have seen. */
  private wanted = 0;
  private wake: (() => void) | undefined;

  constructor(setup: PullSetup) {
    this.setup = setup;
    this.due = setup.startSequence;
    const callback = (error: Error | null, message: Msg): void => this.receive(error, message);
    this.subscription = setup.nc.subscribe(`${this.inbox}.*`, {callback});
    this.looking = setInterval(() => this.look(), lookEveryMs);
    this.ask('now');
  }

  async next(): Promise<readonly ReceivedMessage[] | undefined> {
    while (this.arrived.length === 0) {
      if (this.state === 'over') return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const {arrived} = this;
    this.arrived = [];
    this.arrivedBytes = 0;
    if (this.state === 'full') this.ask('now');
    return arrived;
  }

  expedite(sequence: number): void {
    if (sequence < this.due) return;
    this.wanted = Math.max(this.wanted, sequence);
    if (this.state === 'resting') this.ask('now');
  }

  stop(): void {
    if (this.state === 'over') return;
    this.end();
    // The server would keep the consumer for another minute.
    const {jsm, stream, consumer} = this.setup;
    jsm.consumers.delete(stream, consumer).catch(() => {});
  }

  private readonly askAgain = (): void => this.ask('now');

  private ask(state: 'first' | 'now'): void {
    const {nc, rests, stream, consumer} = this.setup;
    rests.delete(this.askAgain);
    this.state = state;
    if (state === 'now') this.wanted = 0;
    this.brought = this.broughtBytes = 0;
    this.requests += 1;
    this.silentLooks = 0;
    const request = state === 'first' ? requestForFirst : requestForAll;
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, {reply: `${this.inbox}.${this.requests}`});
  }

  private receive(error: Error | null, message: Msg): void {
    if (this.state === 'over') return;
    // A message comes with its own subject, a status with that of this pull's inbox.
    if (error !== null) this.end();
    else if (message.subject.startsWith(this.inbox)) this.receiveStatus(message);
    else this.receiveMessage(message);
  }

  private receiveMessage({reply, data}: Msg): void {
    const {sequence, delivery} = placeOf(reply ?? '');
    if (delivery !== this.delivered + 1) {
      this.end(); // L1
      return;
    }
    this.delivered = delivery;
    this.due = sequence + 1;
    this.silentLooks = 0;
    this.brought += 1;
    this.broughtBytes += data.length;
    this.arrived.push({sequence, bytes: data});
    this.arrivedBytes += data.length;
    if (this.state === 'first' || this.brought === requestMessagesMax) this.requestDone();
    this.wake?.();
  }

  private receiveStatus({subject, headers}: Msg): void {
    if (subject !== `${this.inbox}.${this.requests}`) return; // An earlier request sent it.
    const {code = 0, description = ''} = headers ?? {};
    if (isEndOfRequest(code, description)) this.requestDone();
    else this.end();
  }

  /** The request is over: starts the next one, or a rest. L2 */
  private requestDone(): void {
    if (this.arrivedBytes > heldBytesMax) this.state = 'full';
    else if (this.wanted >= this.due || this.isBehind()) this.ask('now');
    else if (this.brought === 0) this.ask('first');
    else this.rest();
  }

  /** Whether the request brought as much as it may, so the log has more. */
  private isBehind(): boolean {
    return this.brought === requestMessagesMax || this.broughtBytes > requestBytesMax / 2;
  }

  private rest(): void {
    this.state = 'resting';
    this.setup.rests.add(this.askAgain);
  }

  /** Counts checks without an answer; too many end the pull. L3 */
  private look(): void {
    if (this.state !== 'now' && this.state !== 'first') return;
    const patienceMs = silenceMs + (this.state === 'first' ? waitsMs : 0);
    this.silentLooks += 1; // A late check counts as one: this thread could not listen.
    if (this.silentLooks * lookEveryMs > patienceMs) this.end();
  }

  private end(): void {
    this.state = 'over';
    this.setup.rests.delete(this.askAgain);
    clearInterval(this.looking);
    if (!this.subscription.isClosed()) this.subscription.unsubscribe();
    this.wake?.();
  }
}

/** 404: no message. 408: no more messages, or the request's time is over. 409 has many meanings; two of them are no fault. */
function isEndOfRequest(code: number, description: string): boolean {
  return code === 404 || code === 408 || (code === 409 && /^(Batch Completed|Message Size Exceeds)/.test(description));
}

/**
 * Sequence of a message in the stream, and its number among those that the consumer sent:
 * `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<sequence>.<delivery>.<time>.<pending>[.<random>]`.
 */
function placeOf(reply: string): {readonly sequence: number; readonly delivery: number} {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 5 : 7;
  return {sequence: Number(tokens[at]), delivery: Number(tokens[at + 1])};
}

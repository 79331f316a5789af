// A consumer of a partition's log, asked for what is there. Delivered one by one as they come, messages cost 40 us of CPU
// each in nats-server and more where they are read; asked for every `restMs`, those of that time come together, and all
// pulls of a connection ask in the same moment: in one write.
//   L1. Every message after the start, once and in order: the consumer counts what it sends, and a jump (the connection
//       took messages down with it) ends this pull. Its reader opens another one behind what arrived.
//   L2. One request at a time. While nothing comes one waits at the server for the first message, which is thus not
//       delayed; `hurry` ends a rest. What arrived and is not taken yet is bounded by `heldBytesMax` and one request more.
//   L3. A server that was restarted has forgotten the consumer, and a lost connection its answers: silence ends the pull.
//   L4. What the edge of this process offers is not asked for: a pull rests for as long as that follows what it has. Gaps are
//       messages of others: it asks for all up to the newest that is offered; what comes both ways is taken once.
//       A consumer that was left far behind is replaced by another one.
import {setImmediate as nextTurn} from 'node:timers/promises';
import {AckPolicy, DeliverPolicy, type JetStreamManager} from '@nats-io/jetstream';
import {createInbox, type Msg, type NatsConnection, nanos, nuid, type Subscription} from 'nats';
import type {LogMessage, LogPull, LogSource} from '../partition/log/log-reader.js';
import type {OfferedMessages} from '../partition/log/offered-messages.js';
import {logStream} from './topology.js';

/**
 * How much later a message may be folded that nobody waits for: far less than the time until a report shows it. More than
 * twice of what the edge gathers before it offers (ingest/hand-over.ts), so that a rest is fed while anything comes.
 */
const restMs = 125;
/** L4. The edge offers what it has at once when it is told that somebody waits; what has not come by then is in the log. */
const offerMsMax = 20;
/** L2 */
const heldBytesMax = 2 * 1024 * 1024;
/** Bounded by bytes, too: a bound in messages alone trips the server's pending limit when messages are large. */
const requestBytesMax = 4 * 1024 * 1024;
const requestMessagesMax = 10_000;
/** A request waits so long at the server for a first message. */
const waitsMs = 2_000;
/** L3: from then on it is silence. */
const silenceMs = 2_000;
const lookEveryMs = 500;
/** The server forgets a consumer that nobody asked for so long. */
const inactiveMs = 60_000;
/** L4. To have so many bytes sent again costs less than another consumer. */
const skippedBytesMax = 256 * 1024;

const requestForFirst = JSON.stringify({batch: 1, expires: nanos(waitsMs)});

/** The partitions of a thread share one. */
export class NatsLogSource implements LogSource {
  private readonly nc: NatsConnection;
  private readonly jsm: JetStreamManager;
  private readonly rests = new Rests();
  /** Called when somebody waits for what the edge of this process may have and did not offer yet. */
  onHurry: () => void = () => {};

  /** `jsm` of the same connection. */
  constructor(nc: NatsConnection, jsm: JetStreamManager) {
    this.nc = nc;
    this.jsm = jsm;
  }

  async open(partition: number, startSequence: number, offered: OfferedMessages): Promise<LogPull> {
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
      hurryOffers: () => this.onHurry(),
      stream: logStream(partition),
      consumer: name,
      startSequence,
      offered,
    });
  }
}

/** Those that rest, until they all ask again. */
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
  readonly hurryOffers: () => void;
  readonly stream: string;
  readonly consumer: string;
  readonly startSequence: number;
  readonly offered: OfferedMessages;
}

/** `first`: a request waits for a first message; `now`: one for what is there. */
type State = 'first' | 'now' | 'resting' | 'full' | 'over';

class NatsLogPull implements LogPull {
  isLeftBehind = false;
  private readonly setup: PullSetup;
  private readonly inbox = createInbox();
  private readonly subscription: Subscription;
  private readonly looking: NodeJS.Timeout;
  private state: State = 'now';
  private arrived: LogMessage[] = [];
  private arrivedBytes = 0;
  /** The sequence behind all that arrived or was taken of what is offered. */
  private due: number;
  /** What the consumer counted last, and where it stands in the log. */
  private delivered = 0;
  private consumed: number;
  /** Of the newest request: its number, looks since it was made or brought something, what it may bring and what it brought. */
  private requests = 0;
  private silentLooks = 0;
  private batch = 0;
  private brought = 0;
  private broughtBytes = 0;
  /** Somebody waits for this sequence, which the newest request may not have seen. */
  private wanted = 0;
  /** Since the rest began something was taken of what is offered. L4 */
  private isFed = false;
  /** Taken of what is offered, and not passed by the consumer. */
  private skippedBytes = 0;
  private wake: (() => void) | undefined;
  /** The edge was asked to offer what it has, and did not yet. */
  private hurrying: NodeJS.Timeout | undefined;

  constructor(setup: PullSetup) {
    this.setup = setup;
    this.due = setup.startSequence;
    this.consumed = setup.startSequence - 1;
    const callback = (error: Error | null, message: Msg): void => this.receive(error, message);
    this.subscription = setup.nc.subscribe(`${this.inbox}.*`, {callback});
    this.looking = setInterval(() => this.look(), lookEveryMs);
    this.ask('now');
  }

  async next(): Promise<readonly LogMessage[] | undefined> {
    // What is offered is at hand without a turn of the event loop, and others want theirs, too.
    if (this.isFed) await nextTurn();
    for (;;) {
      const messages = this.arrived.length > 0 ? this.takeArrived() : this.takeOffered();
      if (messages.length > 0) return messages;
      if (this.state === 'over') return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private takeArrived(): LogMessage[] {
    const {arrived} = this;
    this.arrived = [];
    this.arrivedBytes = 0;
    if (this.state === 'full') {
      if (this.isOffered()) this.rest();
      else this.ask('now');
    }
    return arrived;
  }

  /** L4 */
  private takeOffered(): LogMessage[] {
    if (this.state === 'over') return [];
    const taken = this.setup.offered.take(this.due, heldBytesMax);
    if (taken.length === 0) return taken;
    this.isFed = true;
    this.due = taken[taken.length - 1].sequence + 1;
    for (const {bytes} of taken) this.skippedBytes += bytes.length;
    if (this.wanted < this.due) this.hurryDone();
    else this.hurry(this.wanted);
    return taken;
  }

  offered(): void {
    this.wake?.();
  }

  hurry(sequence: number): void {
    if (sequence < this.due) return;
    this.wanted = Math.max(this.wanted, sequence);
    if (this.state !== 'resting' || this.isOffered()) return;
    if (this.isFed && !this.hasGap()) this.hurryOffers();
    else this.ask('now');
  }

  /** L4: what is wanted is most probably the edge's, and if not it is asked for. */
  private hurryOffers(): void {
    if (this.hurrying !== undefined) return;
    this.setup.hurryOffers();
    this.hurrying = setTimeout(() => {
      this.hurryDone();
      if (this.state === 'resting' && this.wanted >= this.due && !this.isOffered()) this.ask('now');
    }, offerMsMax);
  }

  private hurryDone(): void {
    clearTimeout(this.hurrying);
    this.hurrying = undefined;
  }

  stop(): void {
    if (this.state === 'over') return;
    this.end();
    // Left alone it is forgotten, too, a minute later.
    const {jsm, stream, consumer} = this.setup;
    jsm.consumers.delete(stream, consumer).catch(() => {});
  }

  private ask(state: 'first' | 'now'): void {
    if (this.skippedBytes > skippedBytesMax) {
      this.isLeftBehind = true; // L4
      this.stop();
      return;
    }
    const {nc, rests, stream, consumer} = this.setup;
    rests.delete(this.restOver);
    this.state = state;
    this.isFed = false;
    this.batch = state === 'first' ? 1 : this.missing();
    if (state === 'now') this.wanted = 0;
    this.brought = this.broughtBytes = 0;
    this.requests += 1;
    this.silentLooks = 0;
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    const request =
      state === 'first'
        ? requestForFirst
        : JSON.stringify({batch: this.batch, max_bytes: requestBytesMax, no_wait: true});
    nc.publish(subject, request, {reply: `${this.inbox}.${this.requests}`});
  }

  /**
   * As many messages as there may be up to the newest that is offered, and up to what is wanted. Not to the first gap alone:
   * where edges of several processes write in turn there is a gap before every other message.
   */
  private missing(): number {
    const {last} = this.setup.offered;
    if (last === undefined || last < this.due) return requestMessagesMax;
    return Math.min(Math.max(1, last - this.consumed, this.wanted - this.consumed), requestMessagesMax);
  }

  private receive(error: Error | null, message: Msg): void {
    if (this.state === 'over') return;
    // A message comes with its own subject, a status with ours.
    if (error !== null) this.end();
    else if (message.subject.startsWith(this.inbox)) this.receiveStatus(message);
    else this.receiveMessage(message);
  }

  private receiveMessage({reply, data}: Msg): void {
    const place = placeOf(reply ?? '');
    if (place.delivery !== this.delivered + 1) {
      this.end(); // L1
      return;
    }
    this.delivered = place.delivery;
    this.consumed = place.sequence;
    this.silentLooks = 0;
    this.brought += 1;
    this.broughtBytes += data.length;
    if (place.sequence < this.due) this.skippedBytes -= data.length;
    else this.arrive({sequence: place.sequence, bytes: data});
    if (this.brought === this.batch) this.requestDone();
    this.wake?.();
  }

  private arrive(message: LogMessage): void {
    this.arrived.push(message);
    this.arrivedBytes += message.bytes.length;
    this.due = message.sequence + 1;
  }

  private receiveStatus({subject, headers}: Msg): void {
    if (subject !== `${this.inbox}.${this.requests}`) return; // Of an earlier request.
    const {code = 0, description = ''} = headers ?? {};
    if (isEndOfRequest(code, description)) this.requestDone();
    else this.end();
  }

  /** L2 */
  private requestDone(): void {
    if (this.isOffered()) this.rest();
    else if (this.arrivedBytes > heldBytesMax) this.state = 'full';
    else if (this.wanted >= this.due || this.isBehind()) this.ask('now');
    else if (this.brought === 0 && !this.hasGap()) this.ask('first');
    else this.rest();
  }

  /** L4 */
  private readonly restOver = (): void => {
    const isFed = this.isFed && this.wanted < this.due && !this.hasGap();
    if (!isFed && !this.isOffered()) {
      this.ask('now');
      return;
    }
    this.isFed = false;
    this.rest();
  };

  /** What follows is at hand. */
  private isOffered(): boolean {
    return this.setup.offered.first(this.due) === this.due;
  }

  private hasGap(): boolean {
    return (this.setup.offered.first(this.due) ?? this.due) > this.due;
  }

  /** The request brought as much as it may: there is more. */
  private isBehind(): boolean {
    return this.brought === requestMessagesMax || this.broughtBytes > requestBytesMax / 2;
  }

  private rest(): void {
    this.state = 'resting';
    this.setup.rests.add(this.restOver);
  }

  /** L3 */
  private look(): void {
    if (this.state !== 'now' && this.state !== 'first') return;
    const patienceMs = silenceMs + (this.state === 'first' ? waitsMs : 0);
    this.silentLooks += 1; // One that comes late counts as one: this thread could not listen.
    if (this.silentLooks * lookEveryMs > patienceMs) this.end();
  }

  private end(): void {
    this.state = 'over';
    this.setup.rests.delete(this.restOver);
    clearInterval(this.looking);
    this.hurryDone();
    if (!this.subscription.isClosed()) this.subscription.unsubscribe();
    this.wake?.();
  }
}

/** 404: nothing is there. 408: nothing more, or its time is over. 409 says many things; these two are no fault. */
function isEndOfRequest(code: number, description: string): boolean {
  return code === 404 || code === 408 || (code === 409 && /^(Batch Completed|Message Size Exceeds)/.test(description));
}

/**
 * Where a message stands in the log, and as the how manieth the consumer sent it:
 * `$JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<sequence>.<delivery>.<time>.<pending>[.<random>]`.
 */
function placeOf(reply: string): {readonly sequence: number; readonly delivery: number} {
  const tokens = reply.split('.');
  const at = tokens.length === 9 ? 5 : 7;
  return {sequence: Number(tokens[at]), delivery: Number(tokens[at + 1])};
}

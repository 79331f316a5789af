// The streams of deliveries: OUT, where they wait, and DEAD, which keeps those that no attempt succeeded with.
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import {nanos} from 'nats';
import {consumerNotFound, hasCode, messageNotFound} from '../nats/error-codes.js';
import {deadLetterSubject, deadLettersStream, triggerSubject, triggersStream} from '../nats/topology.js';
import type {DeadLetter, Queued} from './queued-delivery.js';

const ackWaitMs = 60_000;
/** Includes deliveries that wait for their next attempt: an endpoint that fails every second delivery must not block the rest. */
const unackedMax = 10_000;
const pullMsMax = 5_000;

/** A message of a stream, with its sequence. */
export interface Placed<Content> {
  readonly sequence: number;
  readonly content: Content;
}

/** A message of the stream, which waits for its ack. */
export interface PulledMessage {
  readonly queued: Queued;
  /** Its place in the stream, the same at each delivery. */
  readonly sequence: number;
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

const consumerOf = (endpointId: string): string => `d-${endpointId}`;

export class DeliveryQueue {
  private readonly js: JetStreamClient;
  private readonly jsm: JetStreamManager;

  constructor(js: JetStreamClient, jsm: JetStreamManager) {
    this.js = js;
    this.jsm = jsm;
  }

  /** Resolves when the stream has stored the message. */
  async queue(endpointId: string, queued: Queued): Promise<void> {
    const msgID = `${endpointId}.${queued.id}.${queued.attempts ?? 0}.${queued.dueMs ?? 0}`;
    await this.js.publish(triggerSubject(endpointId), JSON.stringify(queued), {msgID});
  }

  async bury(endpointId: string, letter: DeadLetter): Promise<void> {
    const msgID = `${endpointId}.${letter.id}.${letter.endedMs}`;
    await this.js.publish(deadLetterSubject(endpointId), JSON.stringify(letter), {msgID});
  }

  /** Queued messages from the sequence `from` on, in order, at most `countMax`. */
  async waiting(endpointId: string, from: number, countMax: number): Promise<Placed<Queued>[]> {
    return this.read(triggersStream, triggerSubject(endpointId), from, countMax);
  }

  async dead(endpointId: string, from: number, countMax: number): Promise<Placed<DeadLetter>[]> {
    return this.read(deadLettersStream, deadLetterSubject(endpointId), from, countMax);
  }

  private async read<Content>(stream: string, subject: string, from: number, countMax: number) {
    const found: Placed<Content>[] = [];
    for (let seq = from; found.length < countMax; seq = found.at(-1)!.sequence + 1) {
      // The client's type lacks `next_by_subj` beside `seq`; the server accepts it.
      const next = {seq, next_by_subj: subject};
      const message = await this.jsm.streams.getMessage(stream, next).catch((error: Error) => {
        if (hasCode(error, messageNotFound)) return null;
        throw error;
      });
      if (message === null) break;
      found.push({sequence: message.seq, content: message.json<Content>()});
    }
    return found;
  }

  /** Deletes a dead letter, which is queued again. */
  async exhume(sequence: number): Promise<void> {
    await this.jsm.streams.deleteMessage(deadLettersStream, sequence, false);
  }

  /** Deletes the consumer, queue and dead letters of a deleted endpoint. */
  async forget(endpointId: string): Promise<void> {
    await this.jsm.consumers.delete(triggersStream, consumerOf(endpointId)).catch((error: Error) => {
      if (!hasCode(error, consumerNotFound)) throw error;
    });
    await this.jsm.streams.purge(triggersStream, {filter: triggerSubject(endpointId)});
    await this.jsm.streams.purge(deadLettersStream, {filter: deadLetterSubject(endpointId)});
  }

  /** Ids of endpoints with queued messages or a consumer, including deleted endpoints. */
  async addressees(): Promise<Set<string>> {
    const {state} = await this.jsm.streams.info(triggersStream, {subjects_filter: triggerSubject('>')});
    const subjects = Object.keys(state.subjects ?? {});
    const ids = new Set(subjects.map((subject) => subject.slice(triggerSubject('').length)));
    for await (const {name} of this.jsm.consumers.list(triggersStream))
      if (name.startsWith(consumerOf(''))) ids.add(name.slice(consumerOf('').length));
    return ids;
  }

  /** The queued messages of an endpoint, shared with other processes that pull them. */
  source(endpointId: string): TriggerSource {
    let isThere: Promise<ConsumerInfo> | undefined;
    return {
      next: async () => {
        isThere ??= this.ensureConsumer(endpointId);
        try {
          await isThere;
          const consumer = await this.js.consumers.get(triggersStream, consumerOf(endpointId));
          const message = await consumer.next({expires: pullMsMax});
          if (message === null) return undefined;
          return {
            queued: message.json<Queued>(),
            sequence: message.seq,
            ack: () => message.ack(),
            back: (ms) => message.nak(Math.max(1, Math.round(ms))),
            alive: () => message.working(),
          } satisfies PulledMessage;
        } catch (error) {
          isThere = undefined;
          throw error;
        }
      },
    };
  }

  private ensureConsumer(endpointId: string): Promise<ConsumerInfo> {
    return this.jsm.consumers.add(triggersStream, {
      durable_name: consumerOf(endpointId),
      filter_subject: triggerSubject(endpointId),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      deliver_policy: DeliverPolicy.All,
      max_ack_pending: unackedMax,
      max_deliver: -1,
    });
  }
}

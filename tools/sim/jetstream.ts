// The part of `@nats-io/jetstream` that the partition role uses, over a fake link. Shapes and errors are the library's.
import type {JetStreamClient, JetStreamManager} from '@nats-io/jetstream';
import {logStream} from '../../src/nats/topology.js';
import type {LogSource} from '../../src/partition/log/log-reader.js';
import {SimConsumer} from './consumer.js';
import {nameOf, requestMs, type SimLink} from './link.js';
import {type apiError, noMessageFound, type Stored} from './store.js';

interface PublishOptions {
  readonly msgID?: string;
  readonly expect?: {readonly lastSubjectSequence?: number};
}

type MessageQuery = {readonly seq: number} | {readonly last_by_subj: string};

export function simJetStream(link: SimLink): JetStreamClient {
  const {server, timeline} = link.world;
  const client = {
    publish(subject: string, payload: Uint8Array, options: PublishOptions = {}) {
      const data = kept(payload);
      const {msgID: msgId, expect} = options;
      return link.request(`publish ${subject} ${msgId ?? ''} ${nameOf(data)}`, () =>
        server.publish({subject, data, msgId, lastSubjectSequence: expect?.lastSubjectSequence}, timeline.nowMs),
      );
    },
  };
  return client as unknown as JetStreamClient;
}

export function simLogSource(link: SimLink): LogSource {
  return {
    open: (partition, startSequence) => {
      const stream = logStream(partition);
      return link.request(
        `consumer ${stream} ${startSequence}`,
        () => new SimConsumer(link, link.world.server.stream(stream), startSequence),
      );
    },
  };
}

/** Copies a payload, as callers reuse their buffers, except for megabytes of filler. */
const kept = (payload: Uint8Array): Uint8Array => (payload.length > 256 * 1024 ? payload : payload.slice());

export function simManager(link: SimLink, timeoutMs = requestMs): JetStreamManager {
  const {server} = link.world;
  const find = (stream: string, query: MessageQuery): Stored =>
    'seq' in query ? server.stream(stream).get(query.seq) : server.stream(stream).lastOf(query.last_by_subj);
  const getMessage = (stream: string, query: MessageQuery) =>
    link.request(`get ${stream} ${JSON.stringify(query)}`, () => orNull(() => find(stream, query)), timeoutMs);
  const manager = {
    direct: {getMessage},
    streams: {
      getMessage,
      info: (name: string, options: {readonly subjects_filter?: string} = {}) =>
        link.request(
          `info ${name}`,
          () => {
            const stream = server.stream(name);
            const filter = options.subjects_filter;
            const subjects = filter === undefined ? undefined : stream.subjectsUnder(filter);
            return {state: {first_seq: stream.firstSeq, last_seq: stream.lastSeq, subjects}};
          },
          timeoutMs,
        ),
      purge: (name: string, {seq}: {readonly seq: number}) =>
        link.request(`purge ${name} ${seq}`, () => server.purge(server.stream(name), seq), timeoutMs),
      deleteMessage: (name: string, seq: number, isErase: boolean) =>
        link.request(`delete ${name} ${seq}`, () => server.delete(server.stream(name), seq, isErase), timeoutMs),
    },
  };
  return manager as unknown as JetStreamManager;
}

/** The library returns null for a missing message. */
function orNull(find: () => Stored): Stored | null {
  try {
    return find();
  } catch (error) {
    if ((error as ReturnType<typeof apiError>).code === noMessageFound) return null;
    throw error;
  }
}

// The content of the logs, from nats-server itself.

import {createHash} from 'node:crypto';
import {JetStreamApiError, type JetStreamManager, jetstreamManager} from '@nats-io/jetstream';
import {connect} from 'nats';
import type {Place} from '../../src/log-position.js';
import {logStream} from '../../src/nats/topology.js';

export interface LogState {
  /** Position of a published report. */
  readonly position: Place | undefined;
  /** Digest of the message at that position; undefined when the log has none. */
  readonly mark: string | undefined;
  /** The log's last sequence; 0 when there is no such log. */
  readonly last: number;
}

/** The state of each partition's log. */
export async function readLogs(port: number, published: ReadonlyMap<number, Place>): Promise<LogState[]> {
  const nc = await connect({servers: `127.0.0.1:${port}`});
  try {
    const jsm = await jetstreamManager(nc, {checkAPI: false});
    const states: LogState[] = [];
    for (let partition = 0; partition < published.size; partition++) {
      states.push(await readLog(jsm, partition, published.get(partition)));
    }
    return states;
  } finally {
    await nc.close();
  }
}

async function readLog(jsm: JetStreamManager, partition: number, position: Place | undefined): Promise<LogState> {
  const stream = logStream(partition);
  const info = await orNothing(jsm.streams.info(stream));
  if (info === undefined) return {position, mark: undefined, last: 0};
  const message =
    position === undefined ? undefined : await orNothing(jsm.streams.getMessage(stream, {seq: position.sequence}));
  const mark = message == null ? undefined : createHash('sha256').update(message.data).digest('hex');
  return {position, mark, last: info.state.last_seq};
}

async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof JetStreamApiError) return undefined;
    throw error;
  }
}

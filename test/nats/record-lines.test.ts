// The stream of the record in a real nats-server: pages, its bound, retries, and two edges that write and read it.
import {type JetStreamManager, jetstream, jetstreamManager} from '@nats-io/jetstream';
import type {NatsConnection} from 'nats';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {StoredRecord} from '../../src/edge/stored-record.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {RecordLines} from '../../src/nats/record-lines.js';
import {recordStream} from '../../src/nats/topology.js';
import {startTestNats, type TestNats} from '../support/nats.js';

let server: TestNats;
let jsm: JetStreamManager;
const connections: NatsConnection[] = [];

async function openLines(): Promise<RecordLines> {
  const nc = await connectNats(server.nats.address, 'test-record');
  connections.push(nc);
  jsm = await jetstreamManager(nc, {checkAPI: false});
  return new RecordLines(jetstream(nc), jsm);
}

beforeAll(async () => {
  server = await startTestNats(1);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await server.stop();
});

test('pages go from the newest line to the oldest that is left, and a retry is stored once', async () => {
  const lines = await openLines();
  expect(await lines.page(undefined, 10)).toEqual({texts: [], before: undefined});
  for (let n = 1; n <= 25; n++) await lines.append(`id ${n}`, `line ${n}`);
  await lines.append('id 25', 'line 25');
  const numbers = (from: number, to: number) => Array.from({length: from - to + 1}, (_, at) => `line ${from - at}`);
  const first = await lines.page(undefined, 10);
  expect(first).toEqual({texts: numbers(25, 16), before: 16});
  await lines.append('id 26', 'line 26');
  const second = await lines.page(first.before, 10);
  expect(second).toEqual({texts: numbers(15, 6), before: 6});
  expect(await lines.page(second.before, 10)).toEqual({texts: numbers(5, 1), before: undefined});

  const {config} = await jsm.streams.info(recordStream);
  await jsm.streams.update(recordStream, {...config, max_msgs: 8});
  await lines.append('id 27', 'line 27');
  expect(await lines.page(undefined, 100)).toEqual({texts: numbers(27, 20), before: undefined});
  expect(await lines.page(5, 10)).toEqual({texts: [], before: undefined});
  await jsm.streams.update(recordStream, config);
  await jsm.streams.purge(recordStream);
  expect(await lines.page(undefined, 10)).toEqual({texts: [], before: undefined});
});

test('what two edges record is one record, which an edge that starts later reads', async () => {
  let ids = 0;
  const options = {
    newId: () => `edge ${(ids += 1)}`,
    later: (ms: number, call: () => void) => void setTimeout(call, ms).unref(),
    logger: {warn: () => {}} as never,
  };
  const [one, two] = [
    new StoredRecord({...options, lines: await openLines()}),
    new StoredRecord({...options, lines: await openLines()}),
  ];
  one.keep({atMs: 1, what: 'board.changed', subject: 'bd_1', by: 'admin'});
  one.keep({atMs: 2, what: 'board.changed', subject: 'bd_1', by: 'admin'});
  two.keep({atMs: 3, what: 'user.deleted', subject: 'del_1', by: 'key_1'});
  await Promise.all([one.flush(), two.flush()]);
  const later = new StoredRecord({...options, lines: await openLines()});
  for (const record of [one, two, later]) {
    expect(await record.page(undefined)).toEqual({
      lines: [
        {atMs: 3, what: 'user.deleted', subject: 'del_1', by: 'key_1'},
        {atMs: 2, what: 'board.changed', subject: 'bd_1', by: 'admin', count: 2},
      ],
      before: undefined,
    });
  }
});

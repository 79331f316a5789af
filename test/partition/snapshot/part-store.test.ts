// A part is stored once, however long its ack was lost: in a real nats-server.
import {type JetStreamClient, jetstream, jetstreamManager} from '@nats-io/jetstream';
import {expect, test} from 'vitest';
import {connectNats} from '../../../src/nats/client/connection.js';
import {bucketStream} from '../../../src/nats/topology.js';
import {PartStore} from '../../../src/partition/snapshot/part-store.js';
import {startTestNats} from '../../support/nats.js';
import {partOwner} from '../../support/part-owner.js';

test('a part whose ack was lost is stored once, also behind the time for which the server knows message ids', async () => {
  const {nats, stop} = await startTestNats(1);
  const nc = await connectNats(nats.address, 'test');
  const jsm = await jetstreamManager(nc);
  const {config} = await jsm.streams.info(bucketStream('parts-0'));
  await jsm.streams.update(config.name, {...config, duplicate_window: 100_000_000}); // 0.1 s
  const js = jetstream(nc);
  let tries = 0;
  const lossy = {
    async publish(...message: Parameters<JetStreamClient['publish']>) {
      tries += 1;
      if (tries > 1) return js.publish(...message);
      await js.publish(...message);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      throw new Error('the ack was lost');
    },
  };
  const parts = new PartStore(lossy as unknown as JetStreamClient, jsm, 0, partOwner());
  const {revisions} = await parts.put(Buffer.from('a part'));
  const {state} = await jsm.streams.info(config.name);
  expect([tries, state.messages, state.last_seq, revisions]).toEqual([2, 1, 1, [1]]);
  await nc.close();
  await stop();
});

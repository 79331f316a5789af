// The level of a deployment by hand, over a real NATS with members of pretended versions.
import type {NatsConnection} from 'nats';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {type MemberCard, memberName, memberText} from '../../actors/cluster/records.js';
import {clusterText, raisedText} from '../../src/cli/cluster/level-text.js';
import {connectNats} from '../../src/nats/client/connection.js';
import {NatsKeyBucket} from '../../src/nats/key-bucket.js';
import {ensureCluster, ensureTopology, programLevels, raiseLevel, readDeployment} from '../../src/nats/topology.js';
import {startTestNats, type TestNats} from '../support/nats.js';

const [, level] = programLevels;
let server: TestNats;
let nc: NatsConnection;

beforeEach(async () => {
  server = await startTestNats(1);
  nc = await connectNats(server.nats.address, 'test-cluster');
  await ensureCluster(nc, 1);
});

afterEach(async () => {
  await nc.close();
  await server.stop();
});

/** A member of a version with these levels. */
async function join(id: string, role: MemberCard['role'], levels: MemberCard['levels']): Promise<void> {
  const text = memberText('up', 0, {name: `process ${id}`, sinceMs: 0, isBack: false, role, levels});
  await new NatsKeyBucket(nc, 'cluster').write(memberName(id), text, 0);
}

test('the level rises when all members have the next one, and no version without it starts from then on', async () => {
  await expect(raisedText(nc)).rejects.toThrow('no process of this deployment runs');
  await join('a', 'partition', [level, level + 1]);
  await join('b', 'edge', [level, level]);
  expect(await clusterText(nc)).toBe(
    `The level is ${level}.\n  process a (partition): ${level} to ${level + 1}\n  process b (edge): ${level}\n`,
  );
  await expect(raisedText(nc)).rejects.toThrow(
    `the level stays ${level}: 1 of 2 processes do not read and write ${level + 1}\n  process b (edge): ${level}`,
  );
  await new NatsKeyBucket(nc, 'cluster').erase(memberName('b'));
  const before = await readDeployment(nc);
  expect(await raisedText(nc)).toBe(`The level is ${level + 1} now.\n`);

  // This version lacks it: neither a worker nor an edge of it starts. The next version does, and the one after the next does not.
  const refusal = `the data has format version ${level + 1}; this version of Millrace reads ${level}: `;
  await expect(ensureTopology(nc, {partitions: 1, replicas: 1})).rejects.toThrow(refusal);
  expect(await readDeployment(nc, [level, level + 1])).toEqual({...before, formatVersion: level + 1});
  await expect(readDeployment(nc, [level + 2, level + 3])).rejects.toThrow(`reads ${level + 2} to ${level + 3}: `);
});

test('of two who raise the level, one does', async () => {
  expect(await Promise.all([raiseLevel(nc, level), raiseLevel(nc, level)])).toContain(false);
  expect(await raiseLevel(nc, level)).toBe(false);
  expect((await readDeployment(nc, [level, level + 2]))!.formatVersion).toBe(level + 1);
});

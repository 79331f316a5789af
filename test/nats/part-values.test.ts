import type {JetStreamManager, StoredMsg} from '@nats-io/jetstream';
import {expect, test} from 'vitest';
import {partValues} from '../../src/nats/part-values.js';

const silence = new Promise<never>(() => {});
const value = Buffer.from('a value');
const stored = async (): Promise<StoredMsg> => ({data: value}) as unknown as StoredMsg;

/** Who is asked, and what each says. */
function asked(says: {any: () => Promise<StoredMsg | null>; leader: () => Promise<StoredMsg | null>}) {
  const order: string[] = [];
  const ask = (who: keyof typeof says) => () => {
    order.push(who);
    return says[who]();
  };
  const jsm = {direct: {getMessage: ask('any')}, streams: {getMessage: ask('leader')}} as unknown as JetStreamManager;
  return {jsm, order};
}

const isOfCluster = (): boolean => true;

test('a replica that is behind does not know a value yet: the leader is asked', async () => {
  for (const of of [() => false, isOfCluster]) {
    const {jsm, order} = asked({any: async () => null, leader: stored});
    expect(await partValues(jsm, of).read(7, 'p0.1-a.1')).toEqual(value);
    expect(order).toEqual(['any', 'leader']);
  }
});

test('a replica that does not answer holds up one read for a second, and none after it', async () => {
  const {jsm, order} = asked({any: () => silence, leader: stored});
  const values = partValues(jsm, isOfCluster);
  const first = values.read(7, 'p0.1-a.1');
  expect(order).toEqual(['any']);
  expect(await first).toEqual(value);
  const second = values.read(8, 'p0.1-a.1');
  expect(order).toEqual(['any', 'leader', 'any', 'leader']);
  expect(await second).toEqual(value);
});

test('while replicas are not trusted, those that answer are as good as the leader', async () => {
  let any: () => Promise<StoredMsg | null> = () => silence;
  let leader = stored;
  const {jsm} = asked({any: () => any(), leader: () => leader()});
  const values = partValues(jsm, isOfCluster);
  await values.read(7, 'p0.1-a.1');
  any = stored;
  leader = () => silence;
  expect(await values.read(8, 'p0.1-a.1')).toEqual(value);
  any = () => Promise.reject(new Error('no replica'));
  leader = () => Promise.reject(new Error('no leader'));
  await expect(values.read(9, 'p0.1-a.1')).rejects.toThrow('no replica');
});

test('a value is gone when nobody who answers has it', async () => {
  let any: () => Promise<StoredMsg | null> = () => silence;
  let leader = stored as () => Promise<StoredMsg | null>;
  const {jsm} = asked({any: () => any(), leader: () => leader()});
  const values = partValues(jsm, isOfCluster);
  await values.read(7, 'p0.1-a.1');
  const late = <T>(value: T) => new Promise<T>((resolve) => setTimeout(() => resolve(value), 50));
  any = async () => late(await stored());
  leader = async () => null;
  expect(await values.read(8, 'p0.1-a.1')).toEqual(value);
  any = async () => late(null);
  expect(await values.read(9, 'p0.1-a.1')).toBeUndefined();
  any = async () => Promise.reject(await late(new Error('no replica')));
  expect(await values.read(10, 'p0.1-a.1')).toBeUndefined();
});

test('one server alone is asked once, however long it takes', async () => {
  const {jsm, order} = asked({any: () => silence, leader: stored});
  void partValues(jsm).read(7, 'p0.1-a.1');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(order).toEqual(['any']);
});

test('a value is read from the stream of its partition', async () => {
  const streams: string[] = [];
  const ask = async (stream: string) => {
    streams.push(stream);
    return null;
  };
  const jsm = {direct: {getMessage: ask}, streams: {getMessage: ask}} as unknown as JetStreamManager;
  const values = partValues(jsm);
  for (const key of ['p0.1-a.1', 'p7.1-a.1', 'p8.1-a.1', 'p255.12-a.1']) await values.read(1, key);
  expect(streams.filter((_, at) => at % 2 === 0)).toEqual(['KV_parts-0', 'KV_parts-7', 'KV_parts-0', 'KV_parts-7']);
});

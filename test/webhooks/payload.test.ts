// A condition of a webhook means what it means in a report, of properties and of the context.
import {expect, test} from 'vitest';
import {readCondition} from '../../actors/report/rows/condition-text.js';
import {PartsCache} from '../../src/parts/parts-cache.js';
import {Evaluation} from '../../src/report/evaluate.js';
import {eventRule, type StoredEvent} from '../../src/webhooks/payload.js';
import {MemoryParts, type TestEvent, TestPartition} from '../support/snapshot.js';

type Own = Pick<TestEvent, 'properties' | 'context'>;

const events: readonly Own[] = [
  {},
  {properties: {referrer: null}},
  {properties: {context: null}},
  {properties: {'context.page': null}, context: {page: '/'}},
  {properties: {context: {page: '/own'}}, context: {page: '/'}},
  {properties: {plan: 'pro'}, context: {page: {path: '/'}, n: null}},
];
const conditions = [
  'context',
  'context.page',
  'context.page.path',
  'context.n',
  'referrer',
  'plan',
  'plan.length',
].flatMap((name) => ['set', 'unset', 'null', 'nnull', 'eq /', 'ne pro'].map((tail) => `${name} ${tail}`));

test('webhooks and reports agree on every condition', async () => {
  for (const own of events) {
    const parts = new MemoryParts();
    const partition = new TestPartition(parts);
    partition.append({user: 'ada', event: 'A', timeMs: 1, ...own});
    const snapshots = [partition.publish(1, 0)];
    const stored = {event: 'A', properties: {}, ...own} as unknown as StoredEvent;
    for (const text of conditions) {
      const did = {event: 'A', where: [readCondition(text)!]};
      const asked = {
        report: 'active',
        metric: 'dau',
        interval: 'day',
        fromMs: 0,
        toMs: 9,
        did,
      } as const;
      const answer = await new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20).answer(asked, snapshots);
      const isTaken = eventRule({types: [{type: 'event.tracked', where: [text]}]})(stored);
      expect([text, isTaken ? 1 : 0]).toEqual([text, JSON.parse(answer).total]);
    }
  }
});

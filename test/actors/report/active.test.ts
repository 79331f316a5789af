// The answer of docs/api/reports/active.md; what it counts is in against-model.test.ts.

import {expect, test} from 'vitest';
import {PartsCache} from '../../../src/parts/parts-cache.js';
import {Evaluation} from '../../../src/report/evaluate.js';
import {MemoryParts, TestPartition} from '../../support/snapshot.js';

test('an answer has every field, in the order of docs/api/reports/active.md', async () => {
  const parts = new MemoryParts();
  const fromMs = Date.parse('2024-05-01T00:00:00Z');
  const partition = new TestPartition(parts).append({user: 'ada', event: 'seen', timeMs: fromMs + 5});
  const query = {report: 'active', metric: 'dau', interval: 'day', fromMs, toMs: fromMs + 2 * 86_400_000 - 1} as const;
  expect(await new Evaluation(new PartsCache(parts, 1 << 20), 1 << 20).answer(query, [partition.publish()])).toBe(
    '{"metric":"dau","interval":"day","data":[{"date":"2024-05-01","count":1},{"date":"2024-05-02","count":0}],"total":1}',
  );
});

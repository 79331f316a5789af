// The differential test (test/differential.test.ts) in small: one seed of its own.
import {test} from 'vitest';
import {play} from './differential/play.js';

test('the service answers as the model does, also after a kill', {timeout: 300_000}, () =>
  play({seed: 5, restarts: ['kill'], batchEventsMax: 30, env: {PARTITIONS: '2'}}, {steps: 40, queries: 5}),
);

import {closeSync, openSync} from 'node:fs';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {ProcessVitals} from '../../../src/edge/metrics/process-vitals.js';
import {until} from '../../support/until.js';

const nowMs = Date.parse('2026-05-01T12:00:00Z');

let vitals: ProcessVitals;
beforeEach(() => {
  vitals = new ProcessVitals(nowMs);
});
afterEach(() => vitals.stop());

test('the start, CPU time and memory are those of this process', async () => {
  const before = process.cpuUsage();
  const {startSeconds, userCpuSeconds, systemCpuSeconds, residentBytes} = await vitals.measure();
  const after = process.cpuUsage();
  expect(Math.abs(startSeconds - (nowMs / 1_000 - process.uptime()))).toBeLessThan(5);
  for (const [of, seconds] of [
    ['user', userCpuSeconds],
    ['system', systemCpuSeconds],
  ] as const) {
    expect(seconds * 1_000_000).toBeGreaterThanOrEqual(before[of]);
    expect(seconds * 1_000_000).toBeLessThanOrEqual(after[of]);
  }
  expect(residentBytes / process.memoryUsage.rss()).toBeGreaterThan(0.5);
  expect(residentBytes / process.memoryUsage.rss()).toBeLessThan(2);
});

test.skipIf(process.platform !== 'linux')('open files are counted, below their bound', async () => {
  // More than other tests of this process open or close meanwhile.
  const files = Array.from({length: 300}, () => openSync('/dev/null', 'r'));
  const {openFiles, openFilesMax} = await vitals.measure();
  for (const file of files) closeSync(file);
  const {openFiles: fewer} = await vitals.measure();
  expect(openFiles! - fewer!).toBeGreaterThan(200);
  expect(openFiles!).toBeLessThanOrEqual(openFilesMax!);
});

test('collections of garbage are observed by kind, in seconds', async () => {
  const beganMs = performance.now();
  const {collections} = await vitals.measure();
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const {sum} = await until('the collection is observed', () => {
    const major = collections.major.read();
    return major.count > 0 && major;
  });
  expect(sum).toBeGreaterThan(0);
  expect(sum).toBeLessThan((performance.now() - beganMs) / 1_000);
});

// A wait of the start has an end, and says what it waits for.
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {promised} from '../src/promised.js';
import {StartFault} from '../src/start-fault.js';

const world = () => {
  const lines: string[] = [];
  return {lines, logger: {warn: (...said: readonly unknown[]) => void lines.push(String(said[1]))}};
};

test('what comes is passed on, and so is a failure; both without a line', async () => {
  const {lines, logger} = world();
  expect(await promised('a record', Promise.resolve(7), {logger})).toBe(7);
  await expect(promised('a record', Promise.reject(new Error('away')), {logger})).rejects.toThrow('away');
  expect(lines).toEqual([]);
});

test('what does not come is said again and again, and then is a fault of the start', async () => {
  const {lines, logger} = world();
  const waiting = promised('a record', new Promise(() => {}), {logger, sayMs: 5, msMax: 60});
  await expect(waiting).rejects.toThrow(StartFault);
  await expect(waiting).rejects.toThrow(/^a record did not come within \d+ s: /);
  const said = lines.length;
  expect(said).toBeGreaterThan(0);
  expect(new Set(lines)).toEqual(new Set(['the start still waits for a record']));
  await pause(30);
  expect(lines.length).toBe(said);
});

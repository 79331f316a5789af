// "Not found" of a message that the stream counts is damage, unless it came or went between the questions.
import type {JetStreamManager, StoredMsg} from '@nats-io/jetstream';
import {expect, test} from 'vitest';
import {newestMessage, UnreadableMessage} from '../../src/nats/newest-message.js';

/** Answers in turn: messages of `getMessage`, counts of `info`; the last of each stays. */
function managerOf(found: readonly (string | null)[], counts: readonly number[]): JetStreamManager {
  const next = <T>(all: readonly T[]) => {
    let asked = 0;
    return (): T => all[Math.min(asked++, all.length - 1)]!;
  };
  const [message, count] = [next(found), next(counts)];
  const streams = {
    getMessage: async () => message() as unknown as StoredMsg | null,
    info: async () => ({state: {subjects: {s: count()}}}),
  };
  return {streams} as unknown as JetStreamManager;
}

test.each([
  ['a message is read', ['m'], [1], 'm'],
  ['none is there', [null], [0], undefined],
  ['it came after the first question', [null, 'm'], [1], 'm'],
  ['it went before the last question', [null], [1, 0], undefined],
] as const)('%s', async (_, found, counts, expected) => {
  expect(await newestMessage(managerOf(found, counts), 'S', 's')).toBe(expected);
});

test('it is counted and cannot be read', async () => {
  await expect(newestMessage(managerOf([null], [1]), 'S', 's')).rejects.toThrow(UnreadableMessage);
});

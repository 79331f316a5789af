import type {JetStreamManager} from '@nats-io/jetstream';
import {expect, test} from 'vitest';
import {hasUnreadable} from '../../src/nats/unreadable-messages.js';

interface Stream {
  readonly counted: readonly number[];
  readonly readable?: readonly number[];
  readonly lost?: {readonly msgs: readonly number[] | null; readonly bytes: number};
}

/** Streams as they are when their counts are asked for, in turn; the last one stays. */
function has(...states: readonly Stream[]): Promise<boolean> {
  let asked = 0;
  let now = states[0]!;
  const streams = {
    info: async (_: string, {deleted_details: hasDetails = false} = {}) => {
      now = states[Math.min(asked++, states.length - 1)]!;
      const {counted, lost} = now;
      const state = {messages: counted.length, first_seq: counted[0] ?? 1, last_seq: counted.at(-1) ?? 0};
      return {state: {...state, ...(hasDetails && lost && {lost})}};
    },
    getMessage: async (_: string, {seq: from}: {seq: number}) => {
      const seq = (now.readable ?? now.counted).find((one) => one >= from);
      return seq === undefined ? null : {seq};
    },
  };
  return hasUnreadable({streams} as unknown as JetStreamManager, 'OUT');
}

test.each<[string, boolean, readonly Stream[]]>([
  ['nothing is there', false, [{counted: []}]],
  ['all can be read, some were removed', false, [{counted: [2, 5, 9]}]],
  ['one is passed over', true, [{counted: [2, 5, 9], readable: [2, 9]}]],
  ['none is given', true, [{counted: [2, 5, 9], readable: []}]],
  ['one is removed meanwhile', false, [{counted: [2, 5, 9], readable: [2, 9]}, {counted: [2, 9]}]],
  ['nats-server lost one and noticed it', true, [{counted: [2, 9], lost: {msgs: [5], bytes: 52}}]],
  ['nats-server lost bytes of a block', true, [{counted: [], lost: {msgs: null, bytes: 10}}]],
])('%s: %j', async (_, isDamaged, states) => {
  expect(await has(...states)).toBe(isDamaged);
});

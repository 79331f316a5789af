import {expect, test} from 'vitest';
import {BucketFault, type KeyListener} from '../../src/keys/key-bucket.js';
import {firstEndpoint} from '../../src/webhooks/first-endpoint.js';

const [webhook, board] = ['wh_0123456789abcdef', 'bd_0123456789abcdef'];
const entry = (name: string, text = '{}') => ({name, revision: 1, text});

/** A wait with its bucket: what the bucket says to it, and whether it has ended. */
function waiting() {
  let listener: KeyListener | undefined;
  let hasEnded = false;
  const watch = async (told: KeyListener): Promise<void> => {
    listener = told;
  };
  void firstEndpoint({watch}).then(() => {
    hasEnded = true;
  });
  return {
    bucket: listener!,
    hasEnded: async () => {
      await new Promise(setImmediate);
      return hasEnded;
    },
  };
}

test('the wait ends with the first endpoint, and with no definition of another kind', async () => {
  const {bucket, hasEnded} = waiting();
  bucket.all([entry(board)], ['al_0123456789abcdef']);
  bucket.changed(entry('bd_0123456789abcdee'));
  bucket.returned();
  bucket.all([entry(board)]);
  expect(await hasEnded()).toBe(false);
  bucket.changed(entry(webhook));
  expect(await hasEnded()).toBe(true);
});

test.each([
  ['an endpoint', [entry(board), entry(webhook)], []],
  ['an endpoint that was deleted', [entry(webhook, '')], []],
  ['an endpoint that cannot be read', [], [webhook]],
] as const)('the wait ends at once with %s', async (_, entries, unreadable) => {
  const {bucket, hasEnded} = waiting();
  bucket.all(entries, unreadable);
  expect(await hasEnded()).toBe(true);
});

test('a bucket that cannot be watched rejects', async () => {
  const fault = new BucketFault('ended');
  await expect(firstEndpoint({watch: () => Promise.reject(fault)})).rejects.toBe(fault);
});

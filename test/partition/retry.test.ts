import {describe, expect, test} from 'vitest';
import {RetryLog, retryForever, Unrecoverable} from '../../src/partition/retry.js';

type Line = readonly [reason: string | undefined, text: string];

function listening() {
  const lines: Line[] = [];
  const warn = (fields: {reason?: string; tried: string; partition: number}, text: string): void => {
    expect(fields).toMatchObject({tried: 'to write a part', partition: 3});
    lines.push([fields.reason, text.split(':', 1)[0]!]);
  };
  const retries = new RetryLog({warn} as never, {tried: 'to write a part', partition: 3});
  return {lines, retries};
}

/** Fails with each reason in turn, then succeeds. */
function failing(reasons: readonly string[]): () => Promise<string> {
  const left = [...reasons];
  return async () => {
    const reason = left.shift();
    if (reason !== undefined) throw new Error(reason);
    return 'done';
  };
}

const begun = 'an attempt failed';
const over = 'the attempt succeeded';

describe('what is tried again', () => {
  test('says nothing where it succeeds at once', async () => {
    const {lines, retries} = listening();
    expect(await retryForever(failing([]), retries)).toBe('done');
    expect(lines).toEqual([]);
  });

  test('says each reason once, and that it is over', async () => {
    const {lines, retries} = listening();
    expect(await retryForever(failing(['timeout', 'timeout', 'full', 'timeout']), retries)).toBe('done');
    expect(lines).toEqual([
      ['timeout', begun],
      ['full', begun],
      [undefined, over],
    ]);
    await retryForever(failing(['timeout']), retries);
    expect(lines.slice(3)).toEqual([
      ['timeout', begun],
      [undefined, over],
    ]);
  });

  test('says once for all that is tried at the same time', async () => {
    const {lines, retries} = listening();
    await Promise.all([1, 2, 3].map((n) => retryForever(failing(Array(n).fill('timeout')), retries)));
    expect(lines).toEqual([
      ['timeout', begun],
      [undefined, over],
    ]);
  });

  test('ends with what trying cannot mend', async () => {
    const {lines, retries} = listening();
    const tried = retryForever(async () => Promise.reject(new Unrecoverable('another owner')), retries);
    await expect(tried).rejects.toThrow('another owner');
    expect(lines).toEqual([]);
  });
});

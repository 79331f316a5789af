import fc from 'fast-check';
import {expect, test} from 'vitest';
import {partitionOfUser} from '../../src/edge/query/user-partition.js';
import {EntryEncoder} from '../../src/ingest/entry-encoder.js';

test('a user is asked for where the entries of that user went', () => {
  const id = fc.string({unit: 'binary', minLength: 1, maxLength: 300});
  fc.assert(
    fc.property(id, fc.boolean(), fc.integer({min: 1, max: 256}), (text, isAnonymous, partitionCount) => {
      const encoder = new EntryEncoder(partitionCount);
      encoder.erase(isAnonymous ? 'a' : 'u', text, 'del', 0);
      expect(partitionOfUser({kind: isAnonymous ? 'anonymous' : 'user', id: text}, partitionCount)).toBe(
        encoder.partition,
      );
    }),
  );
});

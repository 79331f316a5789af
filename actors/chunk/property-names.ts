// Names of properties in the newest rows of a chunk.

import {bodyBlockRows} from '../limits.js';
import type {DistinctNames} from '../table/distinct-names.js';
import {BodyBlock} from './bodies.js';
import type {OpenColumns} from './chunk.js';

/** Counts the names of the newest block of bodies: a sample that costs next to nothing. */
export function noteNewestNames(names: DistinctNames, columns: OpenColumns, blocks: readonly Uint8Array[]): void {
  const newest = blocks.at(-1);
  if (newest === undefined) return;
  const bodies = new BodyBlock(newest, columns);
  const {users, noUser, count} = columns;
  for (let row = (blocks.length - 1) * bodyBlockRows; row < count; row++) {
    if (users[row] === noUser) continue;
    const pairs = bodies.properties(row);
    pairs.passOwn();
    while (pairs.next()) names.note(pairs.bytes, pairs.keyStart, pairs.keyEnd);
  }
}

// `Log-Position: <p>:<generation>.<seq>[,<p>:<generation>.<seq>…]`: the position of a write in the log.
import type {Commit} from '../../ingest/log-message.js';
import {isBefore, positionText} from '../../log-position.js';
import type {Header} from '../failure.js';

/** Whether a stored message has a position: the generation of its log may be unknown (log-generations.ts). */
export const hasPosition = ({outcome, generation}: Commit): boolean => outcome === 'stored' && generation > 0;

/** The newest position of each partition, in the order of partitions; no header without one. */
export function positionHeader(commits: readonly Commit[]): readonly Header[] {
  const newest = new Map<number, Commit>();
  for (const commit of commits) {
    if (!hasPosition(commit)) continue;
    const known = newest.get(commit.partition);
    if (known === undefined || isBefore(known, commit)) newest.set(commit.partition, commit);
  }
  if (newest.size === 0) return [];
  const texts = [...newest.values()].sort((a, b) => a.partition - b.partition).map(positionText);
  return [['Log-Position', texts.join(',')]];
}

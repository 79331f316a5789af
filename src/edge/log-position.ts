// `Log-Position: <p>:<seq>[,<p>:<seq>…]`: where a write stands in the log.
import type {Commit} from '../ingest/log-message.js';
import type {Header} from './failure.js';

export const positionText = ({partition, sequence}: Commit): string => `${partition}:${sequence}`;

/** The newest position of each partition, in the order of partitions; no header when nothing was stored. */
export function positionHeader(commits: readonly Commit[]): readonly Header[] {
  const newest = new Map<number, Commit>();
  for (const commit of commits) {
    if (commit.outcome !== 'stored') continue;
    const known = newest.get(commit.partition);
    if (known === undefined || known.sequence < commit.sequence) newest.set(commit.partition, commit);
  }
  if (newest.size === 0) return [];
  const texts = [...newest.values()].sort((a, b) => a.partition - b.partition).map(positionText);
  return [['Log-Position', texts.join(',')]];
}

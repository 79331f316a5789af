// Plan of a start from the contents of the store, the log and the note: decided before anything is loaded.
//   V1. A snapshot with a missing or damaged part is unusable as a whole. The start then tries the snapshot before, if the log
//       reaches back to it; then the whole log, if it has its first message. What neither a snapshot nor the log can replace is
//       lost: its answers are 503, and receipts of past deletions are left out.
//   V2. The log must have the message at the newest snapshot's position, and the one at the noted position (position-note.ts),
//       as manifests can be lost together with the end of the log. A log that lacks one of them is of another generation.
//       Without the snapshot's message it is folded from its first message, skipping by producer and number. Without only the
//       noted message, the rest agrees with the manifest, and folding continues from there.
//   V3. A log that starts after the snapshot lacks entries for ever: the partition starts halted.
//   V4. The note is this machine's, and another machine may have had the partition since. Two findings are no sign of a loss: a
//       manifest of a later generation than the note's; and a log that starts between the noted position and the manifest's,
//       because the manifest's owner truncated it. If manifests were lost with the end of the log, the remaining manifest is
//       before the noted position, and the log starts no later than at the manifest's (V3).
//   V5. The first start of a backup begins a generation as well, because the original gave later positions to other messages.
//       Nothing is lost by that, and nothing is read again. So does a start whose note is of a later generation than its manifest:
//       the owner of that generation may have had rows that this manifest lacks, or its manifests are lost.
//   V8. A snapshot at sequence 0 was taken when the log turned out to be another one (log-identity.ts LI4). Every log continues it.
//       No log replaces it, because it has rows of messages that were lost.
import {type Manifest, nothingPublished, type Position} from '../../../actors/manifest.js';
import type {NotedPosition} from './position-note.js';

/** Findings of a start, once no other owner can write any more. */
export interface Found {
  /** The newest manifest; undefined: there is none. */
  readonly newest: Manifest | undefined;
  readonly noted: NotedPosition | undefined;
  readonly log: {
    readonly first: number;
    readonly last: number;
    /** Mark of the message at the newest manifest's position; undefined: the log has none there. */
    readonly markAtNewest: string | undefined;
    /** Mark of the message at the noted position. */
    readonly markAtNoted: string | undefined;
  };
  /** Subjects of the part values in the store. */
  readonly values: ReadonlySet<string>;
}

/** A state to start from: a whole snapshot, its readable parts, or nothing, followed by the whole log. */
export type Beginning =
  | {readonly kind: 'snapshot'; readonly manifest: Manifest}
  | {readonly kind: 'remains'; readonly manifest: Manifest}
  | {readonly kind: 'log'};

/** Part that the log lacks: the noted message, the message at the newest snapshot's position, or entries after that (V3). */
export type Loss = 'noted message' | 'snapshot message' | 'entries';

export interface Plan {
  /**
   * Candidates, the best first: a later one is used when a part of the earlier ones cannot be read (V1). None: the partition
   * starts halted.
   */
  readonly beginnings: readonly Beginning[];
  /** Generation of the log from now on. */
  readonly generation: number;
  readonly losses: readonly Loss[];
  /** Whether the log is of another generation than the snapshot. V2 */
  readonly hasLostLog: boolean;
}

const firstGeneration = 1;

export function decide({newest, noted, log}: Found): Plan {
  const published = newest?.position ?? nothingPublished;
  const isSame = newest === undefined || log.markAtNewest === newest.mark;
  const isBeforeLog = newest?.position.sequence === 0; // V8
  const isLacking = !isBeforeLog && !reachesBack(log, published) && (isSame || log.last >= published.sequence);
  const losses: Loss[] = [];
  if (noted !== undefined && !isNoteTrue(noted, published, log)) losses.push('noted message');
  if (isLacking) losses.push('entries');
  else if (!isSame) losses.push('snapshot message');
  const generation = Math.max(published.generation, noted?.generation ?? firstGeneration);
  const isUnpublished = (newest !== undefined || noted?.sequence === 0) && generation > published.generation;
  const isRestored = noted?.isRestored === true && noted.generation >= published.generation;
  const beginsAnother = losses.length > 0 || isRestored || isUnpublished; // V2, V5
  return {
    beginnings: isLacking ? [] : beginningsOf(newest, log, isSame && !isBeforeLog),
    generation: generation + (beginsAnother ? 1 : 0),
    losses,
    hasLostLog: losses.length > 0 || isUnpublished,
  };
}

/** Candidates to start from. V1 */
function beginningsOf(newest: Manifest | undefined, log: Found['log'], isReplaceable: boolean): Beginning[] {
  if (newest === undefined) return [{kind: 'log'}];
  const kept = [newest];
  const {previous} = newest;
  if (previous !== null && reachesBack(log, previous.position)) kept.push({...newest, ...previous, previous: null});
  const whole = kept.map((manifest): Beginning => ({kind: 'snapshot', manifest}));
  return isReplaceable && log.first <= 1
    ? [...whole, {kind: 'log'}]
    : [...whole, ...kept.map((manifest): Beginning => ({kind: 'remains', manifest}))];
}

/** Whether the log has the noted message, or may lack it without a loss. V4 */
function isNoteTrue(noted: NotedPosition, published: Position, log: Found['log']): boolean {
  if (noted.generation < published.generation || log.markAtNoted === noted.mark) return true;
  return noted.sequence < log.first && log.first <= published.sequence;
}

/** Whether the log has everything after a position. */
const reachesBack = ({first}: Found['log'], {sequence}: Position): boolean => first <= sequence + 1;

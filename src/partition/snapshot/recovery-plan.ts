// What a start does with what it found in the store, the log and the note: decided before anything is loaded.
//   V1. A snapshot with a missing or damaged part is unusable as a whole. The start then tries the one before, as long as the
//       log reaches back to it; then the whole log, if it has its first message. What no snapshot and no log can replace
//       stays away: its answers are 503, and receipts of past deletions are left out.
//   V2. The log must have the message at the newest snapshot's position, and the one at the noted position
//       (position-note.ts), as manifests can be lost together with the end of the log. A log that lacks one of them is of
//       another generation. Without the snapshot's message it is folded from its first message on, skipping by producer and
//       number. Without the noted one alone, what is left of it agrees with the manifest, and folding goes on from there.
//   V3. A log that starts after the snapshot lacks entries for ever: the start is refused.
//   V4. The note is this machine's, and another one may have had the partition since. Two findings say nothing of a loss: a
//       manifest of a later generation than the note's, and a log that starts between the noted position and the
//       manifest's, as whoever published that cut it. Where manifests were lost with the end of the log, the manifest that
//       is left is before the noted position, and the log starts no later than at the manifest's (V3).
//   V5. The first start of a backup begins a generation as well: the original gave the positions after it to other messages.
//       Nothing is lost by that, and nothing is read again.
import type {Manifest, Position} from '../../../actors/manifest.js';
import type {NotedPosition} from './position-note.js';

/** What a start found, once no other owner can write any more. */
export interface Found {
  /** Published last; undefined: none is there. */
  readonly newest: Manifest | undefined;
  readonly noted: NotedPosition | undefined;
  readonly log: {
    readonly first: number;
    readonly last: number;
    /** Of the message at the newest manifest's position; undefined: the log has none there. */
    readonly markAtNewest: string | undefined;
    /** The same for the noted position. */
    readonly markAtNoted: string | undefined;
  };
  /** Subjects of the values of parts that the store has. */
  readonly values: ReadonlySet<string>;
}

/** A state to begin with: a whole snapshot, what can be read of one, or nothing, and then the whole log. */
export type Beginning =
  | {readonly kind: 'snapshot'; readonly manifest: Manifest}
  | {readonly kind: 'remains'; readonly manifest: Manifest}
  | {readonly kind: 'log'};

/** What the log lacks: the noted message, the message at the newest snapshot's position, or entries after that (V3). */
export type Loss = 'noted message' | 'snapshot message' | 'entries';

export interface Plan {
  /** The best first: the next one is for when a part of those before cannot be read (V1). None: the start is refused. */
  readonly beginnings: readonly Beginning[];
  /** Generation of the log to go on with. */
  readonly generation: number;
  readonly losses: readonly Loss[];
  /** V2: the log is of another generation than the snapshot. */
  readonly hasLostLog: boolean;
}

const nothingPublished: Position = {generation: 0, sequence: 0};
const firstGeneration = 1;

export function decide({newest, noted, log}: Found): Plan {
  const published = newest?.position ?? nothingPublished;
  const isSame = newest === undefined || log.markAtNewest === newest.mark;
  const isLacking = !reachesBack(log, published) && (isSame || log.last >= published.sequence);
  const losses: Loss[] = [];
  if (noted !== undefined && !isNoteTrue(noted, published, log)) losses.push('noted message');
  if (isLacking) losses.push('entries');
  else if (!isSame) losses.push('snapshot message');
  const generation = Math.max(published.generation, noted?.generation ?? firstGeneration);
  const beginsAnother = losses.length > 0 || noted?.isRestored === true; // V2, V5
  return {
    beginnings: isLacking ? [] : beginningsOf(newest, log, isSame),
    generation: generation + (beginsAnother ? 1 : 0),
    losses,
    hasLostLog: losses.length > 0 || (newest !== undefined && generation > published.generation),
  };
}

/** V1 */
function beginningsOf(newest: Manifest | undefined, log: Found['log'], isSame: boolean): Beginning[] {
  if (newest === undefined) return [{kind: 'log'}];
  const kept = [newest];
  const {previous} = newest;
  if (previous !== null && reachesBack(log, previous.position)) kept.push({...newest, ...previous, previous: null});
  const whole = kept.map((manifest): Beginning => ({kind: 'snapshot', manifest}));
  const isLogWhole = isSame && log.first <= 1;
  return isLogWhole
    ? [...whole, {kind: 'log'}]
    : [...whole, ...kept.map((manifest): Beginning => ({kind: 'remains', manifest}))];
}

/** V4. Whether the log has the noted message, or may lack it though nothing was lost. */
function isNoteTrue(noted: NotedPosition, published: Position, log: Found['log']): boolean {
  if (noted.generation < published.generation || log.markAtNoted === noted.mark) return true;
  return noted.sequence < log.first && log.first <= published.sequence;
}

/** Whether the log has all that comes after a position. */
const reachesBack = ({first}: Found['log'], {sequence}: Position): boolean => first <= sequence + 1;

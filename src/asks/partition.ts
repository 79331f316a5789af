// Questions to the owner of a partition, and their answers.
import type {Conflict} from '../../actors/dedupe/conflicts.js';
import type {FunnelMemory, PartitionMeasures, ThreadMeasures} from '../measures.js';
import type {RefreshChange} from '../refresh.js';
import type {EffectReference, TriggerType} from '../webhooks/trigger.js';
import type {EventsAnswer, EventsQuestion} from './events.js';
import type {NameAnswer, NameQuestion, NamesAnswer, NamesQuestion} from './names.js';
import type {UserAnswer, UserQuestion} from './users.js';

export type PartitionQuestion =
  | {readonly ask: 'status'}
  /** Generation of the log after the question arrived; `unavailable` until that is known. */
  | {readonly ask: 'generation'}
  /** Measures for /metrics; answered within 600 ms, whether or not the fold lags. */
  | {readonly ask: 'measures'}
  /** Requests a snapshot for a waiting client; such requests make at most one every 5 s. Answered at once. */
  | {readonly ask: 'publish'}
  /** The newest folded entries whose message id was known, with other content. */
  | {readonly ask: 'conflicts'}
  /** Memory of users' progress in saved funnels. Answered at once. */
  | {readonly ask: 'funnel_memory'}
  /** Data of a trigger about a user, as of now. `of`: the reference that this partition made. */
  | {readonly ask: 'effect'; readonly type: TriggerType; readonly of: EffectReference}
  | NameQuestion
  | NamesQuestion
  | UserQuestion
  | EventsQuestion;

export interface StatusAnswer {
  readonly kind: 'status';
  readonly partition: number;
  readonly phase: 'recovering' | 'live' | 'halted' | 'draining';
  readonly appliedSequence: number;
  /** Position and time of the newest published snapshot; null before the first. */
  readonly published: {readonly sequence: number; readonly asOfMs: number} | null;
  /** Why the log refuses ticks, without which no snapshot is published; null when it does not. */
  readonly appendFault: string | null;
  /** Null when the refresh will not change. */
  readonly refreshChange: RefreshChange | null;
  /** Why answers lag behind acked events, in words; null when they do not. */
  readonly lag: string | null;
  /** Parts that live reads and snapshots could not read since the start. */
  readonly damagedParts: number;
}

export type PartitionAnswer =
  | StatusAnswer
  | {readonly kind: 'generation'; readonly generation: number}
  | {readonly kind: 'publishing'}
  | {readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[]}
  | {readonly kind: 'measures'; readonly partition: PartitionMeasures; readonly thread: ThreadMeasures}
  | {readonly kind: 'funnel_memory'; readonly memory: FunnelMemory}
  /** JSON text of the `data` of a payload. */
  | {readonly kind: 'effect'; readonly dataJson: string}
  /** The trigger has no data any more: its user or its subject is deleted. */
  | {readonly kind: 'effect_gone'}
  | NameAnswer
  | NamesAnswer
  | UserAnswer
  | EventsAnswer
  /** The caller has too many long reads that wait (src/partition/reads/read-budget.ts). */
  | {readonly kind: 'crowded'; readonly message: string}
  /** Another process owns the partition, or will: the question is asked again. */
  | {readonly kind: 'moved'; readonly message: string}
  /** The world failed (not caught up within 2 s, an unreadable part): HTTP 503. */
  | {readonly kind: 'unavailable'; readonly message: string};

export type AnswerOf<Kind extends PartitionAnswer['kind']> = Extract<PartitionAnswer, {kind: Kind}>;

/** The answer, which must be of one of these kinds: those that fit the question. @throws Error for any other kind. */
export function expectedAnswer<Kind extends PartitionAnswer['kind']>(
  answer: PartitionAnswer,
  {ask}: PartitionQuestion,
  kinds: readonly Kind[],
): AnswerOf<Kind> {
  if ((kinds as readonly string[]).includes(answer.kind)) return answer as AnswerOf<Kind>;
  throw new Error(`a partition answered ${answer.kind} to ${ask}`);
}

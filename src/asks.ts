// Questions of the edge to the partition and report roles: NATS request/reply, JSON both ways. Threads of one process exchange
// the same values without NATS (nats/ask-link.ts).
// Subjects `ask.partition.<p>` and `ask.report`. A reply never exceeds 900 kB: the caller pages answers.

import type {Interval} from '../actors/calendar.js';
import type {Conflict} from '../actors/dedupe/conflicts.js';
import type {Generations} from '../actors/generations.js';
import type {Position} from '../actors/manifest.js';
import type {BucketedRange} from '../actors/report/counts/buckets.js';
import type {PathDirection} from '../actors/report/engagement/paths.js';
import type {RetentionInterval, RetentionRules} from '../actors/report/engagement/retention.js';
import type {StepOrder} from '../actors/report/funnel/path-search.js';
import type {Condition} from '../actors/report/rows/condition.js';
import type {EventId, EventPlace} from '../actors/report/rows/event-places.js';
import type {Measure} from '../actors/report/rows/measures.js';
import type {Selector} from '../actors/report/rows/row-choice.js';
import type {EndpointMeasures} from './effects/deliverer.js';
import type {EffectReference, TriggerType} from './effects/trigger.js';
import type {FunnelUserPlace} from './funnel-users-cursor.js';
import type {PartitionMeasures, ThreadMeasures} from './measures.js';
import type {RefreshChange} from './refresh.js';

export const askPartitionSubject = (partition: number): string => `ask.partition.${partition}`;
export const askReportSubject = 'ask.report';
/** Subject that any process with the deliver role answers: how endpoints fare. */
export const askDeliverSubject = 'ask.deliver';
/** Subject on which a partition's owner publishes its generation, after each comparison of the log with the folded state. */
export const comparedSubject = (partition: number | '*'): string => `log.compared.${partition}`;
/** Subject on which every edge hears the keys of users whose links are deleted (src/ingest/acked-links.ts). */
export const forgottenLinksSubject = 'links.forgotten';
export const devicesListedMax = 100;
/** NATS carries 1 MiB a message; the rest is room for framing. */
export const replyBytesMax = 900_000;

/** `user` is named by userId, `anonymous` by anonymousId: two name spaces (docs/api.md, Ingestion). */
export type UserKind = 'user' | 'anonymous';

export interface UserRef {
  readonly kind: UserKind;
  readonly id: string;
}

/** Place of a row in the order of history: newest first by (timeMs, partition, ordinal). */
export interface RowPlace {
  readonly timeMs: number;
  readonly partition: number;
  readonly ordinal: number;
}

/** A funnel of plain steps. */
export interface PlainFunnel {
  readonly steps: readonly string[];
  /** Conversion window in ms, inclusive, from the first step. */
  readonly windowMs?: number | undefined;
}

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
  /** Live: answered once everything acked before the question is folded, as are `history` and `exists`. */
  | {readonly ask: 'profile'; readonly user: UserRef}
  | {readonly ask: 'exists'; readonly user: UserRef}
  | {
      readonly ask: 'history';
      readonly user?: UserRef;
      readonly event?: string;
      /** Inclusive bounds, epoch ms. */
      readonly fromMs?: number;
      readonly toMs?: number;
      readonly limit: number;
      /** Only rows after this place, which are older. */
      readonly before?: RowPlace;
      /** Only ordinals below this one: freezes a paged answer against new arrivals. */
      readonly ordinalEnd?: number;
      /** Set when only this partition is asked: its rows are those of the page, so the answer has their events, too. */
      readonly withEvents?: true;
    }
  /**
   * Folded rows from this ordinal on, in arrival order; with `limit` 0 only the end of the rows. `names`: only events with
   * these names.
   */
  | {readonly ask: 'tail'; readonly from: number; readonly names?: readonly string[]; readonly limit: number}
  /**
   * JSON texts of events as GET /v1/events shows them. An answer may have fewer than asked for: ask again for the rest. `was`: the
   * generation in which these rows were named, and whose they were; with that the answer says of each row that is not there why.
   */
  | {
      readonly ask: 'bodies';
      readonly ordinals: readonly number[];
      readonly was?: {readonly generation: number; readonly users: readonly number[]};
    }
  /** Anonymous users of this partition who are linked to this user. Live. */
  | {readonly ask: 'devices'; readonly userId: string}
  /** Steps that a user reached in each of these funnels. Live. */
  | {readonly ask: 'funnels'; readonly user: UserRef; readonly funnels: readonly PlainFunnel[]}
  /** Data of a trigger about a user, as of now. `of`: the reference that this partition made. */
  | {readonly ask: 'effect'; readonly type: TriggerType; readonly of: EffectReference}
  /** Waits up to `waitMs` for the deletion to complete. */
  | {readonly ask: 'deletion'; readonly id: string; readonly waitMs: number};

export interface DeliverAnswer {
  readonly kind: 'measures';
  readonly endpoints: readonly EndpointMeasures[];
  readonly thread: ThreadMeasures;
}

/** How far a user got in a funnel. */
interface ReachedStep {
  /** Steps. */
  readonly reached: number;
  /** When the last of them was; null: none is reached. */
  readonly reachedMs: number | null;
}

export interface Deletion {
  /** `del_<partition>_<32 hex digits>`. */
  readonly id: string;
  readonly status: 'pending' | 'completed';
  /** `<p>:<generation>.<sequence>` of the erase entry. */
  readonly log_position: string;
  readonly events_deleted: number;
  /** ISO 8601; null while pending. */
  readonly completed_at: string | null;
  /** Checks that were made, in words; null while pending. */
  readonly verified: readonly string[] | null;
}

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

/**
 * Why a row is not there. `lost`: with the end of a log that it came of. `moved`: a join brought it to the partition of its owner, whose
 * userId is given.
 */
export type Absence =
  | {readonly why: 'erased'}
  | {readonly why: 'lost'}
  | {readonly why: 'moved'; readonly partition: number; readonly userId: string};

export type PartitionAnswer =
  | StatusAnswer
  | {readonly kind: 'generation'; readonly generation: number}
  | {readonly kind: 'publishing'}
  | {readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[]}
  | {readonly kind: 'measures'; readonly partition: PartitionMeasures; readonly thread: ThreadMeasures}
  | {
      readonly kind: 'profile';
      readonly id: string;
      /** JSON text of the traits object, keys in the order in which they were first set. */
      readonly traitsJson: string;
      readonly createdMs: number;
      readonly lastSeenMs: number;
      /** Number of traits that were left out because the profile was full. */
      readonly traitsOverLimit: number;
    }
  /**
   * `deletion`: the newest deletion of this id, if it is pending or was completed within 30 days. `linkedTo`: id of the user
   * that an anonymous user is linked to.
   */
  | {readonly kind: 'unknown_user'; readonly deletion?: Deletion; readonly linkedTo?: string}
  | {readonly kind: 'known_user'}
  /** In the order asked. */
  | {readonly kind: 'funnels'; readonly reached: readonly ReachedStep[]}
  /** JSON text of the `data` of a payload. */
  | {readonly kind: 'effect'; readonly dataJson: string}
  /** Nothing can be said any more: the user is erased, or what was told of is no more. */
  | {readonly kind: 'effect_gone'}
  | {
      readonly kind: 'history';
      /** Times and ordinals, newest first, in two lists: an object for each of hundreds of rows costs as much as finding them. */
      readonly timesMs: readonly number[];
      readonly ordinals: readonly number[];
      /** Whether more rows follow. */
      readonly more: boolean;
      /** The ordinal bound of this answer, which the next question returns. */
      readonly ordinalEnd: number;
      /** Position up to which the log was folded when the bound was taken, if the question had none. */
      readonly position?: Position;
      /** The user of the question is unknown, perhaps erased while the answer was made. */
      readonly isUserUnknown?: true;
      /** Id of the user that the anonymous user is linked to. */
      readonly linkedTo?: string;
      /** The answer of `bodies` for these rows by ascending ordinal, if the question has `withEvents`. */
      readonly events?: readonly (string | null)[];
    }
  | {
      readonly kind: 'bodies';
      /** In the order of the question; null: the row is not there any more. */
      readonly events: readonly (string | null)[];
      /** Index of each event's user in the partition; null without the event. */
      readonly users: readonly (number | null)[];
      /** Why events are not there, for a question with `was`; null for those that are. */
      readonly absences?: readonly (Absence | null)[];
    }
  | {
      readonly kind: 'tail';
      readonly generation: number;
      /** That one, and those before. */
      readonly generations: Generations;
      /** Ordinal after the newest folded row. */
      readonly end: number;
      /** Ordinal at which the next question continues. */
      readonly next: number;
      /** Ordinals of the matching rows, ascending. */
      readonly ordinals: readonly number[];
      /** Events of these rows and their users, as in `bodies`. */
      readonly events: readonly (string | null)[];
      readonly users: readonly (number | null)[];
      /**
       * Ordinals from the first to behind the last that were passed over because their rows are not there any more; absent: none. They
       * may be of any name.
       */
      readonly missing?: readonly [from: number, to: number];
    }
  | {readonly kind: 'deletion'; readonly deletion: Deletion}
  | {
      readonly kind: 'devices';
      /** The newest first, at most `devicesListedMax`, without devices that a second user named. */
      readonly anonymousIds: readonly string[];
      /** Whether the user has anything here, including a link to a device that another user named first. */
      readonly hasAny: boolean;
    }
  | {readonly kind: 'unknown_deletion'}
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

export type {BucketedRange, Interval};
export type ActiveMetric = 'dau' | 'wau' | 'mau';

/** Rows by value: of a property of the events, or of a current trait of their users. */
export interface Breakdown {
  readonly by: 'property' | 'trait';
  readonly name: string;
  /** Number of values with a row of their own; the others share one. */
  readonly limit: number;
}

/** Names or properties that a list leaves out; with `areShown` it marks them instead. */
export interface HiddenTexts {
  readonly texts: readonly string[];
  readonly areShown: boolean;
}

/** One page of a list ranked by counts. */
interface ListPage {
  /** Prefix of the items' texts. */
  readonly prefix?: string;
  readonly limit: number;
  /** Number of items on earlier pages. */
  readonly passed: number;
}

/** Lists of events' and users' attributes, over all partitions. */
export type ListQuery =
  | ({
      readonly report: 'properties';
      readonly hidden?: HiddenTexts;
      /** Undefined: events of every name. */
      readonly event?: string;
      readonly fromMs: number;
      readonly toMs: number;
    } & ListPage)
  | ({
      readonly report: 'property_values';
      readonly event?: string;
      readonly property: string;
      readonly fromMs: number;
      readonly toMs: number;
    } & ListPage)
  | ({readonly report: 'traits'; readonly active?: ActiveWithin} & ListPage)
  | ({readonly report: 'trait_values'; readonly trait: string; readonly active?: ActiveWithin} & ListPage);

/** Users with an event in [fromMs, toMs]. Absent: all users. */
export interface ActiveWithin {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The step (from 1) whose event has the value, or the first or last event that has one. */
export type BreakdownAt = number | 'first' | 'last';

/** A row of a funnel's breakdown but `other`: that of a value, or of one of the kinds that are no value. */
export interface FunnelRow {
  readonly breakdown: Breakdown;
  readonly at: BreakdownAt;
  readonly is: {readonly value: string} | {readonly kind: 'missing' | 'null' | 'not_scalar'};
}

/** Events of a name that meet all conditions. */
export interface ChosenEvents {
  readonly event: string;
  readonly where: readonly Condition[];
}

/** Rules of a funnel that only rows can answer. */
export interface FunnelRules {
  readonly steps: readonly ChosenEvents[];
  readonly order: StepOrder;
  readonly fromMs: number;
  readonly toMs: number;
  /** `entry`: only the entry must be in [fromMs, toMs]; its path may continue for the window. */
  readonly range: 'all' | 'entry';
  /** Conversion window in ms, inclusive, from the first event of the path. */
  readonly windowMs?: number;
  /** Conditions that every event must meet; other events are ignored. */
  readonly where: readonly Condition[];
  /** Conditions on the users' current traits. */
  readonly userWhere: readonly Condition[];
  /** Steps from 0. */
  readonly exclusions: readonly (ChosenEvents & {readonly afterStep: number; readonly beforeStep: number})[];
  /** A property that must have the same value in all events of a path. */
  readonly hold?: string;
}

/** Bounds are inclusive epoch ms: a date-only `to` is the last ms of its day. The caller checks them. */
export type ReportQuery =
  | (BucketedRange & {
      readonly report: 'events';
      readonly event: string;
      readonly filter?: {readonly property: string; readonly value: string};
    })
  /** Event counts that only rows can answer. */
  | (BucketedRange & {
      readonly report: 'measured';
      /** Undefined: events of every name. */
      readonly events?: readonly string[];
      /** Whether the answer has `series` even for one event. */
      readonly isList: boolean;
      /** Conditions that must all hold. */
      readonly where: readonly Condition[];
      /** Conditions on the users' current traits. */
      readonly userWhere: readonly Condition[];
      /** Undefined: events are counted, and the answer has no values. */
      readonly measure?: Measure;
      /** The property whose numbers are measured. */
      readonly property?: string;
      readonly breakdown?: Breakdown;
    })
  /** Cohorts of [from, to] and their returns. */
  | (BucketedRange &
      RetentionRules & {
        readonly report: 'retention';
        readonly interval: RetentionInterval;
        /** Ends of the `periods` - 1 buckets after the last cohort's. */
        readonly laterEnds: readonly number[];
        readonly start: Selector;
        readonly return: Selector;
        /** Conditions on the users' current traits. */
        readonly userWhere: readonly Condition[];
        readonly breakdown?: Breakdown;
      })
  /** Users active in an event that rows must answer. */
  | (BucketedRange & {
      readonly report: 'activity';
      readonly metric: ActiveMetric;
      /** Start of each bucket's trailing window, as in `users`. */
      readonly windows?: readonly number[];
      readonly did: Selector;
      /** Conditions on the users' current traits. */
      readonly userWhere: readonly Condition[];
      readonly breakdown?: Breakdown;
    })
  | (BucketedRange & {
      readonly report: 'lifecycle';
      /** Start of the bucket before the first, whose start is `fromMs`. */
      readonly beforeMs: number;
      readonly did: Selector;
      readonly userWhere: readonly Condition[];
    })
  | (BucketedRange & {
      readonly report: 'stickiness';
      /** Users of k or more buckets, instead of exactly k. */
      readonly isAtLeast: boolean;
      readonly did: Selector;
      readonly userWhere: readonly Condition[];
    })
  | {
      readonly report: 'paths';
      /** Each user's first event of this name and the events after it, or the last one and the events before it. */
      readonly event: string;
      readonly direction: PathDirection;
      readonly fromMs: number;
      readonly toMs: number;
      /** Conditions on every event of a path. */
      readonly where: readonly Condition[];
      readonly userWhere: readonly Condition[];
      readonly depth: number;
      /** Number of edges shown for each step. */
      readonly limit: number;
    }
  | (BucketedRange & {
      readonly report: 'users';
      readonly metric: ActiveMetric;
      /** Start of each bucket's trailing window, epoch ms, for a zone's days and weeks. */
      readonly windows?: readonly number[];
      /**
       * Start of each day of a zone, from 29 days before the range, and the end of the last; absent when there are more days
       * than a table holds.
       */
      readonly days?: readonly number[];
    })
  | {
      readonly report: 'funnel';
      readonly steps: readonly string[];
      readonly fromMs: number;
      readonly toMs: number;
      /** Conversion window in ms, inclusive, from the first step. */
      readonly windowMs?: number;
    }
  /** A funnel that only rows can answer. */
  | ({
      readonly report: 'walked-funnel';
      readonly breakdown?: Breakdown;
      readonly breakdownAt: BreakdownAt;
      readonly hasHistogram: boolean;
    } & FunnelRules &
      /** Buckets of the entries; absent: the answer has none. */
      Partial<Omit<BucketedRange, 'fromMs' | 'toMs'>>)
  /** Users at a step of a funnel. */
  | ({
      readonly report: 'funnel-users';
      /** From 1. */
      readonly step: number;
      /** `dropped`: users who reached the step before and not this one. */
      readonly outcome: 'reached' | 'dropped';
      /** Only users in this row of the breakdown. */
      readonly row?: FunnelRow;
      readonly limit: number;
      /** Digest of the list's parameters: cursors of another list are refused. */
      readonly list: string;
      /** The last user of the previous page. */
      readonly after?: FunnelUserPlace;
    } & FunnelRules)
  /** Users who reached the last step but one, and the last not in time: those whose deadline is in [from, untilMs], in order. */
  | {
      readonly report: 'stalled';
      readonly steps: readonly string[];
      /** Conversion window in ms, inclusive, from the first step. */
      readonly windowMs?: number;
      /** Ms from the last step but one to the deadline of the last one. */
      readonly withinMs: number;
      readonly from: StallPlace;
      readonly untilMs: number;
      readonly limit: number;
    }
  | {
      readonly report: 'names';
      readonly fromMs: number;
      readonly toMs: number;
      /** Prefix of the names. */
      readonly prefix?: string;
      readonly limit: number;
      /** The last name of the previous page. */
      readonly after?: {readonly count: number; readonly name: string};
      /** Set when the answer has the number of users of each name. */
      readonly withUsers?: true;
      readonly hidden?: HiddenTexts;
    }
  /** Users, the last seen first. */
  | {
      readonly report: 'user_list';
      /** Prefix of the ids. */
      readonly prefix?: string;
      readonly userWhere: readonly Condition[];
      /** All of them hold for each user. */
      readonly deeds: readonly Deed[];
      readonly limit: number;
      /** The last user of the previous page. */
      readonly after?: UserPlace;
    }
  | ListQuery;

/** What a user did in a range, or did not. */
export interface Deed {
  /** Absent: an event of any name. */
  readonly event?: string;
  readonly where: readonly Condition[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether the user has no such event. */
  readonly isAbsent: boolean;
}

/** A user's deadline, in the order in which they pass. */
export interface StallPlace {
  readonly deadlineMs: number;
  readonly partition: number;
  /** Its index in the partition. */
  readonly user: number;
}

/** A user who stalled. Its index is valid within one generation of the log. */
export interface Stall extends StallPlace {
  readonly generation: number;
  readonly enteredMs: number;
  /** When the last step but one was reached. */
  readonly reachedMs: number;
}

/** Body of the answer to `stalled`. */
export interface StallPage {
  readonly data: readonly Stall[];
  readonly has_more: boolean;
}

export interface UserPlace {
  readonly lastSeenMs: number;
  readonly partition: number;
  /** Its index in the partition. */
  readonly user: number;
}

/** A page of the events in [fromMs, toMs], in the order of their places (actors/report/rows/event-places.ts). */
export interface ExportQuery {
  readonly event?: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Conditions that must all hold. */
  readonly where: readonly Condition[];
  /** The last event of the previous page, and the first page's bounds, which exclude later events. */
  readonly start?: {readonly after: EventPlace; readonly ordinalEnds: readonly number[]};
  /** First page only: events after the one with this id. */
  readonly afterId?: EventId;
  /** Approximate bytes of the events' texts in an answer. */
  readonly bytesMax: number;
}

/** How far a reader of changes is in a partition (src/report/rows/changes.ts). All are whole numbers. */
export interface ChangesPlace {
  /** All records up to this position were told. */
  readonly generation: number;
  readonly sequence: number;
  /** The record that was told in part: its sequence, facts told, and the first user not told. All 0 without one. */
  readonly record: number;
  readonly facts: number;
  readonly user: number;
  /** Profiles of users before this index were told, of those who were there when reading began. */
  readonly users: number;
  readonly usersEnd: number;
  /** Rows before this ordinal were told. */
  readonly ordinal: number;
  /** Rows before this ordinal were there when rows of any partition were last told. */
  readonly ordinalEnd: number;
}

/** A page of all that came or changed. */
export interface ChangesQuery {
  /** By partition. Absent: from the beginning. */
  readonly after?: readonly ChangesPlace[];
  /** Lines. */
  readonly limit: number;
  /** Approximate bytes of the lines in an answer. */
  readonly bytesMax: number;
}

/** `old`: what came after the place was dropped. `lost`: the log lost it, or data that is older was restored. */
export type PositionGone = 'old' | 'lost';

export type ReportQuestion =
  | {readonly ask: 'status'}
  | {readonly ask: 'measures'}
  /** Users from index `8 * fromByte` on who completed the funnel by all events of the partition's newest snapshot. */
  | {readonly ask: 'converted'; readonly partition: number; readonly funnel: PlainFunnel; readonly fromByte: number}
  | {readonly ask: 'export'; readonly query: ExportQuery}
  | {readonly ask: 'changes'; readonly query: ChangesQuery}
  | {
      readonly ask: 'report';
      readonly query: ReportQuery;
      readonly ifNoneMatch?: string;
      /** `Report-Log-Position` of an earlier answer: the same snapshots answer. Absent: the newest ones. */
      readonly at?: string;
      /** Positions of writes (`Log-Position`) that the snapshots must include, and how long to wait for such snapshots. */
      readonly includes?: {readonly positions: string; readonly waitMs: number};
    };

export type ReportAnswer =
  | {
      readonly kind: 'status';
      readonly ready: boolean;
      readonly asOfMs: number | null;
      /** Number of parts that reports could not read since the start, by partition; partitions without any are left out. */
      readonly damagedParts: Readonly<Record<number, number>>;
    }
  /** `asOfMs`: events up to this time are in all reports; null until every partition has published. */
  | {
      readonly kind: 'measures';
      readonly asOfMs: number | null;
      /** Number of unreadable parts by partition, as in `status`. */
      readonly damagedParts: Readonly<Record<number, number>>;
      readonly thread: ThreadMeasures;
    }
  | {
      readonly kind: 'report';
      readonly headers: {
        readonly 'Report-As-Of': string;
        /** `<p>:<generation>.<sequence>,…` of every partition. */
        readonly 'Report-Log-Position': string;
        readonly ETag: string;
        readonly 'Report-Next-By': string;
        readonly 'Report-Incomplete-From'?: string;
        readonly 'Report-Hint'?: string;
      };
      /** JSON text of the answer; null when `ifNoneMatch` matched (304). */
      readonly body: string | null;
    }
  | {
      readonly kind: 'exported';
      /** `Report-Log-Position` and time of the snapshots of this page. */
      readonly position: string;
      readonly asOf: string;
      /** JSON texts of events, as GET /v1/events shows them. */
      readonly events: readonly string[];
      /** Where the next page starts; undefined after the last. */
      readonly next?: NonNullable<ExportQuery['start']>;
    }
  | {
      readonly kind: 'converted';
      /** Position of the snapshot. */
      readonly position: Position;
      /** A bit each (actors/table/user-set.ts), from `fromByte` on, in base64. */
      readonly users: string;
      readonly hasMore: boolean;
    }
  /** No event has the id of `afterId`. */
  | {readonly kind: 'unknown_event'}
  | {
      readonly kind: 'changes';
      readonly position: string;
      readonly asOf: string;
      /** JSON texts. */
      readonly lines: readonly string[];
      readonly next: readonly ChangesPlace[];
      /** Whether the snapshots at `position` have more than was told. */
      readonly hasMore: boolean;
    }
  /** Changes after the place are not known (any more). */
  | {readonly kind: 'position_gone'; readonly reason: PositionGone}
  /** The snapshots of `at` are not available (any more). */
  | {readonly kind: 'snapshot_gone'}
  /**
   * `lacking`: partitions whose snapshot is older than `includes`. `nextByMs`: time by which the next snapshot is due, epoch
   * ms.
   */
  | {readonly kind: 'not_yet'; readonly lacking: readonly number[]; readonly nextByMs: number}
  | {readonly kind: 'unavailable'; readonly message: string};

// Conditions of a partition that need an operator.
//   A1. A condition writes one line when it begins and one when it ends, however often it is checked.
//   A2. A momentary event (a gap, a lost log tail) writes its line where it is found and stays raised for a day, because nobody
//       looks every second.
import {dayMs} from '../../actors/limits.js';
import {type AlarmKind, alarmKinds, type DictionaryMeasures} from '../measures.js';
import type {Logger} from '../observe.js';
import {largeOf} from './dictionaries.js';

/** Time for which message ids must be remembered (docs/api/events.md). */
const dedupeWindowMsMin = 7 * dayMs;
/** Delay beyond the refresh that a briefly busy machine may cause. */
const reportGraceMs = 5_000;
/** Delay beyond the refresh while history is played, after a start or in an import: it needs no operator. */
const historyGraceMs = 60_000;
const rememberedMs = dayMs;
const movesWaitedMsMax = 10_000;

interface PartitionCondition {
  /** Null before the first snapshot. While a start folds its log: at most the time since it began. */
  readonly snapshotAgeMs: number | null;
  readonly refreshMs: number;
  readonly isHalted: boolean;
  readonly dedupeWindowMs: number;
  /** Ms since the last gap; null when there was none. */
  readonly gapAgeMs: number | null;
  readonly logLossAgeMs: number | null;
  /** Users whose progress in saved funnels does not fit in memory. */
  readonly lateUsers: number;
  readonly dictionaries: readonly DictionaryMeasures[];
  /** Ms for which events of users who left have waited for the log of their owner's partition. */
  readonly movesWaitedMs: number;
}

/** Whether an event may have waited for its report longer than the refresh. */
export const isReportLate = (snapshotAgeMs: number, refreshMs: number): boolean =>
  snapshotAgeMs > refreshMs + reportGraceMs;

const isRecent = (ageMs: number | null): boolean => ageMs !== null && ageMs <= rememberedMs;

const isRaised: Readonly<Record<AlarmKind, (condition: PartitionCondition) => boolean>> = {
  report_lag: ({snapshotAgeMs, refreshMs}) => snapshotAgeMs !== null && snapshotAgeMs > refreshMs + historyGraceMs,
  standing_still: ({isHalted}) => isHalted,
  dedupe_window: ({dedupeWindowMs}) => dedupeWindowMs < dedupeWindowMsMin,
  funnel_memory: ({lateUsers}) => lateUsers > 0,
  dictionaries: ({dictionaries}) => largeOf(dictionaries).length > 0,
  gap: ({gapAgeMs}) => isRecent(gapAgeMs),
  log_lost: ({logLossAgeMs}) => isRecent(logLossAgeMs),
  moves: ({movesWaitedMs}) => movesWaitedMs > movesWaitedMsMax,
};

/** Lines of the conditions that write none elsewhere. A2 */
const lines: Partial<Readonly<Record<AlarmKind, {readonly begins: string; readonly ends: string}>>> = {
  report_lag: {
    begins: 'alarm: reports lag behind: the newest snapshot is more than a minute older than the refresh',
    ends: 'reports are fresh again',
  },
  dedupe_window: {
    begins:
      'alarm: message ids are remembered for less than 7 days: a later retry would count twice; raise DEDUPE_MEMORY_MIB',
    ends: 'message ids are remembered for 7 days again',
  },
  funnel_memory: {
    begins:
      'alarm: progress in saved funnels takes all of FUNNEL_MEMORY_MIB: completions of further users are found with the next report, not at once; raise it',
    ends: 'progress in saved funnels fits in FUNNEL_MEMORY_MIB again',
  },
  dictionaries: {
    begins:
      'alarm: clients make a dictionary grow (users, devices, names of properties or traits): search for ids that are made at random, and for names that are made of ids',
    ends: 'the dictionaries that clients make grow are small again',
  },
  moves: {
    begins: 'alarm: events of anonymous users wait to be joined to known users',
    ends: 'events of anonymous users are joined again',
  },
};

export class Alarms {
  private readonly partition: number;
  private readonly log: Logger;
  private readonly raised = new Set<AlarmKind>();

  constructor(partition: number, log: Logger) {
    this.partition = partition;
    this.log = log;
  }

  get newest(): AlarmKind[] {
    return [...this.raised];
  }

  /** Checks the conditions. @returns the alarms that are raised now. A1 */
  look(condition: PartitionCondition): AlarmKind[] {
    const now = alarmKinds.filter((kind) => isRaised[kind](condition));
    for (const kind of alarmKinds) this.turn(kind, now.includes(kind), condition);
    return now;
  }

  private turn(kind: AlarmKind, isOn: boolean, condition: PartitionCondition): void {
    if (isOn === this.raised.has(kind)) return;
    if (isOn) this.raised.add(kind);
    else this.raised.delete(kind);
    const line = lines[kind];
    if (line === undefined) return;
    const words = {alarm: kind, partition: this.partition, ...figuresOf(kind, condition)};
    if (isOn) this.log.error(words, line.begins);
    else this.log.info(words, line.ends);
  }
}

function figuresOf(kind: AlarmKind, condition: PartitionCondition): object {
  const {snapshotAgeMs, refreshMs, dedupeWindowMs, lateUsers, dictionaries, movesWaitedMs} = condition;
  switch (kind) {
    case 'report_lag':
      return {snapshotAgeMs, refreshMs};
    case 'dedupe_window':
      return {windowDays: Math.round((dedupeWindowMs / dayMs) * 10) / 10};
    case 'funnel_memory':
      return {lateUsers};
    case 'dictionaries':
      return {dictionaries: largeOf(dictionaries)};
    case 'moves':
      return {movesWaitedMs};
    default:
      return {};
  }
}

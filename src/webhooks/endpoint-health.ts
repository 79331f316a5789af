// The health of an endpoint: its failures in a row, its next probe, its counts, its newest attempts, and which of its events wait.
//   ST1. Any number of processes write one record. Each adds what it counted since it last read or wrote the record, so the record
//        has the counts, failures and attempts of all of them.
//   ST2. What waits in a partition is known to the process that moves the cursor there. Its statement has the revision of the cursor
//        that it is about: a process that lost the cursor without knowing it replaces no newer statement.
import type {Endpoint} from './endpoint.js';
import type {Outcome} from './post.js';
import {hasEventRule} from './row-rules.js';
import {disabledAfterMs, hasCome, probeDelayMsMax, probedAfter} from './schedule.js';

const attemptsKeptMax = 50;

/** One attempt. It holds ids and the receiver's status, and no data of a user. */
export interface Attempt {
  readonly id: string;
  readonly type: string;
  /** Start of the attempt, epoch ms. `ms`: its duration. */
  readonly atMs: number;
  readonly ms: number;
  readonly outcome: 'delivered' | 'failed' | 'erased';
  /** Number of the attempt in its delivery, from 1. */
  readonly attempt: number;
  readonly status?: number;
  readonly why?: string;
}

/** Which events of a partition wait, as the process says that has the cursor. */
export interface Wait {
  /** Revision of the cursor that this is about. */
  readonly revision: number;
  /** Receipt of the oldest event that waits, epoch ms; null: none waits. */
  readonly oldestMs: number | null;
}

export type Waiting = Readonly<Record<number, Wait>>;

export interface EndpointHealth {
  readonly v: 1;
  /** Failed attempts since the last success; while the endpoint is probed, failed probes alone. */
  readonly failures: number;
  /** Time of the first of these failures, epoch ms; null without one. */
  readonly failingSinceMs: number | null;
  readonly lastSuccessMs: number | null;
  /** Time of the next probe, epoch ms. */
  readonly nextProbeMs: number;
  /** Pause before it. Absent: an earlier version wrote it. */
  readonly probeWaitMs?: number;
  /** By partition. ST2 */
  readonly waiting: Waiting;
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly skippedEvents: number;
  /** The newest attempts, the newest first. */
  readonly attempts: readonly Attempt[];
}

export const newHealth: EndpointHealth = {
  v: 1,
  failures: 0,
  failingSinceMs: null,
  lastSuccessMs: null,
  nextProbeMs: 0,
  waiting: {},
  delivered: 0,
  failed: 0,
  dead: 0,
  skippedEvents: 0,
  attempts: [],
};

/** The health after an attempt. `probeDelayMs`: the pause after that many failures; `askedMs`: the one that the receiver asks for. */
export function noted(
  health: EndpointHealth,
  attempt: Attempt,
  probeDelayMs: (failures: number) => number,
  askedMs = 0,
): EndpointHealth {
  const attempts = [attempt, ...health.attempts].slice(0, attemptsKeptMax);
  if (attempt.outcome === 'erased') return {...health, attempts};
  const endMs = attempt.atMs + attempt.ms;
  if (attempt.outcome === 'delivered') {
    const delivered = health.delivered + 1;
    return {...health, attempts, delivered, failures: 0, failingSinceMs: null, lastSuccessMs: endMs, nextProbeMs: 0};
  }
  // An attempt that was under way when probing began is no probe: counted as one, it would lengthen the pause by hours.
  if (isProbed(health) && !isProbeDue(health, attempt.atMs)) return {...health, attempts, failed: health.failed + 1};
  const failures = health.failures + 1;
  const probeWaitMs = Math.max(probeDelayMs(failures), askedMs);
  return {
    ...health,
    attempts,
    failed: health.failed + 1,
    failures,
    failingSinceMs: health.failingSinceMs ?? endMs,
    ...(failures < probedAfter ? {nextProbeMs: 0} : {nextProbeMs: endMs + probeWaitMs, probeWaitMs}),
  };
}

/** The health after the endpoint was resumed: without failures. */
export const resumed = (health: EndpointHealth): EndpointHealth => ({
  ...health,
  failures: 0,
  failingSinceMs: null,
  nextProbeMs: 0,
});

/**
 * The record of all processes. ST1
 * `stored`: by another process; `own`: by this one, which had `base` when it last read or wrote the record.
 */
export function merged(stored: EndpointHealth, base: EndpointHealth, own: EndpointHealth): EndpointHealth {
  const lastSuccessMs = laterOf(stored.lastSuccessMs, own.lastSuccessMs);
  const count = (of: 'delivered' | 'failed' | 'dead' | 'skippedEvents') => stored[of] + own[of] - base[of];
  return {
    ...own,
    ...failingOf(stored, base, own, lastSuccessMs),
    lastSuccessMs,
    waiting: withWaits(stored.waiting, own.waiting),
    delivered: count('delivered'),
    failed: count('failed'),
    dead: count('dead'),
    skippedEvents: count('skippedEvents'),
    attempts: newestOf(own.attempts, stored.attempts),
  };
}

type Failing = Pick<EndpointHealth, 'failures' | 'failingSinceMs' | 'nextProbeMs' | 'probeWaitMs'>;

/** Failures since the last success of any process. */
function failingOf(
  stored: EndpointHealth,
  base: EndpointHealth,
  own: EndpointHealth,
  lastSuccessMs: number | null,
): Failing {
  const isFailing = ({failingSinceMs}: EndpointHealth) =>
    failingSinceMs !== null && failingSinceMs > (lastSuccessMs ?? -1);
  // A success here, or the operator, ended the failures of before: those that others counted until then are over.
  const isBegunAnew = base.failingSinceMs !== null && own.failingSinceMs !== base.failingSinceMs;
  if (isBegunAnew || !isFailing(stored)) return isFailing(own) ? own : resumed(own);
  if (!isFailing(own)) return stored;
  const all = stored.failures + own.failures - (isFailing(base) ? base.failures : 0);
  // Probing begins with the next failure, whose pause is the first one. The probes of all processes are no reason for a longer one.
  const failures = Math.max(stored.failures, own.failures, Math.min(all, probedAfter - 1));
  const {nextProbeMs, probeWaitMs} = own.nextProbeMs > stored.nextProbeMs ? own : stored;
  const failingSinceMs = Math.min(stored.failingSinceMs!, own.failingSinceMs!);
  return {failures, failingSinceMs, nextProbeMs, ...(probeWaitMs !== undefined && {probeWaitMs})};
}

const laterOf = (a: number | null, b: number | null): number | null => (a === null || (b !== null && b > a) ? b : a);

/** The newest attempts of two lists, each once. */
function newestOf(a: readonly Attempt[], b: readonly Attempt[]): readonly Attempt[] {
  const all = new Map([...b, ...a].map((one) => [`${one.id} ${one.attempt} ${one.atMs}`, one]));
  return [...all.values()].sort((one, other) => other.atMs - one.atMs).slice(0, attemptsKeptMax);
}

/** `waiting` with the statements that are not older. ST2 */
export function withWaits(waiting: Waiting, statements: Waiting): Waiting {
  const all: Record<number, Wait> = {...waiting};
  for (const [partition, wait] of Object.entries(statements))
    if (wait.revision >= (waiting[Number(partition)]?.revision ?? 0)) all[Number(partition)] = wait;
  return all;
}

/** How long the oldest event has waited. It grows also while no process delivers. */
export function lagMsOf(endpoint: Endpoint, {waiting}: EndpointHealth, nowMs: number): number {
  if (!hasEventRule(endpoint)) return 0;
  const oldest = Object.values(waiting).flatMap(({oldestMs}) => oldestMs ?? []);
  return Math.max(0, ...oldest.map((oldestMs) => nowMs - oldestMs));
}

/** The health of a stored record; undefined or empty: there is none. */
export const healthFrom = (text: string | undefined): EndpointHealth =>
  text === undefined || text === '' ? newHealth : {...newHealth, ...(JSON.parse(text) as EndpointHealth)};

export const isProbed = ({failures}: EndpointHealth): boolean => failures >= probedAfter;

/** Whether the next probe of an endpoint that is probed may be made. */
export const isProbeDue = ({failures, nextProbeMs, probeWaitMs = 0}: EndpointHealth, nowMs: number): boolean =>
  hasCome(nextProbeMs, Math.max(probeWaitMs, probeDelayMsMax(failures)), nowMs);

export const isHopeless = ({failingSinceMs}: EndpointHealth, nowMs: number): boolean =>
  failingSinceMs !== null && nowMs - failingSinceMs >= disabledAfterMs;

/** The outcome of an attempt in the form that people read. */
export const attemptOf = (outcome: Outcome): Pick<Attempt, 'outcome' | 'status' | 'why'> => ({
  outcome: outcome.kind === 'delivered' || outcome.kind === 'erased' ? outcome.kind : 'failed',
  ...('status' in outcome && {status: outcome.status}),
  ...('why' in outcome && {why: outcome.why}),
});

export const healthName = (endpointId: string): string => `w.${endpointId}`;

// The standing of an endpoint: its failures in a row, its next probe, and its newest attempts.
import type {Outcome} from './post.js';
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

export interface Standing {
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
  readonly lagMs: number;
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly skippedEvents: number;
  /** The newest attempts, the newest first. */
  readonly attempts: readonly Attempt[];
}

export const newStanding: Standing = {
  v: 1,
  failures: 0,
  failingSinceMs: null,
  lastSuccessMs: null,
  nextProbeMs: 0,
  lagMs: 0,
  delivered: 0,
  failed: 0,
  dead: 0,
  skippedEvents: 0,
  attempts: [],
};

/** The standing after an attempt. `probeDelayMs`: the pause after that many failures; `askedMs`: the one that the receiver asks for. */
export function noted(
  standing: Standing,
  attempt: Attempt,
  probeDelayMs: (failures: number) => number,
  askedMs = 0,
): Standing {
  const attempts = [attempt, ...standing.attempts].slice(0, attemptsKeptMax);
  if (attempt.outcome === 'erased') return {...standing, attempts};
  const endMs = attempt.atMs + attempt.ms;
  if (attempt.outcome === 'delivered') {
    const delivered = standing.delivered + 1;
    return {...standing, attempts, delivered, failures: 0, failingSinceMs: null, lastSuccessMs: endMs, nextProbeMs: 0};
  }
  // An attempt that was under way when probing began is no probe: counted as one, it would lengthen the pause by hours.
  if (isProbed(standing) && !isProbeDue(standing, attempt.atMs))
    return {...standing, attempts, failed: standing.failed + 1};
  const failures = standing.failures + 1;
  const probeWaitMs = Math.max(probeDelayMs(failures), askedMs);
  return {
    ...standing,
    attempts,
    failed: standing.failed + 1,
    failures,
    failingSinceMs: standing.failingSinceMs ?? endMs,
    ...(failures < probedAfter ? {nextProbeMs: 0} : {nextProbeMs: endMs + probeWaitMs, probeWaitMs}),
  };
}

/** The standing after the endpoint was resumed: without failures. */
export const resumed = (standing: Standing): Standing => ({
  ...standing,
  failures: 0,
  failingSinceMs: null,
  nextProbeMs: 0,
});

/** Merges the standing that another process wrote: its success also ends the failures before it here. */
export function joinedWith(other: Standing, own: Standing): Standing {
  if (other.lastSuccessMs === null || other.lastSuccessMs <= (own.lastSuccessMs ?? 0)) return own;
  const {lastSuccessMs} = other;
  const isFailing = own.failingSinceMs !== null && own.failingSinceMs > lastSuccessMs;
  return {...(isFailing ? own : resumed(own)), lastSuccessMs};
}

export const isProbed = ({failures}: Standing): boolean => failures >= probedAfter;

/** Whether the next probe of an endpoint that is probed may be made. */
export const isProbeDue = ({failures, nextProbeMs, probeWaitMs = 0}: Standing, nowMs: number): boolean =>
  hasCome(nextProbeMs, Math.max(probeWaitMs, probeDelayMsMax(failures)), nowMs);

export const isHopeless = ({failingSinceMs}: Standing, nowMs: number): boolean =>
  failingSinceMs !== null && nowMs - failingSinceMs >= disabledAfterMs;

/** The outcome of an attempt in the form that people read. */
export const attemptOf = (outcome: Outcome): Pick<Attempt, 'outcome' | 'status' | 'why'> => ({
  outcome: outcome.kind === 'delivered' || outcome.kind === 'erased' ? outcome.kind : 'failed',
  ...('status' in outcome && {status: outcome.status}),
  ...('why' in outcome && {why: outcome.why}),
});

export const standingName = (endpointId: string): string => `w.${endpointId}`;

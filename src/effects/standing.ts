// How an endpoint fares: failures in a row, the next probe, and its newest attempts.
import type {Outcome} from './post.js';
import {disabledAfterMs, probedAfter} from './schedule.js';

const attemptsKeptMax = 50;

/** One attempt; ids of ours and what a receiver's status was. */
export interface Attempt {
  readonly id: string;
  readonly type: string;
  /** Epoch ms of its begin, and how long it took. */
  readonly atMs: number;
  readonly ms: number;
  readonly outcome: 'delivered' | 'failed' | 'erased';
  /** Which of the delivery's attempts, from 1. */
  readonly attempt: number;
  readonly status?: number;
  readonly why?: string;
}

export interface Standing {
  readonly v: 1;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** Time of the first of these failures, epoch ms; null without one. */
  readonly failingSinceMs: number | null;
  readonly lastSuccessMs: number | null;
  /** No probe before, epoch ms. */
  readonly nextProbeMs: number;
  readonly lagMs: number;
  readonly delivered: number;
  readonly failed: number;
  readonly dead: number;
  readonly skippedEvents: number;
  /** The newest first. */
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

/** `probeDelayMs`: the pause after so many failures. */
export function noted(standing: Standing, attempt: Attempt, probeDelayMs: (failures: number) => number): Standing {
  const attempts = [attempt, ...standing.attempts].slice(0, attemptsKeptMax);
  if (attempt.outcome === 'erased') return {...standing, attempts};
  const endMs = attempt.atMs + attempt.ms;
  if (attempt.outcome === 'delivered') {
    const delivered = standing.delivered + 1;
    return {...standing, attempts, delivered, failures: 0, failingSinceMs: null, lastSuccessMs: endMs, nextProbeMs: 0};
  }
  const failures = standing.failures + 1;
  return {
    ...standing,
    attempts,
    failed: standing.failed + 1,
    failures,
    failingSinceMs: standing.failingSinceMs ?? endMs,
    nextProbeMs: failures < probedAfter ? 0 : endMs + probeDelayMs(failures),
  };
}

/** A new beginning, after somebody resumed it. */
export const resumed = (standing: Standing): Standing => ({
  ...standing,
  failures: 0,
  failingSinceMs: null,
  nextProbeMs: 0,
});

/** With what another process wrote: a success of that one ends the failures before it here, too. */
export function joinedWith(other: Standing, own: Standing): Standing {
  if (other.lastSuccessMs === null || other.lastSuccessMs <= (own.lastSuccessMs ?? 0)) return own;
  const {lastSuccessMs} = other;
  const isFailing = own.failingSinceMs !== null && own.failingSinceMs > lastSuccessMs;
  return {...(isFailing ? own : resumed(own)), lastSuccessMs};
}

export const isProbed = ({failures}: Standing): boolean => failures >= probedAfter;

export const isHopeless = ({failingSinceMs}: Standing, nowMs: number): boolean =>
  failingSinceMs !== null && nowMs - failingSinceMs >= disabledAfterMs;

/** What an attempt's outcome says to people. */
export const attemptOf = (outcome: Outcome): Pick<Attempt, 'outcome' | 'status' | 'why'> => ({
  outcome: outcome.kind === 'delivered' ? 'delivered' : 'failed',
  ...('status' in outcome && {status: outcome.status}),
  ...('why' in outcome && {why: outcome.why}),
});

export const standingName = (endpointId: string): string => `w.${endpointId}`;

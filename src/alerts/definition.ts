// The stored definition of an alert: its rule, its times, and its endpoints.
//   Owns: the closed set of rules and their limits. Does not own: how the API writes them (src/edge/routes/alert-body.ts).
import type {WatchedQuestion} from '../asks/question/counts.js';
import type {FollowedQuestion} from '../asks/question/funnel.js';
import type {Definition} from '../kept/definition.js';

export const alertsMax = 200;
export const alertMinutesMin = 5;
/** Longest window of a rule: 31 days. */
export const alertMinutesMax = 44_640;
export const funnelDaysMax = 90;
export const lagSecondsMax = 7 * 86_400;
/** Evaluations in a row that a condition must hold. */
export const forMax = 60;
export const repeatMinutesMin = 5;
export const repeatMinutesMax = 44_640;
export const alertEndpointsMax = 20;

/** The number of events, or of distinct users with one, over the last minutes. */
export interface ThresholdRule {
  readonly kind: 'threshold';
  /** In its normal form, with its zone. */
  readonly question: WatchedQuestion;
  readonly minutes: number;
  readonly op: 'gte' | 'lte';
  readonly bound: number;
}

/** Absence: no such event for `minutes`, after there was one. */
export interface AbsenceRule {
  readonly kind: 'absence';
  /** In its normal form, with its zone. It has no measure. */
  readonly question: WatchedQuestion;
  readonly minutes: number;
}

/** Conversion of a saved funnel over the last days. */
export interface FunnelDropRule {
  readonly kind: 'funnel_drop';
  readonly funnel: string;
  readonly days: number;
  /** Lowest share that is not too low, 0 to 1. */
  readonly below?: number;
  /** Per cent by which the conversion may be lower than that of as many days before. */
  readonly lowerBy?: number;
  /** Fewest users at step 1: with fewer nothing is judged. With fewer in the days before, `lowerBy` is not. */
  readonly minEntered: number;
}

export const lagKinds = ['partition', 'report', 'deletion', 'webhook'] as const;
export type LagKind = (typeof lagKinds)[number];

/** The service itself lags behind. */
export interface LagRule {
  readonly kind: 'lag';
  readonly of: LagKind;
  readonly seconds: number;
}

/** Users who reached a step of a saved funnel, and not the next one within `minutes`. Each user is one notification. */
export interface StalledRule {
  readonly kind: 'stalled';
  readonly funnel: string;
  /** The step that was reached, from 1. */
  readonly step: number;
  readonly minutes: number;
}

/** Rules that hold or do not: their alert has a state, whose changes are notified. */
export type StateRule = ThresholdRule | AbsenceRule | FunnelDropRule | LagRule;
export type Rule = StateRule | StalledRule;

/** Times of day in a zone, `HH:MM`. They span midnight if `to` is not after `from`. */
export interface QuietHours {
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
}

/** An alert; its id is `al_<16 hex digits>`. */
export interface Alert<Of extends Rule = Rule> extends Definition {
  readonly name: string;
  readonly rule: Of;
  readonly for: number;
  /** Absent: an alert that stays firing is notified once. */
  readonly repeatMinutes?: number;
  /** Absent: chat messages are sent at once. */
  readonly quietHours?: QuietHours;
  /** Ids of endpoints. Absent: those that subscribe to `report.threshold` of this name, or to `funnel.stalled` of the rule's funnel. */
  readonly endpoints?: readonly string[];
  /** A paused alert is not evaluated, and keeps its state. */
  readonly isPaused: boolean;
}

export const isStalled = (alert: Alert): alert is Alert<StalledRule> => alert.rule.kind === 'stalled';
export const hasState = (alert: Alert): alert is Alert<StateRule> => !isStalled(alert);

/** Name of the record of an alert's state in the bucket of definitions. */
export const stateName = (alertId: string): string => `st.${alertId}`;

/** The parts of a saved funnel that rules read. */
export interface WatchedFunnel {
  readonly name: string;
  readonly question: FollowedQuestion;
}

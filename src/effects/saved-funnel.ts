// A saved funnel: who completes it is told (`funnel.completed`). Each owner of a partition finds out who does, and keeps that with the
// partition's state (src/partition/funnels); what the funnel is stands here alone.
import type {Definition} from './definition.js';
import type {Definitions, HookStore} from './hook-store.js';

export const savedFunnelsMax = 20;

export interface SavedFunnel extends Definition {
  readonly name: string;
  /** Names of events, in order. */
  readonly steps: readonly string[];
  /** Conversion window in ms, inclusive, from the first step. */
  readonly windowMs?: number;
}

export const savedFunnelsOf = (hooks: HookStore): Definitions<SavedFunnel> => hooks.definitions<SavedFunnel>('fn');

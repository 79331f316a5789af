// The stored definition of a digest: what it has the numbers of, when it is due, and its endpoints.
import type {Definition} from '../kept/definition.js';
import type {Definitions, KeptStore} from '../kept/kept-store.js';

export const digestsMax = 100;
export const digestEndpointsMax = 20;

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof weekdays)[number];

/** When a digest is due: at an hour of a zone, each day or on one day of the week. */
export interface Schedule {
  readonly hour: number;
  readonly timezone: string;
  /** Absent: each day. */
  readonly weekday?: Weekday;
}

export interface Digest extends Definition, Schedule {
  /** Id of a saved report or of a board: the digest has what it becomes. */
  readonly of: string;
  /** Ids of endpoints. Absent: those that subscribe to `report.digest` of the name of the report or board. */
  readonly endpoints?: readonly string[];
  /** What is due meanwhile is never sent. */
  readonly isPaused: boolean;
}

export const digestsOf = (store: KeptStore): Definitions<Digest> => store.definitions<Digest>('dg');

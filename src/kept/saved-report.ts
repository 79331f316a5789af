// A saved report: questions with a name, for everybody who signs in.
//   SV1. Whoever arranges the list changes no report: a new place is no new version, and no change of its author.
//   SV2. Only reports are saved, and no lists of people. A condition may name a user all the same: a deletion searches for that
//        (named-person.ts).
//   SV3. Its questions are in their normal form, and each names its zone: they mean the same whatever the zone of the service becomes.
import type {KeptReport} from '../asks/address.js';
import type {Definition} from './definition.js';
import type {Definitions, KeptStore} from './kept-store.js';

export const savedReportsMax = 500;
/** The report, and what stands beside it. */
export const questionsMax = 10;
/** Characters of the questions as JSON: fifty steps and as many conditions are less. */
export const questionsCharsMax = 65_536;

export interface SavedReport extends Definition, KeptReport {
  readonly name: string;
  /** Sort key of the list, ascending; any number between two others is possible. SV1 */
  readonly place: number;
  readonly changedMs: number;
  /** Name of the person or key that changed it last. */
  readonly changedBy: string;
}

export const savedReportsOf = (store: KeptStore): Definitions<SavedReport> => store.definitions<SavedReport>('sr');

// The steps of an erasure, as an operator sees them with LOG_LEVEL=debug. The chaos tool kills the service at each of them.
//   No step names a user: process logs must not say who was erased.
import type {Logger} from '../../observe.js';

/** Steps in order. Those up to `entry folded` happen per erase entry, later ones per scrub, for all deletions that it completes. */
export const erasureSteps = [
  'entry reached',
  'chunks written',
  'users taken out',
  'entry folded',
  'filler written',
  'snapshot A published',
  'snapshot B published',
  'old parts erased',
  'log purged',
  'read back',
  'journal written',
  'receipt made',
  'receipt published',
] as const;
export type ErasureStep = (typeof erasureSteps)[number];

export const erasureStepMessage = 'erasure';

export type NoteStep = (step: ErasureStep) => void;

export function stepNoter(log: Logger, partition: number): NoteStep {
  return (step) => log.debug({partition, step}, erasureStepMessage);
}

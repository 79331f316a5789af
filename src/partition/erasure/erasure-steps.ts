// The steps of an erasure, as an operator sees them with LOG_LEVEL=debug. The chaos tool ends the service at each of them.
//   No user in any of them: who was erased must not stand in process logs.
import type {Logger} from '../../observe.js';

/** In their order: up to `entry folded` for each user, then for all that one scrub cleans up behind. */
export const erasureSteps = [
  'entry reached',
  'chunks written',
  'user taken out',
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

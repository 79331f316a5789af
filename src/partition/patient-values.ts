// Reads parts for the fold, which cannot continue without them: waits while the store is unreachable.
import type {PartValues} from '../parts/stored-parts.js';
import {retryForever, type Trouble} from './retry.js';

export function patientValues(values: PartValues, trouble?: Trouble): PartValues {
  return {read: (revision) => retryForever(() => values.read(revision), trouble)};
}

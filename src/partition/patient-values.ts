// Reading parts for the fold: it cannot go on without them, so it waits while the store is unreachable.
import type {PartValues} from '../parts/stored-parts.js';
import {retryForever, type Trouble} from './retry.js';

export function patientValues(values: PartValues, trouble?: Trouble): PartValues {
  return {read: (revision) => retryForever(() => values.read(revision), trouble)};
}

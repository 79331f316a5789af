// Reads parts for the fold, which cannot continue without them: waits while the store is unreachable.
import type {PartValues} from '../parts/stored-parts.js';
import {type RetryLog, retryForever} from './retry.js';

export function retryingValues(values: PartValues, retries?: RetryLog): PartValues {
  return {...values, read: (revision, key) => retryForever(() => values.read(revision, key), retries)};
}

// A change of a record in a bucket of NATS: of keys, definitions, lists.
import {BucketFault} from '../../keys/key-bucket.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';

/** @throws RequestFailure (503) when the change cannot be tried, or its outcome is unknown. */
export async function storedChange<Value>(
  {operations: {obstacles}}: Front,
  outcomeUnknown: Failure,
  change: () => Promise<Value>,
): Promise<Value> {
  const obstacle = obstacles.toChanges();
  if (obstacle !== undefined) throw new RequestFailure(obstacle);
  try {
    return await change();
  } catch (error) {
    if (error instanceof BucketFault) throw new RequestFailure(outcomeUnknown);
    throw error;
  }
}

// Deletes records of deleted definitions: cursors and health of endpoints, states of alerts. The process that deletes a
// definition deletes its records. A crash in between leaves some, and so does a process that writes one before it hears of the
// deletion: a sweep deletes these.
import type {RecordBucket} from '../keys/key-bucket.js';

export const recordSweepEveryMs = 3_600_000;

/** Id in the name of a record: `c.<definition>.<partition>`, `w.<definition>` or `st.<definition>`. */
const definitionOf = (name: string): string => name.split('.')[1]!;

/**
 * Deletes the records that match `pattern` and whose definition is deleted. `isKnown`: whether this process knows the definition.
 * The bucket decides about an unknown one, because this process may not have heard of it yet. Rejects with a `BucketFault`.
 */
export async function sweepRecords(
  bucket: Pick<RecordBucket, 'read' | 'names' | 'purge'>,
  pattern: string,
  isKnown: (definition: string) => boolean,
): Promise<void> {
  const isDeleted = new Map<string, boolean>();
  for (const name of await bucket.names(pattern)) {
    const id = definitionOf(name);
    if (!isDeleted.has(id)) isDeleted.set(id, !isKnown(id) && !((await bucket.read(id))?.text ?? ''));
    if (isDeleted.get(id)) await forgetRecord(bucket, name);
  }
}

/** Deletes a record, if there is one. Rejects with a `BucketFault`. */
export async function forgetRecord(bucket: Pick<RecordBucket, 'read' | 'purge'>, name: string): Promise<void> {
  const entry = await bucket.read(name);
  if (entry !== undefined) await bucket.purge(name, entry.revision);
}

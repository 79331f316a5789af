// Records of definitions that were deleted: cursors and standings of endpoints, states of alerts. Who deletes a definition forgets
// them. A crash in between leaves some, and so does a process that writes one before it hears of the deletion: they are swept out.
import type {RecordBucket} from '../keys/store.js';

export const recordSweepEveryMs = 3_600_000;

/** Of `c.<definition>.<partition>`, `w.<definition>` and `st.<definition>`. */
const definitionOf = (name: string): string => name.split('.')[1]!;

/**
 * `isKnown`: whether this process knows the definition. Where it does not, the bucket says whether it is deleted: this process may
 * not have heard of a new one. Rejects with a `BucketFault`.
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

/** Rejects with a `BucketFault`. */
export async function forgetRecord(bucket: Pick<RecordBucket, 'read' | 'purge'>, name: string): Promise<void> {
  const entry = await bucket.read(name);
  if (entry !== undefined) await bucket.purge(name, entry.revision);
}

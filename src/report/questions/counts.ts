// Counts of events over time: of a name out of cells, all others out of rows (measured.ts).
import {countsAnswer} from '../../../actors/report/answers.js';
import {Buckets} from '../../../actors/report/counts/buckets.js';
import {mergeCounts} from '../../../actors/report/counts/counts.js';
import {PropertyFilter} from '../../../actors/report/counts/filter.js';
import type {QueryOf} from '../../asks/report.js';
import {countsOf} from '../operators/stored-counts.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {storedCounts} from '../stored-answers.js';
import {measured} from './measured.js';

/** @throws MissingPart, DamagedPart, BeyondMemory */
export async function counts(
  reading: Reading,
  query: QueryOf<'counts'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const stored = storedCounts(query);
  if (stored === undefined) return measured(reading, query, snapshots);
  const buckets = Buckets.of(query);
  const {event, filter} = stored;
  const matcher = filter === undefined ? undefined : new PropertyFilter(filter.property, filter.value);
  const partials: Float64Array[] = [];
  for (const snapshot of snapshots) partials.push(await countsOf(reading, event, buckets, matcher, snapshot)); // EV1
  return countsAnswer(event, buckets, mergeCounts(buckets.count, partials));
}

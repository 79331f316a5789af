// Lists of the properties of events, and of the values of one of them.
import {KeyTypes} from '../../../actors/report/rows/key-types.js';
import type {QueryOf} from '../../asks/report.js';
import {GroupCounts, Grouping} from '../operators/grouped-rows.js';
import {checkHeld, keysAnswer, valuesAnswer} from '../operators/ranked-list.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';
import type {Reading} from '../reading.js';
import {foldBodies, RowScan} from '../row-scan.js';

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function listedProperties(
  reading: Reading,
  query: QueryOf<'properties'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const keys = new KeyTypes();
  const scan = new RowScan(reading, {stretch: stretchOf(query), selectors: [selectorOf(query)]});
  for (const snapshot of snapshots) {
    for await (const [chunk, rows, [chosen]] of scan.wholeRows(snapshot)) {
      const unsure = keys.addRows(rows, chosen!);
      await foldBodies(reading, chunk, unsure, (block, inBlock) => keys.addBodies(rows, block, inBlock));
      checkHeld(reading, keys.bytes);
    }
  }
  return keysAnswer(reading.scan, query, 'property', keys);
}

/** JSON text of the answer. @throws MissingPart, DamagedPart, BeyondMemory */
export async function listedPropertyValues(
  reading: Reading,
  query: QueryOf<'property_values'>,
  snapshots: readonly PartitionSnapshot[],
): Promise<string> {
  const grouping = new Grouping([{by: 'property', name: query.property, limit: query.limit}]);
  const {groups, properties} = grouping;
  const totals = new GroupCounts();
  const scan = new RowScan(reading, {stretch: stretchOf(query), selectors: [selectorOf(query)], properties});
  for (const snapshot of snapshots) {
    await scan.fold(snapshot, (rows, [chosen]) => {
      const groupOf = grouping.of(snapshot, rows);
      for (const row of chosen!) totals.add(groupOf(row), 0);
      checkHeld(reading, groups.bytes);
    });
  }
  return valuesAnswer(reading.scan, query, groups.values[0]!, totals.totals());
}

const stretchOf = ({fromMs, toMs}: {fromMs: number; toMs: number}) => ({startMs: fromMs, lastMs: toMs});
const selectorOf = ({event}: {event?: string}) => (event === undefined ? {} : {event});

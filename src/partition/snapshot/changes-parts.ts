// Parts with records of changes (actors/changes.ts). A snapshot writes its records once; only joins of small parts write them again.
//   CP1. A part of more than `changesJoinedMax` is joined with no other: a reader reads one part for a page.
//   CP2. A part is kept as long as the newest of its records. A join leaves out expired records: otherwise repeated joins would keep
//        them for ever.
import {type ChangesRecord, changesIn, encodeChanges, joinRecords} from '../../../actors/changes.js';
import type {ChangesPart, Position} from '../../../actors/manifest.js';
import type {SnapshotDelta} from '../../../actors/partition.js';
import {mergeCount, sizeRatio} from './compaction.js';
import type {Layout} from './layout.js';
import type {PartStore} from './part-store.js';

/** Half a megabyte of users. CP1 */
const changesJoinedMax = 65_536;

/** Reads the records of these parts; both lists are empty when one of the parts cannot be read. */
type LoadJoined = (
  parts: readonly ChangesPart[],
) => Promise<{readonly joined: readonly ChangesPart[]; readonly payloads: readonly (readonly ChangesRecord[])[]}>;

export async function putChanges(
  layout: Layout,
  parts: Pick<PartStore, 'put'>,
  {changes: fresh, rest: {logicalMs}}: Pick<SnapshotDelta, 'changes' | 'rest'>,
  loadJoined: LoadJoined,
): Promise<void> {
  const kept = layout.changes.filter(({expiresLogicalMs}) => expiresLogicalMs >= logicalMs);
  const dropped = layout.changes.filter((part) => !kept.includes(part)).at(-1)?.position ?? layout.changesDropped;
  if (changesIn(fresh) === 0) return layout.setChanges(kept, dropped);
  const small = kept.slice(kept.findLastIndex(({count}) => count > changesJoinedMax) + 1);
  const merged = mergeCount([...small.map(({count}) => count), changesIn(fresh)], sizeRatio) - 1;
  const {joined, payloads} = await loadJoined(merged === 0 ? [] : small.slice(-merged));
  const held = payloads.flat();
  const records = held.filter(({expiresLogicalMs}) => expiresLogicalMs >= logicalMs); // CP2
  const newestDropped = held[held.length - records.length - 1];
  const others = kept.slice(0, kept.length - joined.length);
  layout.setChanges(
    [...others, await putRecords(parts, joinRecords([...records, fresh]), fresh)],
    newestDropped === undefined ? dropped : positionOf(newestDropped),
  );
}

async function putRecords(
  parts: Pick<PartStore, 'put'>,
  records: readonly ChangesRecord[],
  newest: ChangesRecord,
): Promise<ChangesPart> {
  return {
    part: await parts.put(encodeChanges(records)),
    count: records.reduce((sum, record) => sum + changesIn(record), 0),
    position: positionOf(newest),
    expiresLogicalMs: newest.expiresLogicalMs,
  };
}

const positionOf = ({generation, sequence}: ChangesRecord): Position => ({generation, sequence});

// Profiles of some users of a partition, from the blocks of all runs that have them.
import {isoText} from '../../../actors/calendar.js';
import {mergeRecords, UserBlockReader, type UserRecord} from '../../../actors/user/user-records.js';
import {loadAhead} from '../../parts/load-ahead.js';
import {loadsAheadMax, type PartScan} from '../part-scan.js';
import type {PartitionSnapshot} from '../published/newest-snapshots.js';

/** Fields of a JSON object per identified user, ascending. `users` ascend. */
export async function profilesOf(
  scan: PartScan,
  {index}: PartitionSnapshot,
  users: readonly number[],
): Promise<Map<number, string>> {
  const records = new Map<number, UserRecord>();
  const inBlock = ({first, last}: {readonly first: number; readonly last: number}): readonly number[] =>
    users.filter((user) => first <= user && user <= last);
  const wanted = index.userRuns.flatMap(({blocks}) => blocks).filter((block) => inBlock(block).length > 0);
  for await (const [block, payload] of loadAhead(wanted, ({part}) => scan.loadOnce(part), loadsAheadMax)) {
    const reader = new UserBlockReader(payload);
    for (const user of inBlock(block)) {
      const record = reader.find(user);
      const older = records.get(user);
      if (record !== undefined) records.set(user, older === undefined ? record : mergeRecords(older, record));
    }
    await scan.pauseIfDue();
  }
  const texts = new Map<number, string>();
  for (const user of users) {
    const record = records.get(user);
    if (record?.lastIdentifyMs !== undefined) texts.set(user, profileFieldsOf(record, record.lastIdentifyMs));
  }
  return texts;
}

const profileFieldsOf = ({createdMs, traits}: UserRecord, identifiedMs: number): string =>
  `"created_at":"${isoText(createdMs)}","identified_at":"${isoText(identifiedMs)}","traits":${traits?.json ?? '{}'}`;

// What an edge knows of the cluster: the members, what they own, and what nobody serves.
import {beforeEach, expect, test} from 'vitest';
import {Overview, silentMsMax} from '../../../actors/cluster/overview.js';
import {
  type MemberRole,
  type MemberState,
  memberName,
  memberText,
  ownerName,
  ownerText,
  type StoredRecord,
} from '../../../actors/cluster/records.js';

const partitionCount = 3;
let overview: Overview;
let revision: number;
let beat: number;

beforeEach(() => {
  overview = new Overview(partitionCount, 0);
  [revision, beat] = [0, 0];
});

const stored = (name: string, text: string): StoredRecord => ({name, revision: ++revision, text});
const member = (id: string, state: MemberState = 'up', isBack = false, role: MemberRole = 'partition'): StoredRecord =>
  stored(
    memberName(id),
    memberText(state, beat++, {name: `process of ${id}`, sinceMs: 5, isBack, role, levels: [1, 1]}),
  );
const owner = (partition: number, id: string | undefined, role: MemberRole = 'partition'): StoredRecord =>
  stored(ownerName(role, partition), ownerText(id));
const over = (id: string): StoredRecord => stored(memberName(id), '');

/** `tell` of each. */
function told(nowMs: number, ...records: readonly StoredRecord[]): void {
  for (const record of records) overview.tell(record, nowMs);
}

const rows = (nowMs: number): unknown[] =>
  overview.membersAt(nowMs).map(({id, state, partitions, movedMs}) => [id, state, partitions.join(), movedMs]);

test('members have what they own, and when the newest of it came', () => {
  overview.begin([member('a'), owner(0, 'a'), owner(1, 'a'), owner(2, 'a')], 1_000);
  expect(rows(1_000)).toEqual([['a', 'up', '0,1,2', undefined]]);
  told(2_000, member('b'), owner(2, undefined));
  told(2_500, owner(2, 'b'), member('a', 'leaving'));
  expect(rows(3_000)).toEqual([
    ['a', 'leaving', '0,1', undefined],
    ['b', 'up', '2', 500],
  ]);
  expect(overview.membersAt(3_000)[1]).toMatchObject({name: 'process of b', sinceMs: 5, isBack: false});
  told(4_000, over('a'), member('b', 'up', true));
  expect(rows(4_000)).toEqual([['b', 'up', '2', 1_500]]);
  expect(overview.membersAt(4_000)[0]!.isBack).toBe(true);
});

test('members of each role own partitions of their own, and nobody misses those that are not folded', () => {
  overview.begin([member('a'), owner(0, 'a'), owner(1, 'a'), owner(2, 'a')], 0);
  told(0, member('d', 'up', false, 'deliver'), owner(1, 'd', 'deliver'), owner(2, 'a', 'deliver'));
  told(5, member('r', 'up', false, 'report'), owner(0, 'r', 'report'));
  expect(rows(5)).toEqual([
    ['a', 'up', '0,1,2', undefined],
    ['d', 'up', '1', 5],
    ['r', 'up', '0', 0],
  ]);
  expect(overview.ownerOf(1)).toBe('a');
  expect(overview.membersAt(5).map(({role}) => role)).toEqual(['partition', 'deliver', 'report']);
  overview.begin([member('d', 'up', false, 'deliver'), owner(1, 'd', 'deliver')], 10);
  expect(rows(10)).toEqual([['d', 'up', '1', undefined]]);
  expect(overview.unowned(silentMsMax)).toEqual([0, 1, 2]);
});

test('nobody is missed before the watch has had its time, whether it ever tells of anything or not', () => {
  expect(overview.unowned(silentMsMax - 1)).toEqual([]);
  expect(overview.unowned(silentMsMax)).toEqual([0, 1, 2]);
  told(silentMsMax, member('a'), owner(1, 'a'));
  expect(overview.unowned(silentMsMax)).toEqual([0, 2]);
});

test('a partition is unowned when its owner renews no more, and no longer once another one owns it', () => {
  const records = [member('a'), member('b'), owner(0, 'a'), owner(1, 'b'), owner(2, 'b')];
  overview.begin(records, 0);
  for (let ms = 2_000; ms <= 16_000; ms += 2_000) told(ms, member('a'));
  told(16_500, member('a'));
  expect(overview.unowned(silentMsMax - 1)).toEqual([]);
  expect(overview.unowned(silentMsMax)).toEqual([1, 2]);
  expect(rows(silentMsMax)).toEqual([
    ['a', 'up', '0', undefined],
    ['b', 'silent', '1,2', undefined],
  ]);
  told(silentMsMax, over('b'), owner(1, 'a'));
  expect(overview.unowned(silentMsMax)).toEqual([2]);
  told(silentMsMax + 100, owner(2, 'a'));
  expect(overview.unowned(silentMsMax + 100)).toEqual([]);
});

test('a partition that is given back is unowned after the same time, also while its last owner renews', () => {
  overview.begin([member('a'), owner(0, 'a'), owner(1, 'a'), owner(2, 'a')], 0);
  told(1_000, owner(1, undefined));
  for (let ms = 2_000; ms <= 20_000; ms += 2_000) told(ms, member('a'));
  expect(overview.unowned(20_000)).toEqual([1]);
});

test('a watch that begins again tells nothing new of a member whose record is as it was', () => {
  const records = [member('a'), owner(0, 'a'), owner(1, 'a'), owner(2, 'a')];
  overview.begin(records, 0);
  overview.begin(records, 10_000);
  expect(overview.unowned(silentMsMax)).toEqual([0, 1, 2]);
  overview.begin([member('a'), ...records.slice(1)], silentMsMax);
  expect(overview.unowned(silentMsMax)).toEqual([]);
  // And it may tell of less: the member is over.
  overview.begin(records.slice(1), silentMsMax + 1_000);
  expect(rows(silentMsMax + 1_000)).toEqual([]);
});

test('an earlier record than the newest tells nothing', () => {
  const [early, late] = [member('a'), over('a')];
  told(0, late, early);
  expect(rows(0)).toEqual([]);
});

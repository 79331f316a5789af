// What a start does with what it found: every case, without a store.

import {expect, test} from 'vitest';
import {type Manifest, manifestFormat, type PartRef} from '../../../actors/manifest.js';
import type {NotedPosition} from '../../../src/partition/snapshot/position-note.js';
import {type Beginning, decide, type Found, type Loss} from '../../../src/partition/snapshot/recovery-plan.js';
import {noMoves} from '../../support/snapshot.js';

const part = (key: string): PartRef => ({key, revisions: [1], bytes: 1, valueBytes: 1, crcs: [0]});

const older = {position: {generation: 2, sequence: 50}, mark: 'at 50', asOfMs: 500, index: part('older')};
/** Two snapshots are kept: at 50 and at 100. */
const newest: Manifest = {
  moves: noMoves,
  format: manifestFormat,
  writtenBy: 'a test',
  partition: 0,
  position: {generation: 2, sequence: 100},
  mark: 'at 100',
  epoch: 7,
  asOfMs: 1_000,
  index: part('newest'),
  previous: older,
};
const onlyOne: Manifest = {...newest, previous: null};
const noted: NotedPosition = {generation: 2, sequence: 100, mark: 'at 100', epoch: 7};
const ahead: NotedPosition = {...noted, sequence: 120, mark: 'at 120'};

/** Logs by first and last sequence, and the marks where the snapshot and the note are. */
const log = (first: number, last: number, markAtNewest?: string, markAtNoted?: string): Found['log'] => ({
  first,
  last,
  markAtNewest,
  markAtNoted,
});
const cut = log(51, 120, 'at 100', 'at 100');
const whole = log(1, 120, 'at 100', 'at 100');

const nameOf = (beginning: Beginning): string =>
  beginning.kind === 'log'
    ? 'log'
    : `${beginning.kind} ${beginning.manifest.position.sequence} of ${beginning.manifest.index.key}`;
const kept = ['snapshot 100 of newest', 'snapshot 50 of older'];
const remains = ['remains 100 of newest', 'remains 50 of older'];

/** What is found, in which order it is begun with, in which generation, and what is lost if anything is. */
type Case = readonly [
  name: string,
  found: Omit<Found, 'values' | 'newest' | 'noted'> & Partial<Pick<Found, 'newest' | 'noted'>>,
  beginnings: readonly string[],
  generation: number,
  losses?: readonly Loss[],
];

const both = [...kept, ...remains];
const newestAlone = [kept[0]!, remains[0]!];
const atStart = (manifest: Manifest): Manifest => ({...manifest, position: {generation: 3, sequence: 0}, mark: ''});
const notedAtStart: NotedPosition = {...noted, generation: 3, sequence: 0, mark: ''};
const restored = (generation: number): NotedPosition => ({...noted, generation, isRestored: true});

const cases: readonly Case[] = [
  ['a first start folds the log', {log: log(0, 0)}, ['log'], 1],
  ['a log without its first message and without a manifest: refused', {log: log(2, 9)}, [], 2, ['entries']],
  ['manifests lost alone: the whole log, in its generation', {noted, log: whole}, ['log'], 2],
  ['manifests lost with the end of the log: its rest', {noted, log: log(1, 60)}, ['log'], 3, ['noted message']],
  ['a log that was cut: both snapshots, then what can be read of them', {newest, noted, log: cut}, both, 2],
  ['a log that has its first message replaces unreadable snapshots', {newest, noted, log: whole}, [...kept, 'log'], 2],
  ['a log not back to the older one', {newest, noted, log: log(52, 120, 'at 100', 'at 100')}, newestAlone, 2],
  ['one snapshot is kept', {newest: onlyOne, noted, log: cut}, newestAlone, 2],
  ['no note says nothing', {newest, log: cut}, both, 2],
  [
    'a log that lost the message of the snapshot: read again, and never instead of a snapshot',
    {newest, noted, log: log(1, 60)},
    both,
    3,
    ['noted message', 'snapshot message'],
  ],
  ['another log, without a note', {newest, log: log(1, 300, 'of others')}, both, 3, ['snapshot message']],
  ['a log that ends before the snapshot', {newest: onlyOne, log: log(0, 0)}, newestAlone, 3, ['snapshot message']],
  ['a log that starts after the snapshot: refused', {newest, log: log(102, 300)}, [], 3, ['entries']],
  ['a log right after the snapshot lacks no entry', {newest, log: log(101, 300)}, newestAlone, 3, ['snapshot message']],
  ['log and manifest went back', {newest, noted: ahead, log: log(51, 110, 'at 100')}, both, 3, ['noted message']],
  [
    'another message where the noted one was',
    {newest, noted: ahead, log: log(51, 130, 'at 100', 'of others')},
    both,
    3,
    ['noted message'],
  ],
  [
    'another machine had the partition since, and cut the log after the noted position: nothing is lost',
    {newest, noted: {...noted, sequence: 20, mark: 'at 20'}, log: log(51, 120, 'at 100')},
    both,
    2,
  ],
  [
    'another machine began a later generation: nothing is lost',
    {newest, noted: {...noted, generation: 1, mark: 'of the log before'}, log: cut},
    both,
    2,
  ],
  [
    'the note is of a later generation than the manifest',
    {newest, noted: {...noted, generation: 4}, log: cut},
    both,
    5,
    [],
  ],
  [
    'a snapshot before another log: whatever that starts with continues it, and does not replace it',
    {newest: atStart(newest), noted: notedAtStart, log: log(40, 60, '', '')},
    ['snapshot 0 of newest', kept[1]!, 'remains 0 of newest', remains[1]!],
    3,
  ],
  [
    'the same where the log has its first message',
    {newest: atStart(onlyOne), log: log(1, 60, '')},
    ['snapshot 0 of newest', 'remains 0 of newest'],
    3,
  ],
  [
    'manifests that were lost after another log had begun: its ordinals were given to other events',
    {noted: notedAtStart, log: log(1, 60, undefined, '')},
    ['log'],
    4,
    [],
  ],
  ['a backup begins a generation, and loses nothing', {newest, noted: restored(2), log: cut}, both, 3],
  ['a backup whose generation a manifest has continues in it', {newest, noted: restored(1), log: cut}, both, 2],
  ['a backup from before the first snapshot begins a generation', {noted: restored(1), log: whole}, ['log'], 2],
];

for (const [name, found, beginnings, generation, losses] of cases)
  test(name, () => {
    const plan = decide({newest: undefined, noted: undefined, values: new Set(), ...found});
    const expected = {beginnings, generation, losses: losses ?? [], hasLostLog: losses !== undefined};
    expect({...plan, beginnings: plan.beginnings.map(nameOf)}).toEqual(expected);
  });

test('the older snapshot is begun with as the newest of its own', () => {
  const [, second] = decide({newest, noted, log: cut, values: new Set()}).beginnings;
  expect(second).toEqual({kind: 'snapshot', manifest: {...newest, ...older, previous: null}});
});

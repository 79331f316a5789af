// What a start does with what it found: every case, without a store.

import {expect, test} from 'vitest';
import {type Manifest, manifestFormat, type PartRef} from '../../../actors/manifest.js';
import type {NotedPosition} from '../../../src/partition/snapshot/position-note.js';
import {type Beginning, decide, type Found, type Loss} from '../../../src/partition/snapshot/recovery-plan.js';
import {noIdentity} from '../../support/snapshot.js';

const part = (key: string): PartRef => ({key, revisions: [1], bytes: 1, valueBytes: 1, crcs: [0]});

const older = {position: {generation: 2, sequence: 50}, mark: 'at 50', asOfMs: 500, index: part('older')};
/** Two snapshots are kept: at 50 and at 100. */
const newest: Manifest = {
  moves: noIdentity.moveCounts,
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

interface Case {
  readonly found: Omit<Found, 'values' | 'newest' | 'noted'> & Partial<Pick<Found, 'newest' | 'noted'>>;
  readonly beginnings: readonly string[];
  readonly generation: number;
  readonly losses?: readonly Loss[];
  readonly hasLostLog?: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'a first start folds the log': {found: {log: log(0, 0)}, beginnings: ['log'], generation: 1},
  'a log without its first message and without a manifest: refused': {
    found: {log: log(2, 9)},
    beginnings: [],
    generation: 2,
    losses: ['entries'],
    hasLostLog: true,
  },
  'manifests lost alone: the whole log, in its generation': {
    found: {noted, log: whole},
    beginnings: ['log'],
    generation: 2,
  },
  'manifests lost with the end of the log: the rest of it, in another generation': {
    found: {noted, log: log(1, 60)},
    beginnings: ['log'],
    generation: 3,
    losses: ['noted message'],
    hasLostLog: true,
  },
  'a log that was cut: both snapshots, then what can be read of them': {
    found: {newest, noted, log: cut},
    beginnings: [...kept, ...remains],
    generation: 2,
  },
  'a log that has its first message replaces snapshots that cannot be read': {
    found: {newest, noted, log: whole},
    beginnings: [...kept, 'log'],
    generation: 2,
  },
  'a log that does not reach back to the older snapshot: the newest alone': {
    found: {newest, noted, log: log(52, 120, 'at 100', 'at 100')},
    beginnings: [kept[0]!, remains[0]!],
    generation: 2,
  },
  'one snapshot is kept': {
    found: {newest: onlyOne, noted, log: cut},
    beginnings: [kept[0]!, remains[0]!],
    generation: 2,
  },
  'no note says nothing': {found: {newest, log: cut}, beginnings: [...kept, ...remains], generation: 2},
  'a log that lost the message of the snapshot: read again, and never instead of a snapshot': {
    found: {newest, noted, log: log(1, 60)},
    beginnings: [...kept, ...remains],
    generation: 3,
    losses: ['noted message', 'snapshot message'],
    hasLostLog: true,
  },
  'another log, without a note': {
    found: {newest, log: log(1, 300, 'of others')},
    beginnings: [...kept, ...remains],
    generation: 3,
    losses: ['snapshot message'],
    hasLostLog: true,
  },
  'a log that ends before the snapshot may start anywhere': {
    found: {newest: onlyOne, log: log(0, 0)},
    beginnings: [kept[0]!, remains[0]!],
    generation: 3,
    losses: ['snapshot message'],
    hasLostLog: true,
  },
  'a log that starts after the snapshot: refused': {
    found: {newest, log: log(102, 300)},
    beginnings: [],
    generation: 3,
    losses: ['entries'],
    hasLostLog: true,
  },
  'a log that starts right after the snapshot lacks its message, and no entry': {
    found: {newest, log: log(101, 300)},
    beginnings: [kept[0]!, remains[0]!],
    generation: 3,
    losses: ['snapshot message'],
    hasLostLog: true,
  },
  'a log and a manifest that went back together: the note tells': {
    found: {newest, noted: ahead, log: log(51, 110, 'at 100')},
    beginnings: [...kept, ...remains],
    generation: 3,
    losses: ['noted message'],
    hasLostLog: true,
  },
  'another message where the noted one was': {
    found: {newest, noted: ahead, log: log(51, 130, 'at 100', 'of others')},
    beginnings: [...kept, ...remains],
    generation: 3,
    losses: ['noted message'],
    hasLostLog: true,
  },
  'another machine had the partition since, and cut the log after the noted position: nothing is lost': {
    found: {newest, noted: {...noted, sequence: 20, mark: 'at 20'}, log: log(51, 120, 'at 100')},
    beginnings: [...kept, ...remains],
    generation: 2,
  },
  'another machine began a later generation: nothing is lost': {
    found: {newest, noted: {...noted, generation: 1, mark: 'of the log before'}, log: cut},
    beginnings: [...kept, ...remains],
    generation: 2,
  },
  'the note is of a later generation than the manifest: its positions were given to other events': {
    found: {newest, noted: {...noted, generation: 4}, log: cut},
    beginnings: [...kept, ...remains],
    generation: 5,
    hasLostLog: true,
  },
  'a snapshot before another log: whatever that starts with continues it, and does not replace it': {
    found: {
      newest: {...newest, position: {generation: 3, sequence: 0}, mark: ''},
      noted: {...noted, generation: 3, sequence: 0, mark: ''},
      log: log(40, 60, '', ''),
    },
    beginnings: ['snapshot 0 of newest', kept[1]!, 'remains 0 of newest', remains[1]!],
    generation: 3,
  },
  'the same where the log has its first message': {
    found: {newest: {...onlyOne, position: {generation: 3, sequence: 0}, mark: ''}, log: log(1, 60, '')},
    beginnings: ['snapshot 0 of newest', 'remains 0 of newest'],
    generation: 3,
  },
  'manifests that were lost after another log had begun: its ordinals were given to other events': {
    found: {noted: {...noted, generation: 3, sequence: 0, mark: ''}, log: log(1, 60, undefined, '')},
    beginnings: ['log'],
    generation: 4,
    hasLostLog: true,
  },
  'a backup begins a generation, and loses nothing': {
    found: {newest, noted: {...noted, isRestored: true}, log: cut},
    beginnings: [...kept, ...remains],
    generation: 3,
  },
  'a backup whose generation a manifest has already continues in it': {
    found: {newest, noted: {...noted, generation: 1, isRestored: true}, log: cut},
    beginnings: [...kept, ...remains],
    generation: 2,
  },
  'a backup from before the first snapshot begins a generation': {
    found: {noted: {...noted, generation: 1, isRestored: true}, log: whole},
    beginnings: ['log'],
    generation: 2,
  },
};

test.each(Object.entries(cases))('%s', (_name, {found, beginnings, generation, losses = [], hasLostLog = false}) => {
  const plan = decide({newest: undefined, noted: undefined, values: new Set(), ...found});
  expect({...plan, beginnings: plan.beginnings.map(nameOf)}).toEqual({beginnings, generation, losses, hasLostLog});
});

test('the older snapshot is begun with as the newest of its own', () => {
  const [, second] = decide({newest, noted, log: cut, values: new Set()}).beginnings;
  expect(second).toEqual({kind: 'snapshot', manifest: {...newest, ...older, previous: null}});
});

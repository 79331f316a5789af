// Keys, definitions and lines that were there and are gone are told from those that never were.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, expect, test} from 'vitest';
import {type FoundRecords, LostRecords, lossOf} from '../../src/edge/lost-records.js';

const noted = {
  names: {keys: ['key_1', 'key_2'], hooks: ['wh_1', 'fn_1']},
  lastLine: 12_000,
  lastMessages: {OUT: 9, DEAD: 4},
};
const whole = {last: 9, areDamaged: false};
const found = (change: Partial<FoundRecords> = {}): FoundRecords => ({
  names: noted.names,
  lines: {first: 2_001, last: 12_000, count: 10_000},
  messages: {OUT: whole, DEAD: {...whole, last: 4}},
  ...change,
});

describe('what a note has and the streams have not', () => {
  test('nothing, while all is there, and when more is', () => {
    expect(lossOf(noted, found())).toBeUndefined();
    const more = {keys: [...noted.names.keys, 'key_3'], hooks: [...noted.names.hooks, 'al_1']};
    expect(lossOf(noted, found({names: more, lines: {first: 2_100, last: 12_099, count: 10_000}}))).toBeUndefined();
  });

  test('a service that never had any lost none', () => {
    const messages = {OUT: {...whole, last: 0}, DEAD: {...whole, last: 0}};
    const none = {names: {keys: [], hooks: []}, lines: {first: 0, last: 0, count: 0}, messages};
    expect(lossOf({names: none.names, lastLine: 0, lastMessages: {OUT: 0, DEAD: 0}}, none)).toBeUndefined();
  });

  test('names that are gone', () => {
    expect(lossOf(noted, found({names: {keys: ['key_2'], hooks: []}}))).toBe(
      '1 keys (KV_keys): key_1; 2 definitions (KV_hooks): wh_1, fn_1',
    );
  });

  test.each([
    [{first: 2_001, last: 11_990, count: 9_990}, '10 lines of the record (RECORD)'],
    [{first: 2_001, last: 12_000, count: 9_998}, '2 lines of the record (RECORD)'],
    [{first: 12_001, last: 12_000, count: 0}, 'all lines of the record (RECORD)'],
    [{first: 0, last: 0, count: 0}, 'all lines of the record (RECORD)'],
  ])('lines: %j', (lines, words) => {
    expect(lossOf(noted, found({lines}))).toBe(words);
  });
});

test('messages to webhooks', () => {
  const of = (out: Partial<typeof whole>, dead: Partial<typeof whole> = {last: 4}): string | undefined =>
    lossOf(noted, found({messages: {OUT: {...whole, ...out}, DEAD: {...whole, ...dead}}}));
  expect(of({last: 12})).toBeUndefined();
  expect(of({last: 0})).toBe('up to 9 messages that waited for webhooks (OUT)');
  expect(of({areDamaged: true})).toBe('messages that waited for webhooks (OUT) that cannot be read');
  expect(of({}, {last: 1})).toBe('up to 3 dead letters (DEAD)');
});

describe('the note', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lost-records-'));
  afterEach(() => rmSync(dataDir, {recursive: true, force: true}));
  const dayMs = 86_400_000;

  const world = (names: FoundRecords['names'], nowMs = 0, deployment = 'one', everStored = names) => {
    const lines: string[] = [];
    const say = (...said: readonly unknown[]): void => void lines.push(String(said[1]));
    const held = {names};
    const opened = LostRecords.open({
      dataDir,
      deployment,
      names: () => held.names,
      everStored: () => everStored,
      lines: async () => ({first: 1, last: 3, count: 3}),
      lastMessages: async () => ({OUT: 0, DEAD: 0}),
      damagedMessages: async () => [],
      unreadable: () => [],
      wallMs: () => nowMs,
      logger: {error: say, warn: say},
    });
    return {opened, lines, held};
  };

  test('a loss is raised for a day, over a restart that has lost nothing more', async () => {
    const first = world({keys: ['key_1'], hooks: []});
    const records = await first.opened;
    first.held.names = {keys: ['key_1'], hooks: ['wh_1']};
    await records.noteChanges();
    expect(records.warnings()).toEqual([]);

    const after = world({keys: ['key_1'], hooks: []});
    const said = 'records are lost: 1 definitions (KV_hooks): wh_1; restore a backup, or create them again';
    expect((await after.opened).warnings()).toEqual([said]);
    expect(after.lines).toEqual([`alarm: ${said}`]);
    expect((await world({keys: ['key_1'], hooks: []}, dayMs - 1).opened).warnings()).toEqual([said]);
    expect((await world({keys: ['key_1'], hooks: []}, dayMs).opened).warnings()).toEqual([]);
  });

  test('a record that was removed elsewhere, or just before the end, is not lost', async () => {
    await world({keys: ['key_1'], hooks: ['al_1', 'wh_1']}).opened;
    const removed = world({keys: ['key_1'], hooks: []}, 0, 'one', {keys: ['key_1'], hooks: ['al_1']});
    expect((await removed.opened).warnings(), 'the bucket has the name of the alert, and no other').toEqual([
      'records are lost: 1 definitions (KV_hooks): wh_1; restore a backup, or create them again',
    ]);
    await world({keys: ['key_1'], hooks: ['al_1']}, dayMs).opened;
    const last = world({keys: ['key_1'], hooks: []}, dayMs, 'one', {keys: ['key_1'], hooks: ['al_1']});
    expect([(await last.opened).warnings(), last.lines]).toEqual([[], []]);
  });

  test('of another deployment, or unreadable, says nothing', async () => {
    await world({keys: ['key_1'], hooks: []}).opened;
    expect((await world({keys: [], hooks: []}, 0, 'two').opened).warnings()).toEqual([]);
    for (const text of ['{', '{"deployment":"one","nbmes":{"keys":[],"hooks":[]},"lastLine":0}']) {
      writeFileSync(join(dataDir, 'positions', 'records.json'), text);
      const torn = world({keys: [], hooks: []});
      expect((await torn.opened).warnings()).toEqual([]);
      expect(torn.lines).toEqual(['the note of keys and definitions cannot be read: no loss is looked for']);
    }
  });
});

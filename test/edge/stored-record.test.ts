// The record on a clock driven by hand, over a store that may be away: what is stored of what is repeated, and what a page shows.
import {expect, test} from 'vitest';
import type {AuditLine} from '../../src/edge/audit.js';
import {pageLines, StoredRecord, waitingMax} from '../../src/edge/stored-record.js';

const hourMs = 3_600_000;

class World {
  readonly stored: AuditLine[] = [];
  readonly warnings: unknown[] = [];
  isAway = false;
  private due: {readonly ms: number; readonly call: () => void}[] = [];
  private ids = 0;
  readonly record = new StoredRecord({
    lines: {
      append: async (_, text) => {
        if (this.isAway) throw new Error('no stream takes it');
        this.stored.push(JSON.parse(text));
      },
      page: async (before = this.stored.length + 1, countMax) => {
        const start = Math.max(1, before - countMax);
        const texts = this.stored.slice(start - 1, before - 1).map((line) => JSON.stringify(line));
        return {texts: texts.reverse(), before: start > 1 ? start : undefined};
      },
    },
    newId: () => `line ${(this.ids += 1)}`,
    later: (ms, call) => this.due.push({ms, call}),
    logger: {warn: (of: unknown) => this.warnings.push(of)} as never,
  });

  /** Runs what waits for this time, and lets promises go on. */
  async pass(ms: number): Promise<void> {
    const now = this.due.filter((one) => one.ms <= ms);
    this.due = this.due.filter((one) => one.ms > ms);
    for (const {call} of now) call();
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  counts(): unknown[] {
    return this.stored.map(({what, subject, count}) => [what, subject, count]);
  }
}

const changed = (atMs: number, subject = 'al_1'): AuditLine => ({atMs, what: 'alert.changed', subject, by: 'key_1'});

test('what is repeated within an hour is stored as the first and the count of the others, who else acts in between or not', async () => {
  const world = new World();
  const {record} = world;
  record.keep(changed(1));
  for (let at = 2; at <= 50; at++) record.keep(changed(at));
  record.keep({atMs: 51, what: 'key.created', subject: 'key_2', by: 'admin'});
  record.keep(changed(52));
  record.keep(changed(53, 'al_2'));
  record.keep({...changed(54), by: 'admin'});
  await world.settle();
  const first = [
    ['alert.changed', 'al_1', undefined],
    ['key.created', 'key_2', undefined],
    ['alert.changed', 'al_2', undefined],
    ['alert.changed', 'al_1', undefined],
  ];
  expect(world.counts()).toEqual(first);
  await world.pass(hourMs);
  expect(world.counts()).toEqual([...first, ['alert.changed', 'al_1', 50]]);
  expect(world.stored.at(-1)!.atMs).toBe(52);
  record.keep(changed(60));
  await world.pass(hourMs);
  await world.pass(hourMs);
  expect(world.counts().slice(5)).toEqual([['alert.changed', 'al_1', 1]]);
  record.keep(changed(70));
  await world.settle();
  expect(world.counts().slice(6)).toEqual([['alert.changed', 'al_1', undefined]]);
});

test('refusals of a kind are counted together; the address of a client with a wrong key is not stored', async () => {
  const world = new World();
  const {record} = world;
  for (let at = 1; at <= 9; at++) {
    record.keep({atMs: at, what: 'key.refused', address: `192.0.2.${at}`, count: at});
    record.keep({atMs: at, what: 'admin.refused', address: `192.0.2.${at}`, count: 1});
  }
  await world.pass(hourMs);
  expect(world.stored).toEqual([
    {atMs: 1, what: 'key.refused', count: 1},
    {atMs: 1, what: 'admin.refused', address: '192.0.2.1', count: 1},
    {atMs: 9, what: 'key.refused', count: 44},
    {atMs: 9, what: 'admin.refused', address: '192.0.2.9', count: 8},
  ]);
});

test('a page is of the stored lines, newest first, with what is held back here; repetitions side by side are one line', async () => {
  const world = new World();
  const {record} = world;
  for (let at = 1; at <= pageLines + 5; at++)
    record.keep({atMs: at, what: 'annotation.created', subject: `an_${at}`, by: 'admin'});
  for (let at = 200; at < 204; at++) record.keep(changed(at));
  const {lines, before} = await record.page(undefined);
  expect(world.stored).toHaveLength(pageLines + 6);
  expect(lines[0]).toEqual({...changed(203), count: 4});
  expect(lines.slice(1).map(({atMs}) => atMs)).toEqual(Array.from({length: pageLines - 1}, (_, at) => 105 - at));
  expect(await record.page(before)).toMatchObject({
    lines: [6, 5, 4, 3, 2, 1].map((atMs) => ({atMs})),
    before: undefined,
  });
});

test('while the store takes nothing lines wait, in their order and bounded; how many were lost is a line', async () => {
  const world = new World();
  const {record} = world;
  world.isAway = true;
  for (let at = 0; at < waitingMax + 7; at++) record.keep({atMs: at, what: 'key.revoked', subject: `key_${at}`});
  await world.pass(1_000);
  await world.pass(1_000);
  expect(world.stored).toEqual([]);
  expect(world.warnings).toEqual([{reason: 'no stream takes it'}]);
  world.isAway = false;
  await world.pass(1_000);
  await record.flush();
  expect(world.stored.slice(0, waitingMax).map(({atMs}) => atMs)).toEqual(
    Array.from({length: waitingMax}, (_, at) => at),
  );
  expect(world.stored.slice(waitingMax)).toEqual([{atMs: waitingMax + 6, what: 'record.lost', count: 7}]);
});

test('a stop stores what is held back', async () => {
  const world = new World();
  const {record} = world;
  for (let at = 1; at <= 3; at++) record.keep(changed(at));
  await record.flush();
  expect(world.stored).toEqual([changed(1), {...changed(3), count: 2}]);
});

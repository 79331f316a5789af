// Who completed saved funnels, folded from complete entries, over snapshots and restarts.
import {expect, test} from 'vitest';
import {type Completion, writeComplete, writeEvent, writeIdentify, writeTick} from '../../../actors/log/entries.js';
import type {Effect} from '../../../actors/partition.js';
import {MemoryShell} from '../../support/memory-shell.js';

const at = Date.UTC(2026, 4, 1);
const funnel = 'fn_0000000000000001';
/** Memory for more users than any test has. */
const roomy = 1_024 * 1_024;

const track = (shell: MemoryShell, ...events: readonly (readonly [userId: string, event: string])[]): Promise<void> =>
  shell.append(
    (writer) => {
      for (const [userId, event] of events) writeEvent(writer, {event, userId, timeMs: at, receivedMs: at});
    },
    undefined,
    events.length,
  );

const complete = (shell: MemoryShell, ...completions: readonly Completion[]): Promise<void> =>
  shell.append(
    (writer) => {
      for (const completion of completions) writeComplete(writer, completion);
    },
    undefined,
    completions.length,
  );

const tick = (shell: MemoryShell): Promise<void> => shell.append((writer) => writeTick(writer, at, 1_000, 1));

const told = (shell: MemoryShell): Effect[] => [...shell.partition.takeEffects()];

async function withUsers(...users: readonly string[]): Promise<MemoryShell> {
  const shell = new MemoryShell();
  await track(shell, ...users.map((user) => [user, 'visit'] as const));
  return shell;
}

test('a snapshot writes the users of a funnel again only when they are others', async () => {
  const shell = await withUsers('a', 'b');
  const other = 'fn_0000000000000002';
  await complete(shell, {stage: 'begin', funnel, users: []}, {stage: 'begin', funnel: other, users: []});
  await complete(shell, {stage: 'now', funnel, users: [0]});
  await tick(shell);
  const {layout} = shell.readable(0);
  const partOf = (id: string) => layout.actors.stored.parts[`completions.${id}`];
  const first = partOf(funnel);
  expect([first?.length, partOf(other)]).toEqual([1, undefined]);
  await complete(shell, {stage: 'now', funnel: other, users: [1]});
  await tick(shell);
  expect(partOf(funnel)).toEqual(first);
  expect(partOf(other)).toMatchObject([{block: 0, part: {bytes: 4}}]);
  expect(layout.actors.stored.values.completions).toEqual([funnel, other].map((id) => [id, true]));
  const restarted = await shell.restarted();
  expect(restarted.partition.completions.has(other, 1)).toBe(true);
  await complete(restarted, {stage: 'removed', funnel: other, users: []});
  await tick(restarted);
  expect(restarted.partition.completions.funnels).toEqual([funnel]);
  const {values, parts} = restarted.readable(0).layout.actors.stored;
  expect(values.completions).toEqual([[funnel, true]]);
  expect([parts[`completions.${funnel}`], parts[`completions.${other}`]]).toEqual([first, undefined]);
});

test('an identify is told once it counts, by the number of its entry', async () => {
  const shell = await withUsers('a');
  await shell.append(
    (writer) => {
      writeIdentify(writer, 'a', '{"plan":"pro"}', at, {messageId: 'm'});
      writeIdentify(writer, 'a', '{"plan":"pro"}', at, {messageId: 'm'});
      writeIdentify(writer, 'new', '{}', at);
    },
    undefined,
    3,
  );
  expect(told(shell)).toEqual([
    {type: 'user.identified', entry: 1, user: 0},
    {type: 'user.identified', entry: 3, user: 1},
  ]);
});

test('a user whose rows are all known is found only with rows of all steps within the window', async () => {
  const shell = await withUsers('old');
  const {partition} = shell;
  const funnels = [
    {steps: ['cart', 'buy'], isDone: () => false},
    {steps: ['cart', 'buy'], windowMs: 60_000, isDone: () => false},
    {steps: ['buy', 'buy'], windowMs: 1_500, isDone: () => false},
  ];
  const watch = partition.events.watchFunnels(funnels, roomy)!;
  const row = (user: string, event: string, ms: number): Promise<void> =>
    shell.append((writer) => writeEvent(writer, {event, userId: user, timeMs: at + ms, receivedMs: at + ms}));
  const found = async (user: string, event: string, ms: number): Promise<number> => {
    await row(user, event, ms);
    return watch.takeUsers()[0]?.[1] ?? 0;
  };
  expect(await found('old', 'buy', 0)).toBe(0b111);
  await row('new', 'visit', 0);
  expect(await found('new', 'buy', 1_000)).toBe(0b100);
  await row('new', 'cart', 5_000);
  expect(await found('new', 'buy', 65_000)).toBe(0b111);
  expect(await found('new', 'buy', 66_000)).toBe(0b101);
  await row('new', 'cart', 10_000);
  expect(await found('new', 'buy', 70_000)).toBe(0b111);
});

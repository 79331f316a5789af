// A partition whose older events have expired, against one that only ever had the others.
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {dayMs} from '../../actors/limits.js';
import {
  nameKey,
  writeErase,
  writeEraseOfKey,
  writeEvent,
  writeIdentify,
  writeRetain,
  writeTick,
} from '../../actors/log/entries.js';
import {KeptParts, MemoryShell} from '../support/memory-shell.js';
import {runs} from '../support/runs.js';

const firstDay = 20_000;
const keptDays = 5;
/** Heavy events close a chunk, which is rewritten or dropped. */
const heavyText = 'x'.repeat(60_000);
const heavyOfBurst = 75;

interface Told {
  readonly what: 'event' | 'burst' | 'identify' | 'tick' | 'erase user' | 'erase name' | 'restart' | 'rewrite';
  readonly user: number;
  /** Age of the event, and the share of its day. */
  readonly daysAgo: number;
  readonly share: number;
  readonly name: number;
}

const weighted = (weight: number, what: Told['what']) => ({weight, arbitrary: fc.constant(what)});
const told: fc.Arbitrary<Told> = fc.record({
  what: fc.oneof(
    weighted(12, 'event'),
    weighted(1, 'burst'),
    weighted(2, 'identify'),
    weighted(6, 'tick'),
    weighted(1, 'erase user'),
    weighted(1, 'erase name'),
    weighted(1, 'restart'),
    weighted(2, 'rewrite'),
  ),
  user: fc.nat(4),
  daysAgo: fc.nat(9),
  share: fc.double({min: 0, max: 0.999, noNaN: true}),
  name: fc.nat(2),
});

/** Folds what is told; events before `fromDay` only if `isRetained`, which also sets and reaches a retention. */
async function play(story: readonly Told[], isRetained: boolean, fromDay = 0): Promise<MemoryShell> {
  let shell = new MemoryShell(undefined, undefined, new KeptParts());
  let today = firstDay;
  const tick = () => shell.append((writer) => writeTick(writer, today * dayMs, dayMs, 1));
  await tick();
  if (isRetained)
    await shell.append((writer) => writeRetain(writer, {days: keptDays, fromDay: firstDay - keptDays - 9}));
  for (const [i, {what, user, daysAgo, share, name}] of story.entries()) {
    const userId = `u${user}`;
    const send = async (timeMs: number, properties: object): Promise<void> => {
      if (timeMs < fromDay * dayMs) return;
      const event = {event: `n${name}`, userId, timeMs, receivedMs: firstDay, properties: {...properties}};
      await shell.append((writer) => writeEvent(writer, event));
    };
    if (what === 'event') await send((today - daysAgo + share) * dayMs, {i});
    else if (what === 'burst')
      for (let n = 0; n < heavyOfBurst; n++)
        await send((today - ((daysAgo * n) / heavyOfBurst) * 2 + share) * dayMs, {i, n, heavyText});
    else if (what === 'identify')
      await shell.append((writer) => writeIdentify(writer, userId, `{"t":${i}}`, today * dayMs));
    else if (what === 'erase user') await shell.append((writer) => writeErase(writer, 'u', userId, `del_0_${i}`, 0));
    else if (what === 'erase name')
      await shell.append((writer) => writeEraseOfKey(writer, nameKey(`n${name}`), `del_0_${i}`, 0));
    else if (what === 'rewrite') await shell.rewriteExpired();
    else {
      today += 1;
      await tick();
      if (what === 'restart') shell = await shell.restarted();
    }
  }
  return shell;
}

async function askable(shell: MemoryShell) {
  const {events, windows} = (await shell.state()) as {events: string[]; windows: {cells: [string, number][]}};
  const {names} = shell.partition.aggregator;
  const cells = windows.cells.map(([key, count]) => {
    const [hour, name] = key.split(' ');
    return `${hour} ${names.text(Number(name))} ${count}`;
  });
  return {
    events: events.map((event) => event.replace(/"id":"[^"]*",?/, '').replace(heavyText, '')).sort(),
    windows: {...windows, cells: cells.sort()},
  };
}

describe('expired events', () => {
  test('leave everything as if they had never been there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, {minLength: 4, maxLength: 30}), async (story) => {
        const expired = await play(story, true);
        const {fromDay} = expired.partition.retention;
        const never = await askable(await play(story, false, fromDay));
        expect(await askable(expired)).toEqual(never);
        await expired.rewriteExpired();
        expect(await askable(expired)).toEqual(never);
        expect(await expired.rewriteExpired()).toBe(0);
        expect(await askable(await expired.restarted())).toEqual(never);
      }),
      {numRuns: runs(8)},
    );
  });

  test('that come late make no row, and are counted', async () => {
    const shell = new MemoryShell();
    const send = (timeMs: number, messageId?: string) =>
      shell.append((writer) => writeEvent(writer, {event: 'n', userId: 'ada', messageId, timeMs, receivedMs: 0}));
    await send(firstDay * dayMs);
    await shell.append((writer) => writeRetain(writer, {days: keptDays, fromDay: firstDay - keptDays}));
    await send((firstDay - keptDays) * dayMs - 1);
    await send((firstDay - keptDays) * dayMs - 1, 'm');
    await send((firstDay - keptDays) * dayMs - 1, 'm');
    await send((firstDay - keptDays) * dayMs);
    expect(shell.partition.events.tally).toMatchObject({counted: 2, expired: 2, duplicate: 1});
    expect(shell.partition.open.count).toBe(2);
    // Another setting takes them again.
    await shell.append((writer) => writeRetain(writer, {days: 0, fromDay: 0}));
    await send(0);
    expect(shell.partition.events.tally).toMatchObject({counted: 3, expired: 2});
  });

  test('take their names along, once no row has them', async () => {
    const shell = new MemoryShell();
    let today = firstDay;
    const tick = () => shell.append((writer) => writeTick(writer, today * dayMs, dayMs, 1));
    const send = (event: string, daysAgo: number) =>
      shell.append((writer) =>
        writeEvent(writer, {event, userId: 'ada', timeMs: (today - daysAgo) * dayMs, receivedMs: 0}),
      );
    await tick();
    await send('old', keptDays);
    await send('new', 0);
    await shell.append((writer) => writeRetain(writer, {days: keptDays, fromDay: firstDay - keptDays}));
    today += 1;
    await tick();
    const {names} = shell.partition.aggregator;
    expect([names.live, shell.partition.open.count]).toEqual([1, 2]);
    // The profile stays, with its times.
    expect(await shell.state()).toMatchObject({
      users: [['uada', {createdMs: (firstDay - keptDays) * dayMs, lastEventMs: firstDay * dayMs}]],
      windows: {members: [`${firstDay} uada`]},
    });
  });

  test('are not deleted again with their user', async () => {
    const shell = new MemoryShell();
    let today = firstDay;
    const tick = () => shell.append((writer) => writeTick(writer, today * dayMs, dayMs, 1));
    await tick();
    // A third of a closed chunk expires: its rows stay for now.
    for (let n = 0; n < heavyOfBurst; n++) {
      const timeMs = (today - (n % 3 === 0 ? keptDays : 0)) * dayMs;
      const properties = {n, heavyText};
      await shell.append((writer) =>
        writeEvent(writer, {event: 'n', userId: 'ada', timeMs, receivedMs: 0, properties}),
      );
    }
    const {count: open} = shell.partition.open;
    expect(open).toBeLessThan(heavyOfBurst / 2);
    await shell.append((writer) => writeRetain(writer, {days: keptDays, fromDay: firstDay - keptDays}));
    today += 1;
    await tick();
    expect(await shell.rewriteExpired()).toBe(0);
    await shell.append((writer) => writeErase(writer, 'u', 'ada', 'del_0_a', 0));
    expect(shell.partition.deletions.get('del_0_a')?.eventsDeleted).toBe((heavyOfBurst * 2) / 3);
    expect(await shell.state()).toMatchObject({events: [], windows: {cells: [], members: []}});
    expect(shell.partition.aggregator.names.live).toBe(0);
  });
});

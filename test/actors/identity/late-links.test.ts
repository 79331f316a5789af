// Links that come with late copies of what was erased: they are taken back, unless they have an effect by then.
import {expect, test} from 'vitest';
import {writeErase, writeEvent, writeIdentify, writeLeave, writeLink, writeTick} from '../../../actors/log/entries.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

class World {
  shell = new MemoryShell();

  get partition() {
    return this.shell.partition;
  }

  get lateLinks() {
    return [...this.partition.identity.lateLinks.values()];
  }

  event(ids: {userId?: string; anonymousId?: string}, messageId?: string): Promise<void> {
    return this.shell.append((w) => writeEvent(w, {event: 'x', ...ids, messageId, timeMs: day, receivedMs: day}));
  }

  /** An event with both ids, as the edge appends it. */
  async both(userId: string, anonymousId: string, messageId?: string): Promise<void> {
    await this.event({userId, anonymousId}, messageId);
    await this.link(userId, anonymousId);
  }

  link(userId: string, anonymousId: string, isTakenBack = false): Promise<void> {
    return this.shell.append((w) => writeLink(w, anonymousId, userId, day, isTakenBack));
  }

  async ticked(): Promise<void> {
    await this.shell.append((w) => writeTick(w, day, 1_000, 1));
    this.shell = await this.shell.restarted();
  }

  get linked(): [devices: number, owners: number] {
    return [this.partition.links.count, this.partition.links.owners.live];
  }
}

/** `ann` and what was linked to it are deleted. */
async function deleted(): Promise<World> {
  const world = new World();
  await world.both('ann', 'd', 'm');
  await world.shell.append((w) => writeIdentify(w, 'ann', '{}', day, {messageId: 'i', anonymousId: 'e'}));
  await world.link('ann', 'e');
  await world.shell.append((w) => writeErase(w, 'u', 'ann', 'del', day));
  return world;
}

test('a late copy with both ids is noted with its link, also across a start; another event is not', async () => {
  const world = await deleted();
  await world.both('ann', 'd', 'm');
  await world.shell.append((w) => writeIdentify(w, 'ann', '{}', day, {messageId: 'i', anonymousId: 'e'}));
  const noted = [
    {userId: 'ann', anonymousId: 'd'},
    {userId: 'ann', anonymousId: 'e'},
  ];
  expect(world.lateLinks).toEqual(noted);
  await world.ticked();
  expect(world.lateLinks).toEqual(noted);
});

test('a late copy of a user who is there again leaves the link to that user', async () => {
  const world = await deleted();
  await world.event({userId: 'ann'});
  await world.both('ann', 'd', 'm');
  expect(world.lateLinks).toEqual([]);
});

test('a link that is taken back leaves nothing in the state, and what the device sent stays its own', async () => {
  const world = await deleted();
  await world.event({anonymousId: 'd'}, 'own');
  await world.both('ann', 'd', 'm');
  expect([world.linked, world.partition.moves.candidates.size]).toEqual([[1, 1], 1]);
  await world.link('ann', 'd', true);
  expect([world.linked, world.partition.moves.candidates.size]).toEqual([[0, 0], 0]);
  expect(world.partition.deletions.hasErasedInLog).toBe(true);
  await world.ticked();
  expect(world.linked).toEqual([0, 0]);
  await world.both('bob', 'd');
  expect([world.linked, world.partition.moves.candidates.size]).toEqual([[1, 1], 1]);
});

test('of several devices the others stay, whichever is taken back', async () => {
  for (const [taken, left] of [
    ['a', ['c', 'b']],
    ['b', ['c', 'a']],
    ['c', ['b', 'a']],
  ] as const) {
    const world = new World();
    for (const device of ['a', 'b', 'c']) await world.link('ann', device);
    await world.link('ann', taken, true);
    await world.ticked();
    const {links} = world.partition;
    const owner = new TextEncoder().encode('uann');
    expect(links.devicesOf(owner, 0, owner.length).map((device) => links.devices.text(device).slice(1))).toEqual(left);
  }
});

test('a device that left by the link, or is another user’s, or shared, stays what it is', async () => {
  const world = new World();
  await world.event({anonymousId: 'd'});
  await world.link('ann', 'd');
  await world.shell.append((w) => writeLeave(w, [{user: 0, isTooLarge: false}]));
  await world.link('ann', 'd', true);
  expect(world.linked).toEqual([1, 1]);
  await world.link('bob', 'd');
  await world.link('bob', 'd', true);
  const {links} = world.partition;
  expect([world.linked, links.isShared(0)]).toEqual([[1, 1], true]);
});

// What the owner of a user's partition does about links that came with late copies (src/partition/erasure/late-copies.ts).
import {expect, test} from 'vitest';
import type {LateLink} from '../../../actors/identity/identity.js';
import {writeErase, writeEvent, writeLink} from '../../../actors/log/entries.js';
import {LateCopies} from '../../../src/partition/erasure/late-copies.js';
import {MemoryShell} from '../../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);

class World {
  readonly shell = new MemoryShell();
  readonly done: string[] = [];
  /** Called when edges are told of a link that was taken back. */
  onForget: () => Promise<void> = async () => undefined;
  private readonly copies = new LateCopies({
    partition: this.shell.partition,
    scrub: {isRunning: false, request: () => undefined} as never,
    logOf: () =>
      ({takeBack: (link: LateLink) => this.link(link, true), link: (one: LateLink) => this.link(one)}) as never,
    periodMs: () => 1,
    forgetLinks: () => {
      this.done.push('forget');
      void this.onForget();
    },
    isLive: () => true,
    onFatal: (error) => {
      throw error;
    },
  });

  /** An event with both ids. */
  event(messageId: string): Promise<void> {
    const ids = {userId: 'ann', anonymousId: 'd', messageId};
    return this.shell.append((w) => writeEvent(w, {event: 'x', ...ids, timeMs: day, receivedMs: day}));
  }

  async link({userId, anonymousId}: LateLink, isTakenBack = false): Promise<number> {
    this.done.push(isTakenBack ? 'take back' : 'link');
    await this.shell.append((w) => writeLink(w, anonymousId, userId, day, isTakenBack));
    return 0;
  }

  /** `ann` is deleted, and a copy of its event comes with a link. */
  async copied(): Promise<void> {
    await this.event('m');
    await this.shell.append((w) => writeErase(w, 'u', 'ann', 'del', day));
    await this.copy();
  }

  async copy(): Promise<void> {
    await this.event('m');
    await this.link({userId: 'ann', anonymousId: 'd'});
    this.done.length = 0;
  }

  async settled(): Promise<void> {
    this.copies.cleanSoon();
    await this.copies.idle();
    this.copies.stop();
  }

  get left(): [links: number, noted: number] {
    const {links, lateLinks} = this.shell.partition.identity;
    return [links.count, lateLinks.size];
  }
}

test('the link of a late copy is taken back', async () => {
  const world = new World();
  await world.copied();
  await world.settled();
  expect([world.done, world.left]).toEqual([
    ['take back', 'forget'],
    [0, 0],
  ]);
});

test('a user who is there again keeps it', async () => {
  const world = new World();
  await world.copied();
  await world.event('new');
  await world.settled();
  expect([world.done, world.left]).toEqual([[], [1, 0]]);
});

test('a user who comes before edges have heard that it was taken back gets it again', async () => {
  const world = new World();
  await world.copied();
  world.onForget = () => world.event('new');
  await world.settled();
  expect([world.done, world.left]).toEqual([
    ['take back', 'forget', 'link'],
    [1, 0],
  ]);
});

test('a copy that comes meanwhile has its link taken back as well', async () => {
  const world = new World();
  await world.copied();
  world.onForget = () => world.copy();
  await world.settled();
  expect(world.left).toEqual([1, 1]);
  world.onForget = async () => undefined;
  await world.settled();
  expect(world.left).toEqual([0, 0]);
});

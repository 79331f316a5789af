// Who is whose, against a map: the first link decides, a second owner makes a device shared, an owner is forgotten whole.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Links} from '../../../actors/identity/links.js';
import {runs} from '../../support/runs.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

type Step = {kind: 'link'; device: number; owner: number} | {kind: 'forget'; owner: number} | {kind: 'restart'};

const nobody = 'nobody';

function ownerText(links: Links, device: number): string {
  const owner = links.ownerOf(device);
  return links.owners.has(owner) ? links.owners.text(owner) : nobody;
}

const some = fc.integer({min: 0, max: 6});
const step: fc.Arbitrary<Step> = fc.oneof(
  {weight: 8, arbitrary: fc.record({kind: fc.constant('link' as const), device: some, owner: some})},
  {weight: 1, arbitrary: fc.record({kind: fc.constant('forget' as const), owner: some})},
  {weight: 1, arbitrary: fc.record({kind: fc.constant('restart' as const)})},
);

/** What snapshots have put so far, by block. */
class Stored {
  private readonly devices = new Map<number, Uint8Array>();
  private readonly owners = new Map<number, Uint8Array>();
  private readonly blocks = new Map<number, Uint8Array>();

  restarted(links: Links): Links {
    const {devices, owners, linkBlocks} = links.freeze();
    for (const [block, payload] of devices.blocks) this.devices.set(block, payload);
    for (const [block, payload] of owners.blocks) this.owners.set(block, payload);
    for (const [block, payload] of linkBlocks) this.blocks.set(block, payload);
    const next = new Links();
    for (const payload of this.devices.values()) next.devices.restoreBlock(payload);
    for (const payload of this.owners.values()) next.owners.restoreBlock(payload);
    for (const [block, payload] of this.blocks) next.restoreBlock(block, payload);
    return next;
  }
}

test('says what a map says, also after a start', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 60}), (steps) => {
      let links = new Links();
      const stored = new Stored();
      const model = new Map<string, {owner: string; isShared: boolean}>();
      for (const one of steps) {
        if (one.kind === 'restart') {
          links = stored.restarted(links);
          continue;
        }
        const owner = `u${one.owner}`;
        if (one.kind === 'forget') {
          links.forgetOwner(bytes(owner), 0, owner.length);
          for (const [device, held] of model) {
            if (held.owner !== owner) continue;
            if (held.isShared) model.set(device, {owner: nobody, isShared: true});
            else model.delete(device);
          }
          continue;
        }
        const device = `a${one.device}`;
        const both = bytes(device + owner);
        const {linked} = links.link(both, {start: 0, end: device.length}, {start: device.length, end: both.length});
        const held = model.get(device);
        const isOther = held !== undefined && !held.isShared && held.owner !== owner;
        expect(linked).toBe(held === undefined ? 'new' : isOther ? 'shared' : 'known');
        model.set(device, {owner: held?.owner ?? owner, isShared: (held?.isShared ?? false) || isOther});
      }
      expect(links.count).toBe(model.size);
      for (let i = 0; i <= 6; i++) {
        const device = links.find(bytes(`a${i}`), 0, 2);
        const found =
          device === undefined ? undefined : {owner: ownerText(links, device), isShared: links.isShared(device)};
        expect(found).toEqual(model.get(`a${i}`));
        const ofOwner = links.devicesOf(bytes(`u${i}`), 0, 2).map((each) => links.devices.text(each));
        expect(ofOwner.sort()).toEqual(
          [...model]
            .filter(([, held]) => held.owner === `u${i}`)
            .map(([key]) => key)
            .sort(),
        );
      }
    }),
    {numRuns: runs(300)},
  );
});

test('knows who named a device of another user, also after a start, until it is forgotten', () => {
  let links = new Links();
  const stored = new Stored();
  const link = (owner: string) => links.link(bytes(`ax${owner}`), {start: 0, end: 2}, {start: 2, end: 4}).linked;
  const knows = (owner: string) => links.knowsOwner(bytes(owner), 0, 2);
  expect(knows('u1')).toBe(false);
  expect(['u1', 'u2', 'u3', 'u2'].map(link)).toEqual(['new', 'shared', 'known', 'known']);
  links = stored.restarted(links);
  expect([...['u1', 'u2', 'u3', 'u4'].map(knows), links.devicesOf(bytes('u3'), 0, 2)]).toEqual([
    true,
    true,
    true,
    false,
    [],
  ]);
  links.forgetOwner(bytes('u2'), 0, 2);
  expect(['u1', 'u2', 'u3'].map(knows)).toEqual([true, false, true]);
});

test('lists the newest devices first', () => {
  const links = new Links();
  for (const device of ['ax', 'ay', 'az']) links.link(bytes(`${device}u1`), {start: 0, end: 2}, {start: 2, end: 4});
  expect(links.devicesOf(bytes('u1'), 0, 2).map((device) => links.devices.text(device))).toEqual(['az', 'ay', 'ax']);
});

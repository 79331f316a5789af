// Who is whose, against a map: the first link decides, a second owner makes a device shared, an owner is forgotten whole.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Links} from '../../../actors/identity/links.js';
import {KeptState} from '../../support/kept-state.js';
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

async function restarted(links: Links, kept: KeptState): Promise<Links> {
  await kept.snapshot(links);
  return kept.restored(new Links());
}

/** Links a device to its owner. */
function linked(links: Links, device: string, owner: string) {
  const both = bytes(device + owner);
  return links.apply({
    ...{bytes: both, keyStart: 0, keyEnd: device.length},
    ...{textStart: device.length, textEnd: both.length},
  });
}

test('says what a map says, also after a start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 60}), async (steps) => {
      let links = new Links();
      const kept = new KeptState();
      const model = new Map<string, {owner: string; isShared: boolean}>();
      for (const one of steps) {
        if (one.kind === 'restart') {
          links = await restarted(links, kept);
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
        const outcome = linked(links, device, owner);
        const held = model.get(device);
        const isOther = held !== undefined && !held.isShared && held.owner !== owner;
        expect(outcome).toBe(held === undefined ? 'new' : isOther ? 'shared' : 'known');
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

test('knows who named a device of another user, also after a start, until it is forgotten', async () => {
  let links = new Links();
  const kept = new KeptState();
  const link = (owner: string) => linked(links, 'ax', owner);
  const knows = (owner: string) => links.knowsOwner(bytes(owner), 0, 2);
  expect(knows('u1')).toBe(false);
  expect(['u1', 'u2', 'u3', 'u2'].map(link)).toEqual(['new', 'shared', 'known', 'known']);
  links = await restarted(links, kept);
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
  for (const device of ['ax', 'ay', 'az']) linked(links, device, 'u1');
  expect(links.devicesOf(bytes('u1'), 0, 2).map((device) => links.devices.text(device))).toEqual(['az', 'ay', 'ax']);
});

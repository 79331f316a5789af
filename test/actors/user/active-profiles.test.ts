// Profiles in memory, beside a model that keeps all of them as text.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ActiveProfiles} from '../../../actors/user/active-profiles.js';
import {Profile} from '../../../actors/user/profile.js';
import type {Traits} from '../../../actors/user/user-records.js';
import {runs} from '../../support/runs.js';

type Step =
  | {kind: 'identify'; user: number; traitsJson: string}
  | {kind: 'erase'; user: number}
  | {kind: 'freeze'}
  | {kind: 'snapshot done'}
  | {kind: 'passivate'; bytesMax: number}
  | {kind: 'next piece'};

const none: Traits = {json: '{}', setMs: [], isSecret: [], overLimit: 0};
const time = {timeMs: 5, isTimed: false, isSecret: false};

const user = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('identify' as const),
      user,
      traitsJson: fc
        .dictionary(fc.constantFrom('a', '1', 'b'), fc.nat(), {maxKeys: 2})
        .map((all) => JSON.stringify(all)),
    }),
  },
  {weight: 1, arbitrary: fc.record({kind: fc.constant('erase' as const), user})},
  {weight: 2, arbitrary: fc.constant({kind: 'freeze' as const})},
  {weight: 2, arbitrary: fc.constant({kind: 'snapshot done' as const})},
  {weight: 2, arbitrary: fc.record({kind: fc.constant('passivate' as const), bytesMax: fc.constantFrom(0, 600)})},
  {weight: 2, arbitrary: fc.constant({kind: 'next piece' as const})},
);

/** The partition's part: profiles come back out of what was printed. */
class World {
  readonly profiles = new ActiveProfiles();
  private readonly parts = new Map<number, Traits>();
  /** As each profile is; and as those that were changed since the last snapshot were when it began. */
  private readonly now = new Map<number, Traits>();
  private changed = new Set<number>();
  private delta: {frozen: ReadonlyMap<number, Profile>; expected: Map<number, Traits>} | undefined;
  private passivating: Generator<undefined> | undefined;

  run(one: Step): void {
    switch (one.kind) {
      case 'identify':
        this.identify(one.user, one.traitsJson);
        return;
      case 'erase':
        this.erase(one.user);
        return;
      case 'freeze':
        this.delta ??= {frozen: this.profiles.freeze(), expected: this.takeChanged()};
        return;
      case 'snapshot done':
        this.snapshotDone();
        return;
      case 'passivate':
        this.passivating = this.profiles.passivate(one.bytesMax);
        return;
      case 'next piece':
        this.passivating?.next();
    }
  }

  private identify(userId: number, traitsJson: string): void {
    if (this.profiles.get(userId) === undefined)
      this.profiles.activate(userId, Profile.restore(this.parts.get(userId) ?? none));
    this.profiles.apply(userId, traitsJson, time);
    const model = Profile.restore(this.now.get(userId) ?? none);
    model.apply(traitsJson, time);
    this.now.set(userId, model.serialized());
    this.changed.add(userId);
  }

  private erase(userId: number): void {
    if (this.delta !== undefined) return;
    this.profiles.forget(userId);
    for (const known of [this.now, this.parts, this.changed]) known.delete(userId);
  }

  private takeChanged(): Map<number, Traits> {
    const taken = new Map([...this.changed].map((userId) => [userId, this.now.get(userId)!]));
    this.changed = new Set();
    return taken;
  }

  private snapshotDone(): void {
    if (this.delta === undefined) return;
    const printed = new Map([...this.delta.frozen].map(([userId, profile]) => [userId, profile.serialized()]));
    expect(printed).toEqual(this.delta.expected);
    for (const [userId, traits] of printed) this.parts.set(userId, traits);
    this.profiles.snapshotDone();
    this.delta = undefined;
  }

  expectWhole(): void {
    let bytes = 0;
    for (const [userId, traits] of this.now) {
      const active = this.profiles.get(userId);
      bytes += active?.byteLength ?? 0;
      expect(active?.serialized() ?? this.parts.get(userId)).toEqual(traits);
    }
    expect(this.profiles.bytes).toBe(bytes);
  }
}

test('a freeze has each profile as it was, and none is lost, whatever comes until it is serialised (AP1, AP2)', () => {
  fc.assert(
    fc.property(fc.array(step, {maxLength: 60}), (steps) => {
      const world = new World();
      for (const one of steps) {
        world.run(one);
        world.expectWhole();
      }
      world.run({kind: 'snapshot done'});
    }),
    {numRuns: runs(300)},
  );
});

test('memory is freed in pieces, the longest unused first', () => {
  const profiles = new ActiveProfiles();
  for (let i = 0; i < 5_000; i++) profiles.apply(...activated(profiles, i));
  profiles.freeze();
  expect([...profiles.passivate(0)]).toHaveLength(5);
  expect(profiles.size).toBe(5_000); // AP2
  profiles.snapshotDone();
  const pieces = profiles.passivate(1_000 * profiles.get(0)!.byteLength);
  pieces.next();
  expect([profiles.size, profiles.get(0)]).toEqual([4_000 + 96, undefined]);
  profiles.apply(2_000, '{"a":2}', time);
  expect([...pieces].length).toBeGreaterThanOrEqual(3);
  expect(profiles.size).toBe(1_000);
  expect(profiles.get(2_000)?.json()).toBe('{"a":2}');
  expect([profiles.get(4_000), profiles.get(4_001) === undefined]).toEqual([undefined, false]);
});

function activated(profiles: ActiveProfiles, userId: number): [number, string, typeof time] {
  profiles.activate(userId, new Profile());
  return [userId, '{"a":1}', time];
}

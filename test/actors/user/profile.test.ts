// Traits in memory and as they are stored: the same, in the same order.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {membersOf} from '../../../actors/user/json-members.js';
import {type IdentifyOrigin, Profile} from '../../../actors/user/profile.js';
import {runs} from '../../support/runs.js';

const names = fc.oneof(
  fc.constantFrom(...'b a 1 0 10 -1 01 4294967295 " \\ { } , é'.split(' '), 'a":1,"b', '\ud800'),
  fc.string({unit: 'binary', maxLength: 4}),
);
const traits = fc
  .array(fc.tuple(names, fc.jsonValue()), {maxLength: 4})
  .map((members) => JSON.stringify(Object.fromEntries(members.filter(([name]) => name !== '__proto__'))));

interface Identify extends IdentifyOrigin {
  readonly traitsJson: string;
}

const inLogOrder = (all: readonly string[]): Identify[] =>
  all.map((traitsJson, at) => ({traitsJson, timeMs: at, isTimed: false, isSecret: false}));

/** `isRestored`: by entry, whether memory was freed before it. */
function profileOf(identifies: readonly Identify[], isRestored: (at: number) => boolean = () => false): Profile {
  let profile = new Profile();
  identifies.forEach(({traitsJson, ...origin}, at) => {
    if (isRestored(at)) profile = Profile.restore(profile.serialized());
    profile.apply(traitsJson, origin);
  });
  return profile;
}

test('a name that looks like an integer stays where it was first set (T3)', () => {
  const profile = profileOf(inLogOrder(['{"b":1}', '{"1":2}', '{"a":{"2":[],"1":"},"}}', '{"b":3}']), () => true);
  expect(profile.json()).toBe('{"b":3,"1":2,"a":{"1":"},","2":[]}}');
  expect(Profile.restore(profile.serialized()).json()).toBe(profile.json());
});

test('memory that is freed at any time changes nothing (T3)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({traitsJson: traits, timeMs: fc.nat(3), isTimed: fc.boolean(), isSecret: fc.boolean()}), {
        maxLength: 6,
      }),
      fc.array(fc.boolean(), {minLength: 6, maxLength: 6}),
      (all, freed) => {
        const kept = profileOf(all);
        const restored = profileOf(all, (at) => freed[at]!);
        expect(restored.serialized()).toEqual(kept.serialized());
        expect(restored.byteLength).toBe(kept.byteLength);
      },
    ),
    {numRuns: runs(500)},
  );
});

test('what a full profile left out stays counted when it is restored (T2)', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({length: 300}, (_, i) => [`t${i}`, i])));
  const kept = profileOf(inLogOrder([many, '{"1":2}']));
  expect(kept.overLimit).toBe(45);
  expect(profileOf(inLogOrder([many, '{"1":2}']), () => true)).toEqual(kept);
});

const timed = fc.uniqueArray(
  fc.record({
    traitsJson: fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(9), {maxKeys: 3})
      .map((all) => JSON.stringify(all)),
    timeMs: fc.nat(1_000),
    isTimed: fc.constant(true),
    isSecret: fc.boolean(),
  }),
  {maxLength: 6, selector: ({timeMs}) => timeMs},
);

test('in any order of arrival a trait has its newest set, and without one the earliest of its set-onces (T6)', () => {
  const setOrOnce = timed.map((all) => all.map((one) => (one.timeMs % 2 === 0 ? one : {...one, timeMs: -one.timeMs})));
  fc.assert(
    fc.property(
      setOrOnce.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, {minLength: all.length}))),
      ([all, arrived]) => {
        const sets = all.filter(({timeMs}) => timeMs >= 0).toSorted((a, b) => a.timeMs - b.timeMs);
        const onces = all.filter(({timeMs}) => timeMs < 0).toSorted((a, b) => a.timeMs - b.timeMs); // The latest first.
        const expected = Object.assign({}, ...[...onces, ...sets].map(({traitsJson}) => JSON.parse(traitsJson)));
        const profile = profileOf(arrived);
        expect(JSON.parse(profile.json())).toEqual(expected);
        expect(Profile.restore(profile.serialized()).serialized()).toEqual(profile.serialized());
      },
    ),
  );
});

const at = (timeMs: number, traitsJson: string, isTimed = true): Identify => ({
  traitsJson,
  timeMs,
  isTimed,
  isSecret: false,
});

test('an older identify sets only what no newer one has set, and of equal times the last one sets (T4)', () => {
  const profile = profileOf([at(10, '{"plan":"pro"}'), at(5, '{"plan":"free","city":"Ulm"}')]);
  expect(profile.json()).toBe('{"plan":"pro","city":"Ulm"}');
  expect(profileOf([at(5, '{"a":1}'), at(5, '{"a":2}')]).json()).toBe('{"a":2}');
});

test('one without a time sets in the order of the log, and what it set is of its receipt (T5)', () => {
  expect(profileOf([at(10, '{"a":1}'), at(8, '{"a":2}', false)]).json()).toBe('{"a":2}');
  expect(profileOf([at(10, '{"a":1}'), at(8, '{"a":2}', false), at(9, '{"a":3}')]).json()).toBe('{"a":3}');
  expect(profileOf([at(10, '{"a":1}'), at(8, '{"a":2}', false), at(7, '{"a":3}')]).json()).toBe('{"a":2}');
});

test('what a full profile has left out of an older identify is counted, what a newer one has set is not (T2)', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({length: 256}, (_, i) => [`t${i}`, i])));
  expect(profileOf([at(10, many), at(5, '{"t0":"old","further":1}')])).toMatchObject({overLimit: 1});
});

/** Traits in the order of an identify call; `secret`: it came with a secret key. */
const set = (traits: object, key: 'secret' | 'public'): Identify => ({
  traitsJson: JSON.stringify(traits),
  timeMs: 1,
  isTimed: false,
  isSecret: key === 'secret',
});
const junkOf = (count: number, value: unknown = 0): object =>
  Object.fromEntries(Array.from({length: count}, (_, i) => [`junk ${i}`, value]));
const namesIn = (profile: Profile): string[] => Object.keys(JSON.parse(profile.json()));

test('junk of a public key makes room for the traits of a secret key, the newest first, and is counted (T2)', () => {
  for (const isRestored of [() => false, () => true]) {
    const profile = profileOf(
      [set({first: 1}, 'public'), set(junkOf(300), 'public'), set({email: 'a@b.example', plan: 'pro'}, 'secret')],
      isRestored,
    );
    expect(namesIn(profile)).toEqual(['first', ...Object.keys(junkOf(253)), 'email', 'plan']);
    expect(profile.overLimit).toBe(45 + 2);
  }
});

test('few large traits of a public key make room, too; what a secret key sets again grows at their cost (T2)', () => {
  const profile = profileOf([
    set({plan: 'free', ...junkOf(3, 'x'.repeat(21_000))}, 'public'),
    set({plan: 'p'.repeat(30_000)}, 'secret'),
  ]);
  expect(namesIn(profile)).toEqual(['plan', 'junk 0']);
  expect(profile.overLimit).toBe(2);
});

test('traits of a secret key make no room, neither for public ones nor for others of their kind (T2)', () => {
  const full = [set({seen: 1}, 'public'), set(junkOf(255), 'secret')];
  const profile = profileOf([...full, set({more: 1}, 'public'), set({large: 'x'.repeat(70_000)}, 'secret')]);
  expect(namesIn(profile), 'what cannot fit costs nobody a trait').toEqual(['seen', ...Object.keys(junkOf(255))]);
  expect(profile.overLimit).toBe(2);
  profile.apply('{"a":1,"b":2}', set({}, 'secret'));
  expect(namesIn(profile)).toEqual([...Object.keys(junkOf(255)), 'a']);
  expect(profile.overLimit).toBe(4);
});

test('a trait is of the key that set it last (T2)', () => {
  const taken = [set({plan: 'pro'}, 'secret'), set({plan: 'none', ...junkOf(255)}, 'public')];
  const profile = profileOf([...taken, set(Object.fromEntries(Array.from({length: 256}, (_, i) => [i, i])), 'secret')]);
  expect(namesIn(profile)).toHaveLength(256);
  expect(namesIn(profile)).not.toContain('plan');
});

test('members are what was printed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.jsonValue())), (members) => {
      const printed = members.map(([name, value]) => [name, JSON.stringify(value)] as const);
      const text = '{' + printed.map(([name, valueJson]) => JSON.stringify(name) + ':' + valueJson).join(',') + '}';
      expect([...membersOf(text)]).toEqual(printed);
    }),
    {numRuns: runs(500)},
  );
});

test.each(['', '1', '[]', '{', '{"a":1', '{"a":[1}', '{ "a":1}', '{"a}'])(
  '%j is no printed object (json-members.ts JM1)',
  (text) => {
    expect(() => [...membersOf(text)]).toThrow(/JM1/);
  },
);

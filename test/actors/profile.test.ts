// Traits in memory and as they are stored: the same, in the same order.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {membersOf} from '../../actors/json-members.js';
import {Profile} from '../../actors/profile.js';

const names = fc.oneof(
  fc.constantFrom(
    'b',
    'a',
    '1',
    '0',
    '10',
    '-1',
    '01',
    '4294967295',
    '"',
    '\\',
    'a":1,"b',
    '{',
    '}',
    ',',
    'é',
    '\ud800',
  ),
  fc.string({unit: 'binary', maxLength: 4}),
);
const traits = fc
  .array(fc.tuple(names, fc.jsonValue()), {maxLength: 4})
  .map((members) => JSON.stringify(Object.fromEntries(members.filter(([name]) => name !== '__proto__'))));

/** `isRestored`: by entry, whether memory was freed before it. */
function profileOf(identifies: readonly string[], isRestored: (at: number) => boolean): Profile {
  let profile = new Profile();
  identifies.forEach((traitsJson, at) => {
    if (isRestored(at)) profile = Profile.restore(profile.json(), profile.overLimit);
    profile.apply(traitsJson);
  });
  return profile;
}

test('a name that looks like an integer stays where it was first set (T3)', () => {
  const profile = profileOf(['{"b":1}', '{"1":2}', '{"a":{"2":[],"1":"},"}}', '{"b":3}'], () => true);
  expect(profile.json()).toBe('{"b":3,"1":2,"a":{"1":"},","2":[]}}');
  expect(Profile.restore(profile.json(), 0).json()).toBe(profile.json());
});

test('memory that is freed at any time changes nothing (T3)', () => {
  fc.assert(
    fc.property(
      fc.array(traits, {maxLength: 6}),
      fc.array(fc.boolean(), {minLength: 6, maxLength: 6}),
      (all, freed) => {
        const kept = profileOf(all, () => false);
        const restored = profileOf(all, (at) => freed[at]!);
        expect(restored.json()).toBe(kept.json());
        expect(restored.byteLength).toBe(kept.byteLength);
      },
    ),
    {numRuns: 500},
  );
});

test('what a full profile left out stays counted when it is restored (T2)', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({length: 300}, (_, i) => [`t${i}`, i])));
  const kept = profileOf([many, '{"1":2}'], () => false);
  expect(kept.overLimit).toBe(45);
  expect(profileOf([many, '{"1":2}'], () => true)).toEqual(kept);
});

test('members are what was printed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.jsonValue())), (members) => {
      const printed = members.map(([name, value]) => [name, JSON.stringify(value)] as const);
      const text = '{' + printed.map(([name, valueJson]) => JSON.stringify(name) + ':' + valueJson).join(',') + '}';
      expect([...membersOf(text)]).toEqual(printed);
    }),
    {numRuns: 500},
  );
});

test.each(['', '1', '[]', '{', '{"a":1', '{"a":[1}', '{ "a":1}', '{"a}'])(
  '%j is no printed object (json-members.ts JM1)',
  (text) => {
    expect(() => [...membersOf(text)]).toThrow(/JM1/);
  },
);

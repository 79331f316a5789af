// Who should own which partition.
import {expect, test} from 'vitest';
import {assign} from '../../../actors/cluster/assignment.js';
import {Random} from '../../../tools/random.js';

const countsOf = (members: readonly string[], assigned: readonly (string | undefined)[]): number[] =>
  members.map((member) => assigned.filter((each) => each === member).length);

const membersOf = (chance: Random, most: number): string[] =>
  Array.from({length: chance.between(1, most)}, (_, i) => `m${i}-${chance.between(0, 999)}`);

/** Owners at random: members, nobody, and one who is no member. */
const ownersOf = (chance: Random, members: readonly string[], count: number): (string | undefined)[] =>
  Array.from({length: count}, () => chance.pick([...members, undefined, 'gone']));

test('shares differ by one at most, and depend on neither the order of the members nor who asks', () => {
  const chance = new Random(1);
  for (let round = 0; round < 500; round++) {
    const members = membersOf(chance, 7);
    const owners = ownersOf(chance, members, chance.between(1, 40));
    const assigned = assign(members, owners);
    const counts = countsOf(members, assigned);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(assigned).not.toContain(undefined);
    expect(assign([...members].reverse(), owners)).toEqual(assigned);
  }
});

test('no more partitions leave their owner than its share demands', () => {
  const chance = new Random(2);
  for (let round = 0; round < 500; round++) {
    const members = membersOf(chance, 7);
    const owners = ownersOf(chance, members, chance.between(1, 40));
    const assigned = assign(members, owners);
    const ceiling = Math.ceil(owners.length / members.length);
    const floor = Math.floor(owners.length / members.length);
    for (const member of members) {
      const had = owners.filter((owner) => owner === member).length;
      const stayed = owners.filter((owner, p) => owner === member && assigned[p] === member).length;
      expect(stayed).toBeGreaterThanOrEqual(Math.min(had, floor));
      expect(stayed).toBeLessThanOrEqual(ceiling);
    }
  }
});

test('moves that are made one by one are as many as the first look promised, whatever the order', () => {
  const chance = new Random(3);
  for (let round = 0; round < 200; round++) {
    const members = membersOf(chance, 6);
    const owners = ownersOf(chance, members, 16).map((owner) => owner ?? members[0]!);
    const due = (): number[] => {
      const assigned = assign(members, owners);
      return [...owners.keys()].filter((p) => assigned[p] !== owners[p]);
    };
    const promised = due().length;
    let made = 0;
    for (let left = due(); left.length > 0; left = due()) {
      const moved = chance.pick(left);
      owners[moved] = assign(members, owners)[moved]!;
      made += 1;
    }
    expect(made).toBe(promised);
  }
});

test('without members nobody should own anything', () => {
  expect(assign([], ['gone', undefined])).toEqual([undefined, undefined]);
});

// The nearest of some names: by edits, within a bound, whatever their order.
import {expect, test} from 'vitest';
import {NearName} from '../../../../actors/report/counts/near-name.js';

function nearest(asked: string, names: readonly string[]): string | undefined {
  const near = new NearName(asked);
  for (const name of names) near.offer(name);
  return near.found;
}

test.each([
  ['singup', ['signup', 'sign out', 'login'], 'signup'],
  ['sign_up', ['signup', 'sign up', 'sign-up'], 'sign up'],
  ['SignUp', ['signed', 'signup'], 'signup'],
  ['purchse', ['purchase', 'purchased'], 'purchase'],
  ['purchase', ['purchased', 'purchases'], 'purchased'],
  ['checkout_startd', ['checkout started', 'checkout_start'], 'checkout_start'],
  ['checkout strated now', ['checkout started', 'checkout started now'], 'checkout started now'],
  ['buy', ['bay', 'buys', 'sell'], 'bay'],
  ['buy', ['sell', 'pay'], undefined],
  ['ab', ['abc', 'a', 'ac'], undefined],
  ['A', ['a'], 'a'],
  ['abcdef', ['badcef'], 'badcef'],
  ['abcdef', ['badcfe'], undefined],
  ['view', [], undefined],
  ['größe', ['grösse', 'größen'], 'größen'],
])('%s among %j: %s', (asked, names, expected) => {
  expect(nearest(asked, names)).toBe(expected);
  expect(nearest(asked, [...names].reverse())).toBe(expected);
});

/** Straight from the definition (NN1). */
function editsBetween(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const rest = Math.min(
    editsBetween(a.slice(1), b) + 1,
    editsBetween(a, b.slice(1)) + 1,
    editsBetween(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  );
  const isSwapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return isSwapped ? Math.min(rest, editsBetween(a.slice(2), b.slice(2)) + 1) : rest;
}

test('finds what the definition says, for names of few letters', () => {
  let state = 7;
  const letter = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 'abc'[(state >> 16) % 3]!;
  };
  const word = (length: number): string => Array.from({length}, letter).join('');
  for (let round = 0; round < 300; round++) {
    const asked = word(3 + (round % 5));
    const names = [...new Set(Array.from({length: 4}, (_, n) => word(2 + ((round + n) % 6))))].filter(
      (n) => n !== asked,
    );
    const max = asked.length >= 6 ? 2 : 1;
    const near = names.map((name) => ({name, edits: editsBetween(name, asked)})).filter(({edits}) => edits <= max);
    near.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
    expect(`${asked} ${nearest(asked, names)}`).toBe(`${asked} ${near[0]?.name}`);
  }
});

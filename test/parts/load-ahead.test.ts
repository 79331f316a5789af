// Items folded at once where they are at hand, against the loop that waits for each of them.

import fc from 'fast-check';
import {expect, test} from 'vitest';
import {foldAhead} from '../../src/parts/load-ahead.js';

const aheadMax = 3;

test('what is at hand is folded first, then what is waited for, each once and with its value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({isHeld: fc.boolean(), givesWay: fc.boolean()})), async (kinds) => {
      const items = kinds.map((kind, place) => ({...kind, place}));
      const folded: number[] = [];
      const load = async ({place}: {place: number}) => place * 2;
      const held = ({isHeld, place}: (typeof items)[number]) => (isHeld ? place * 2 : undefined);
      await foldAhead(items, held, load, aheadMax, ({place, givesWay}, value) => {
        folded.push(place, value);
        return givesWay ? Promise.resolve() : undefined;
      });
      const expected = [...items.filter(({isHeld}) => isHeld), ...items.filter(({isHeld}) => !isHeld)];
      expect(folded).toEqual(expected.flatMap(({place}) => [place, place * 2]));
    }),
  );
});

test('no more is under way than may be, and a failure is thrown in its turn', async () => {
  let [underWay, most] = [0, 0];
  const load = async (item: number) => {
    most = Math.max(most, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    if (item === 5) throw new Error('the sixth is gone');
    return item;
  };
  const folded: number[] = [];
  const items = [0, 1, 2, 3, 4, 5, 6, 7];
  const folding = foldAhead(
    items,
    (item) => (item < 2 ? item : undefined),
    load,
    aheadMax,
    (_, value) => {
      folded.push(value);
      return undefined;
    },
  );
  await expect(folding).rejects.toThrow('the sixth is gone');
  expect([folded, most <= aheadMax]).toEqual([[0, 1, 2, 3, 4], true]);
});

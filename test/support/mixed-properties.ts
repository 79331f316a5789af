// Properties of every kind that columns and bodies treat differently: few values, many, long ones, nested ones.
import type {Json} from '../../actors/log/json.js';
import type {Random} from '../../tools/random.js';

/** Keys of the events of eight names, which share none. */
export function mixedKeys(random: Random): string[][] {
  return [...'abcdefgh'].map((first) => Array.from({length: 1 + random.between(0, 5)}, (_, i) => `${first}${i}`));
}

/** The value of some property of event `i`. */
export function mixedValue(random: Random, i: number): Json {
  const below = (n: number): number => random.between(0, n - 1);
  const values: (() => Json)[] = [
    () => i,
    () => -below(2 ** 31),
    () => random.next(),
    () => null,
    () => below(2) === 0,
    () => `v${below(4)}`,
    () => `unique ${i} ${below(1e9)}`,
    () => 'long'.repeat(below(80)),
    () => ({deep: [below(9)]}),
  ];
  return values[below(values.length)]!();
}

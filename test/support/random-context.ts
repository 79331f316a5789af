// Contexts of events with some members that have a pair of their own (actors/log/context.ts), and some that have none.
import {contextMembers} from '../../actors/log/context.js';
import type {Json} from '../../actors/log/json.js';
import type {Random} from '../../tools/random.js';

export const otherPaths = [
  ...'page page.url page.path.deep campaign bot.kind app.name original os os.name.deep'.split(' '),
];

/** Values are few, so that conditions meet them. */
export function randomContext(random: Random): {[key: string]: Json} {
  const context: {[key: string]: Json} = {};
  for (let left = random.between(0, 7); left > 0; left--) {
    const [head = '', name] = random.pick([...contextMembers, ...otherPaths.slice(0, 8)]).split('.');
    const value = random.pick<() => Json>([
      () => `v${random.between(0, 3)}`,
      () => random.between(0, 3),
      () => random.chance(0.5),
      () => null,
      () => ({deep: random.between(0, 1)}),
      () => [],
      () => 'long'.repeat(50),
      () => ({}),
    ])();
    const inside = context[head];
    if (name === undefined) context[head] = value;
    else if (typeof inside === 'object' && inside !== null && !Array.isArray(inside)) inside[name] = value;
    else context[head] = {[name]: value};
  }
  return context;
}

// Ten funnels over the five most frequent names: what saved funnels cost at most, as two of three events are a step of one.

import {eventMix} from './events.js';

const [viewed, clicked, searched, looked, began] = eventMix.map(([name]) => name) as [
  string,
  string,
  string,
  string,
  string,
];

/** With and without a window. */
export const frequentFunnels: readonly {readonly steps: readonly string[]; readonly window?: string}[] = [
  {steps: [viewed, clicked]},
  {steps: [viewed, searched, looked]},
  {steps: [began, viewed, clicked, searched, looked]},
  {steps: [began, searched]},
  {steps: [clicked, viewed, looked, clicked]},
  {steps: [viewed, clicked], window: '1h'},
  {steps: [searched, looked, viewed], window: '1d'},
  {steps: [began, viewed, searched], window: '7d'},
  {steps: [looked, clicked, viewed, began], window: '12h'},
  {steps: [clicked, searched], window: '30m'},
];

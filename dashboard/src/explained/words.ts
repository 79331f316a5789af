// Explanations by kind of number. A page names the kind and hands over its data; the dialog loads the words.
import {activeBehind} from './active.js';
import {firingBehind} from './alert.js';
import {funnelBehind} from './funnel.js';
import {oftenBehind, stageBehind} from './lifecycle.js';
import {activeUsers, allEvents, eventsNamed} from './overview.js';
import {pathBehind} from './path.js';
import {retentionBehind} from './retention.js';
import {quotientBehind, trendBehind} from './trend.js';

export const words = {
  activeBehind,
  activeUsers,
  allEvents,
  eventsNamed,
  firingBehind,
  funnelBehind,
  oftenBehind,
  pathBehind,
  quotientBehind,
  retentionBehind,
  stageBehind,
  trendBehind,
};
export type Words = typeof words;

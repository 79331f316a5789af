// Explanations by kind of number. A page names the kind and hands over its data; the dialog loads the words.
import {activeBehind} from '../reports/active/behind.js';
import {funnelBehind} from '../reports/funnels/behind.js';
import {oftenBehind, stageBehind} from '../reports/lifecycle/behind.js';
import {pathBehind} from '../reports/paths/behind.js';
import {retentionBehind} from '../reports/retention/behind.js';
import {quotientBehind, trendBehind} from '../reports/trends/behind.js';
import {firingBehind} from './alert.js';
import {activeUsers, allEvents, eventsNamed} from './overview.js';

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

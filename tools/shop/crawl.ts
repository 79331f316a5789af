// A program that reads pages of the shop: every page view of it says `bot`. It keeps no id, so each of its visits is a visitor.
import type {Random} from '../random.js';
import {pageViewed, products} from './catalogue.js';
import type {ShopEntry} from './entry.js';
import {addressed} from './surroundings.js';

/** Crawls per visit of a person: some 4 % of all page views. */
export const crawlsPerVisit = 0.05;

const [pagesMin, pagesMax] = [3, 9];
const pageEveryMs = [1_000, 4_000] as const;

const own = {
  browser: {name: 'Chrome', version: '131'},
  os: {name: 'Linux'},
  device: {type: 'desktop'},
  location: {country: 'US'},
  bot: true,
};

/** Page views of one crawl, by time. `id`: of this crawl alone. */
export function crawlOf(random: Random, startMs: number, id: string): ShopEntry[] {
  const entries: ShopEntry[] = [];
  let timeMs = startMs;
  for (let left = random.between(pagesMin, pagesMax); left > 0; left--) {
    const {id: product} = random.pick(products);
    const page = entries.length === 0 ? {path: '/robots.txt', title: ''} : {path: `/p/${product}`, title: product};
    const json = JSON.stringify({
      event: pageViewed,
      anonymousId: id,
      properties: {path: page.path},
      context: {page: addressed({...page, search: ''}), ...own},
      timestamp: new Date(timeMs).toISOString(),
      messageId: `${id}-${entries.length}`,
    });
    entries.push({kind: 'event', timeMs, json});
    timeMs += random.between(...pageEveryMs);
  }
  return entries;
}

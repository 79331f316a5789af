// What surrounds a visitor's events: the `context` of a browser, as an SDK sends it and the edge completes it (docs/clients.md).
//   SU1. Country, language, device and browser are a visitor's own and stay. They are drawn from a seed of their own: what a visitor
//        does depends on none of these draws.
//   SU2. A session ends after 30 minutes without an event. Only its first event has `start`.
//   SU3. A referrer of another host and a campaign belong to the page that a visit begins on.
import {Random} from '../random.js';

export const origin = 'https://shop.example.com';
const sessionIdleMs = 30 * 60_000;

export interface Page {
  readonly path: string;
  readonly title: string;
  /** Empty, or the query from its `?`. */
  readonly search: string;
}

/** Where a visit comes from. */
export interface Arrival {
  /** Address of the page of another host; undefined: none is known. */
  readonly referrer: string | undefined;
  readonly campaign: Readonly<Record<'source' | 'medium' | 'name', string>> | undefined;
}

export const referrers = ['google', 'direct', 'instagram', 'newsletter', 'price-search'] as const;
export type Referrer = (typeof referrers)[number];

const addresses: Readonly<Record<Referrer, string | undefined>> = {
  google: undefined, // The visitor's own search engine.
  direct: undefined,
  instagram: 'https://l.instagram.com/',
  newsletter: undefined,
  'price-search': 'https://prices.example.net/compare',
};
const searchEngines = ['https://www.google.com/', 'https://duckduckgo.com/', 'https://www.bing.com/'] as const;
const searchEngineWeights = [86, 8, 6];

const mediums: Readonly<Partial<Record<Referrer, string>>> = {google: 'cpc', instagram: 'social', newsletter: 'email'};
/** Share of the visits that come by an advertisement while the shop has a campaign. */
const advertised = 0.5;
const usualNewsletter = 'weekly';

interface Device {
  readonly weight: number;
  readonly os: string;
  readonly browsers: Readonly<Record<string, number>>;
  readonly screens: readonly (readonly [width: number, height: number])[];
}

const phones = [
  [390, 844],
  [393, 852],
  [360, 800],
] as const;
const desks = [
  [1_920, 1_080],
  [1_536, 864],
  [2_560, 1_440],
] as const;

const devices: Readonly<Record<'mobile' | 'desktop' | 'tablet', readonly Device[]>> = {
  mobile: [
    {weight: 46, os: 'iOS', browsers: {Safari: 90, Chrome: 10}, screens: phones},
    {weight: 54, os: 'Android', browsers: {Chrome: 78, 'Samsung Internet': 14, Firefox: 8}, screens: phones},
  ],
  desktop: [
    {weight: 62, os: 'Windows', browsers: {Chrome: 62, Edge: 28, Firefox: 10}, screens: desks},
    {weight: 30, os: 'macOS', browsers: {Safari: 52, Chrome: 40, Firefox: 8}, screens: desks},
    {weight: 8, os: 'Linux', browsers: {Firefox: 55, Chrome: 45}, screens: desks},
  ],
  tablet: [
    {weight: 70, os: 'iOS', browsers: {Safari: 92, Chrome: 8}, screens: [[820, 1_180]]},
    {weight: 30, os: 'Android', browsers: {Chrome: 100}, screens: [[800, 1_280]]},
  ],
};

const versions: Readonly<Record<string, readonly string[]>> = {
  Safari: ['18', '17'],
  Chrome: ['131', '130'],
  Edge: ['131'],
  Firefox: ['133', '128'],
  'Samsung Internet': ['27'],
};

interface Home {
  readonly code: string;
  readonly locale: string;
  readonly timezone: string;
}

export class Surroundings {
  private readonly random: Random;
  /** Number of the visitor. */
  private readonly number: number;
  /** SU1 */
  private readonly own: object;
  private readonly searchEngine: string;
  private sessions = 0;
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(seed: number, number: number, home: Home, type: keyof typeof devices) {
    const random = new Random(seed);
    this.random = random;
    this.number = number;
    const device = devices[type][random.weightedIndex(devices[type].map(({weight}) => weight))]!;
    const name = random.weighted(device.browsers);
    const [width, height] = random.pick(device.screens);
    this.own = {
      locale: home.locale,
      timezone: home.timezone,
      screen: {width, height},
      library: {name: 'shop-web', version: '1.0.0'},
      browser: {name, version: random.pick(versions[name]!)},
      os: {name: device.os},
      device: {type},
      location: {country: home.code},
    };
    this.searchEngine = searchEngines[random.weightedIndex(searchEngineWeights)]!;
  }

  /** `campaign`: of the shop at this time, if any. */
  arrival(referrer: Referrer, campaign: string | undefined): Arrival {
    const medium = mediums[referrer];
    const isEmail = referrer === 'newsletter';
    const isAdvertised = isEmail || (campaign !== undefined && this.random.chance(advertised));
    return {
      referrer: referrer === 'google' ? this.searchEngine : addresses[referrer],
      campaign:
        medium !== undefined && isAdvertised
          ? {source: referrer, medium, name: campaign ?? usualNewsletter}
          : undefined,
    };
  }

  /** Context of an event on a page. `arrival`: of a page that a visit begins on. `before`: address of the page before. */
  contextOf(page: Page, arrival: Arrival | undefined, before: string | undefined, timeMs: number): object {
    const referrer = arrival === undefined ? before : arrival.referrer;
    return {
      page: {...addressed(page), ...(referrer !== undefined && {referrer})},
      ...(arrival?.campaign !== undefined && {campaign: arrival.campaign}),
      ...(arrival?.referrer !== undefined && {referrer: {host: hostOf(arrival.referrer)}}), // SU3
      ...this.own,
      session: this.session(timeMs),
    };
  }

  /** SU2 */
  private session(timeMs: number): object {
    const isNew = timeMs - this.lastMs >= sessionIdleMs;
    this.lastMs = timeMs;
    if (isNew) this.sessions += 1;
    const id = `session-${this.number}-${this.sessions}`;
    return isNew ? {id, start: true} : {id};
  }
}

/** `page` of a context. */
export const addressed = ({path, title, search}: Page): object => ({
  path,
  url: addressOf({path, search}),
  title,
  ...(search !== '' && {search}),
});

export const addressOf = ({path, search}: Pick<Page, 'path' | 'search'>): string => `${origin}${path}${search}`;

/** As the edge writes it. */
const hostOf = (address: string): string => address.split('/')[2]!.replace(/^www\./, '');

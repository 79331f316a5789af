// The shop: the same bytes from the same seed, a life that looks like one, and a truth that can be checked by hand.

import {createHash} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import type {ShopEntry} from '../../tools/shop/entry.js';
import {Shop, type ShopOptions} from '../../tools/shop/shop.js';
import {ShopTruth} from '../../tools/shop/truth.js';
import {Upcoming} from '../../tools/shop/upcoming.js';
import {firstVisitEvents} from '../../tools/shop/visit.js';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 3, 6); // A Monday.
const options: ShopOptions = {seed: 7, people: 900, days: 30, startMs};
const month = {fromMs: startMs, toMs: startMs + 30 * dayMs - 1};

interface Context {
  readonly page: {readonly path: string; readonly url: string; readonly referrer?: string; readonly search?: string};
  readonly campaign?: {readonly source: string};
  readonly referrer?: {readonly host: string};
  readonly session?: {readonly id: string; readonly start?: true};
  readonly browser: {readonly name: string};
  readonly os: {readonly name: string};
  readonly device: {readonly type: string};
  readonly location: {readonly country: string};
  readonly locale?: string;
  readonly bot?: true;
}

interface Body {
  readonly event: string;
  readonly userId?: string;
  readonly anonymousId: string;
  readonly timestamp: string;
  readonly messageId: string;
  readonly properties: {
    readonly price?: number;
    readonly value?: number;
    readonly country?: string;
    readonly device?: string;
  };
  readonly context?: Context;
  readonly traits: Readonly<Record<string, unknown>>;
}

const played = (some: Partial<ShopOptions> = {}, days = 30): ShopEntry[] => [
  ...new Shop({...options, ...some}).entriesUntil(startMs + days * dayMs),
];
const entries = played();
const truth = new ShopTruth();
for (const entry of entries) truth.note(entry);
const bodies = entries.map((entry) => ({...entry, body: JSON.parse(entry.json) as Body}));
const events = bodies.filter(({kind}) => kind === 'event');
const isOfPerson = ({body}: {readonly body: Body}): boolean => body.context?.bot === undefined;
function byKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
const digest = (some: readonly ShopEntry[]): string =>
  createHash('sha256')
    .update(some.map(({json}) => json).join('\n'))
    .digest('hex');

describe('what is sent', () => {
  test('the same options give the same bytes, another seed gives others', () => {
    expect(digest(played())).toBe(digest(entries));
    expect(digest(played({seed: 8}))).not.toBe(digest(entries));
  });

  test('is the same however far somebody reads, and until a sale begins', () => {
    const days = 12;
    const first = entries.filter(({timeMs}) => timeMs < startMs + days * dayMs);
    expect(digest(played({}, days))).toBe(digest(first));
    const sale = {fromMs: startMs + days * dayMs + 1, peoplePerDay: 200};
    const withSale = played({sale}, days + 3);
    expect(digest(withSale.filter(({timeMs}) => timeMs < startMs + days * dayMs))).toBe(digest(first));
    expect(withSale.filter(({json}) => json.includes('flash_sale')).every(({timeMs}) => timeMs >= sale.fromMs)).toBe(
      true,
    );
    expect(withSale.length - played({}, days + 3).length).toBeGreaterThan(first.length / 4);
  });

  test('comes in the order of time, each body with a time and a messageId of its own', () => {
    let lastMs = startMs;
    for (const {timeMs, body} of bodies) {
      expect(timeMs).toBeGreaterThanOrEqual(lastMs);
      lastMs = timeMs;
      expect(body.timestamp).toBe(new Date(timeMs).toISOString());
    }
    expect(new Set(bodies.map(({body}) => body.messageId)).size).toBe(bodies.length);
  });

  test('nobody does two things at once', () => {
    const lastOf = new Map<string, number>();
    for (const {timeMs, body} of events.filter(({body}) => body.event !== 'refund_issued')) {
      const user = body.userId ?? body.anonymousId;
      expect(timeMs).toBeGreaterThan(lastOf.get(user) ?? 0);
      lastOf.set(user, timeMs);
    }
  });

  test('who signs up is anonymous before, and identified with traits in the same visit', () => {
    const signups = events.filter(({body}) => body.event === 'signup');
    expect(signups.length).toBeGreaterThan(150);
    const ofVisitor = byKey(bodies, ({body}) => body.anonymousId);
    const identifies = byKey(
      bodies.filter(({kind}) => kind === 'identify'),
      ({body}) => body.userId!,
    );
    for (const {body, timeMs} of signups) {
      const before = ofVisitor.get(body.anonymousId)!.filter((other) => other.timeMs < timeMs);
      expect(before.length).toBeGreaterThan(0);
      expect(before.every((other) => other.body.userId === undefined)).toBe(true);
      expect(identifies.get(body.userId!)![0]!.body.traits).toMatchObject({
        plan: 'free',
        email: expect.stringMatching(/@example\.com$/),
      });
    }
  });

  test('prices are whole cents', () => {
    const prices = events.flatMap(({body: {properties}}) =>
      [properties.price, properties.value].filter((price) => price !== undefined),
    );
    expect(prices.length).toBeGreaterThan(1_000);
    expect(prices.every((price) => Number.isInteger(price) && price > 0)).toBe(true);
  });
});

describe('what surrounds an event', () => {
  const ofBrowsers = events.filter((one) => isOfPerson(one) && one.body.event !== 'refund_issued');
  const contextOf = ({body}: {readonly body: Body}): Context => body.context!;
  const ofVisitor = byKey(ofBrowsers, ({body}) => body.anonymousId);

  test('a server has none; a visitor has one country, language, device and browser, those of the properties', () => {
    const ofServer = events.filter(({body}) => body.event === 'refund_issued');
    expect(ofServer.length).toBeGreaterThan(5);
    expect(ofServer.every(({body}) => body.context === undefined)).toBe(true);
    for (const theirs of ofVisitor.values()) {
      const own = theirs
        .map(contextOf)
        .map(({browser, os, device, location, locale}) => [browser, os, device, location, locale]);
      expect(new Set(own.map((one) => JSON.stringify(one))).size).toBe(1);
      const {properties, context} = theirs[0]!.body;
      expect([context!.location.country, context!.device.type]).toEqual([properties.country, properties.device]);
    }
    for (const kind of ['browser', 'os'] as const)
      expect(new Set(ofBrowsers.map((one) => contextOf(one)[kind].name)).size).toBeGreaterThan(3);
  });

  test('a session ends after 30 minutes without an event, and its first event alone says that it starts', () => {
    let starts = 0;
    for (const theirs of ofVisitor.values()) {
      for (const [at, one] of theirs.entries()) {
        const before = theirs[at - 1];
        const {id, start} = contextOf(one).session!;
        const isFirst = before === undefined || one.timeMs - before.timeMs >= 30 * 60_000;
        expect(start).toBe(isFirst ? true : undefined);
        if (before !== undefined) expect(id === contextOf(before).session!.id).toBe(!isFirst);
        starts += Number(isFirst);
      }
    }
    expect(starts).toBeGreaterThan(options.people);
  });

  test('a visit comes from another host or from none, with a campaign or without; the pages after it from the shop', () => {
    const views = ofBrowsers.filter(({body}) => body.event === 'page');
    const [entries, later] = [true, false].map((isStart) =>
      views.filter((one) => (contextOf(one).session!.start ?? false) === isStart),
    ) as [typeof views, typeof views];
    const came = byKey(entries, (one) => contextOf(one).referrer?.host ?? '');
    expect([...came.keys()].sort()).toEqual(
      ['', 'duckduckgo.com', 'l.instagram.com', 'prices.example.net', 'bing.com', 'google.com'].sort(),
    );
    expect(came.get('')!.length).toBeGreaterThan(entries.length / 4);
    const advertised = entries.map(contextOf).filter(({campaign}) => campaign !== undefined);
    expect(advertised.length).toBeGreaterThan(entries.length / 20);
    for (const {campaign, page} of advertised) expect(page.search).toContain(`utm_source=${campaign!.source}&`);
    expect(later.length).toBeGreaterThan(entries.length);
    for (const {page} of views.map(contextOf))
      expect(page.url).toBe(`https://shop.example.com${page.path}${page.search ?? ''}`);
    const inside = later.map(contextOf).filter(({page}) => page.referrer?.startsWith('https://shop.example.com/'));
    // A visitor who returns within a session comes from outside.
    expect(inside.length).toBeGreaterThan(0.98 * later.length);
    expect(inside.every(({referrer, campaign}) => referrer === undefined && campaign === undefined)).toBe(true);
  });

  test('a few percent of the page views are of bots, which have no session', () => {
    const views = events.filter(({body}) => body.event === 'page');
    const ofBots = events.filter((one) => !isOfPerson(one));
    expect(ofBots.every(({body}) => body.event === 'page' && body.context!.session === undefined)).toBe(true);
    expect(ofBots.length / views.length).toBeGreaterThan(0.02);
    expect(ofBots.length / views.length).toBeLessThan(0.07);
  });
});

describe('it looks like a shop', () => {
  const anonymousDays = new Map<string, number[]>();
  for (const {timeMs, body} of events.filter((one) => isOfPerson(one) && one.body.event !== 'refund_issued')) {
    const days = anonymousDays.get(body.anonymousId) ?? [];
    anonymousDays.set(body.anonymousId, [...days, Math.floor((timeMs - startMs) / dayMs)]);
  }
  const retained = (age: number): number => {
    const old = [...anonymousDays.values()].filter((days) => days[0]! + age < 30);
    return old.filter((days) => days.includes(days[0]! + age)).length / old.length;
  };

  test('it has as many first visits as it was asked for', () => {
    expect(anonymousDays.size).toBe(options.people);
  });

  test('a first visit has as many events as it says', () => {
    const visitors = 1_000;
    const first = played({people: visitors, days: 1}, 1)
      .filter(({kind}) => kind === 'event')
      .filter(({json}) => isOfPerson({body: JSON.parse(json) as Body}));
    expect(first.length / visitors / firstVisitEvents).toBeGreaterThan(0.9);
    expect(first.length / visitors / firstVisitEvents).toBeLessThan(1.1);
  });

  test('few come back the next day, fewer after a week, some after weeks', () => {
    expect(retained(1)).toBeGreaterThan(0.05);
    expect(retained(1)).toBeLessThan(0.25);
    expect(retained(7)).toBeLessThan(retained(1));
    expect(retained(21)).toBeLessThan(retained(7));
    expect(retained(21)).toBeGreaterThan(0.01);
  });

  test('nights are quiet, evenings are not, and campaigns bring people', () => {
    const byHour = truth.countsByHour('page', month);
    const ofHour = (hour: number): number => sum(byHour.filter((_, at) => at % 24 === hour));
    expect(ofHour(19)).toBeGreaterThan(2 * ofHour(4));
    const signups = truth.activeByDay(month, 1);
    expect(sum(signups.slice(6, 9))).toBeGreaterThan(1.2 * sum(signups.slice(3, 6)));
  });

  test('each step of the way to an order loses some', () => {
    const steps = truth.funnel(['product_viewed', 'cart_added', 'checkout_started', 'order_placed'], month);
    for (const [step, {count}] of steps.entries()) if (step > 0) expect(count).toBeLessThan(steps[step - 1]!.count);
    expect(steps[3]!.count).toBeGreaterThan(options.people / 20);
    expect(steps.slice(1).every(({median_seconds}) => median_seconds! > 10)).toBe(true);
  });

  test('all of its names occur', () => {
    expect(truth.names(month).map(({name}) => name)).toEqual(
      expect.arrayContaining([
        ...'page product_viewed cart_added checkout_started order_placed signup login search_used coupon_applied'.split(
          ' ',
        ),
        ...'refund_issued plan_changed newsletter_subscribed cart_removed'.split(' '),
      ]),
    );
  });
});

describe('the truth', () => {
  const story = new ShopTruth();
  const at = (minutes: number): string => new Date(startMs + minutes * 60_000).toISOString();
  const note = (event: string, who: object, minutes: number): void =>
    story.note({kind: 'event', timeMs: 0, json: JSON.stringify({event, ...who, timestamp: at(minutes)})});
  const [ada, bob, cyd] = [{userId: 'ada'}, {anonymousId: 'bob'}, {userId: 'cyd', anonymousId: 'bob'}];
  note('view', ada, 0);
  note('cart', ada, 10);
  note('buy', ada, 30);
  note('buy', bob, 40);
  note('view', bob, 50);
  note('cart', cyd, 60);
  note('view', cyd, 61);
  note('cart', cyd, 65);
  note('view', ada, 26 * 60);
  const days = {fromMs: startMs, toMs: startMs + 2 * dayMs - 1};

  test('counts names with the times of all events', () => {
    expect(story.names({fromMs: startMs, toMs: startMs + dayMs - 1})).toEqual(
      [
        {name: 'view', count: 3, first_seen: at(0), last_seen: at(26 * 60)},
        {name: 'buy', count: 2, first_seen: at(30), last_seen: at(40)},
        {name: 'cart', count: 3, first_seen: at(10), last_seen: at(65)},
      ].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)),
    );
    expect(story.countsByHour('view', days)).toEqual(
      Array.from({length: 48}, (_, hour) => ({0: 2, 1: 1, 26: 1})[hour] ?? 0),
    );
  });

  test('counts a user and the anonymous one who it was before as one person', () => {
    expect(story.activeByDay(days, 1)).toEqual([2, 1]);
    expect(story.activeByDay(days, 7)).toEqual([2, 2]);
    expect([story.activeUsers(days), story.people, story.eventCount]).toEqual([2, 2, 9]);
    expect(story.joinedUsers).toEqual(['cyd']);
    expect(story.history('cyd').map(({name, isJoined}) => [name, isJoined])).toEqual([
      ['cart', false],
      ['view', false],
      ['cart', false],
      ['view', true],
      ['buy', true],
    ]);
  });

  test('walks each user down the funnel once, with medians of the times between', () => {
    expect(story.funnel(['view', 'cart', 'buy'], days)).toEqual([
      {event: 'view', count: 2, median_seconds: null},
      {event: 'cart', count: 2, median_seconds: 600},
      {event: 'buy', count: 1, median_seconds: 1_200},
    ]);
  });
});

test('upcoming entries come by time, and in their order at one time', () => {
  const upcoming = new Upcoming();
  const entry = (timeMs: number, json: string): ShopEntry => ({kind: 'event', timeMs, json});
  for (let i = 0; i < 200; i++) upcoming.add(entry((i * 37) % 50, String(i)));
  const taken: ShopEntry[] = [];
  for (let next = upcoming.takeBefore(40); next !== undefined; next = upcoming.takeBefore(40)) taken.push(next);
  expect(taken).toHaveLength(160);
  const expected = taken.toSorted((a, b) => a.timeMs - b.timeMs || Number(a.json) - Number(b.json));
  expect(taken).toEqual(expected);
  expect(upcoming.takeBefore(41)?.timeMs).toBe(40);
});

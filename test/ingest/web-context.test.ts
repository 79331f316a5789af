import {describe, expect, test} from 'vitest';
import {ByteWriter} from '../../actors/bytes/bytes.js';
import type {Context} from '../../actors/log/context.js';
import {type AcceptedEvent, writeEvent, writeIdentify} from '../../actors/log/entries.js';
import {EntryView, propertiesJson} from '../../actors/log/entry-view.js';
import type {Json} from '../../actors/log/json.js';
import {UserAgents} from '../../src/edge/web/user-agents.js';
import {type BatchEntries, EntryList, forEachStart} from '../../src/ingest/batch-entries.js';
import {WebContext, type WebRequest} from '../../src/ingest/web-context.js';
import {Random} from '../../tools/random.js';
import {randomContext} from '../support/random-context.js';
import {runs} from '../support/runs.js';

const agents = new UserAgents();
const web = new WebContext((userAgent) => agents.factsOf(userAgent));
const nobody: WebRequest = {userAgent: '', country: undefined};
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const ofFirefox = {browser: {name: 'Firefox', version: '130'}, os: {name: 'Windows'}, device: {type: 'desktop'}};

const plain = {event: 'e', userId: 'ada', timeMs: 5, receivedMs: 9, sentMs: 5} as const;

function completed(event: Partial<AcceptedEvent>, request: WebRequest): EntryView | undefined {
  const writer = new ByteWriter(1_024);
  writeEvent(writer, {...plain, ...event});
  const made = web.single(writer.bytes, 0, request);
  if (made === undefined) return undefined;
  const view = new EntryView(made.bytes.slice(0, made.end));
  expect(view.moveTo(0)).toBe(made.end);
  return view;
}

const contextOf = (context: Context | undefined, request = nobody): Json =>
  JSON.parse(completed(context === undefined ? {} : {context}, request)?.contextJson() ?? 'null') as Json;

describe('the context of an event of a page', () => {
  test.each([
    [firefox, ofFirefox],
    [iphone, {browser: {name: 'Safari', version: '17'}, os: {name: 'iOS'}, device: {type: 'mobile'}}],
    [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      {browser: {name: 'Googlebot', version: '2'}, bot: true},
    ],
    ['curl/8.5.0', {bot: true}],
    // Nothing of the text itself.
    ['Annas-Own-Reader/3.1 (X11; Linux x86_64) Letters/2 (x', {os: {name: 'Linux'}, device: {type: 'desktop'}}],
    [
      firefox.replaceAll('130', '1300000'),
      {os: {name: 'Windows'}, device: {type: 'desktop'}, browser: {name: 'Firefox'}},
    ],
  ])('has what the user agent %j says', (userAgent, expected) => {
    expect(contextOf(undefined, {...nobody, userAgent})).toEqual(expected);
    expect(contextOf({userAgent}, {...nobody, userAgent: firefox})).toEqual({userAgent, ...expected});
  });

  test.each([
    [
      {url: 'https://a.example/x?utm_source=s&utm_campaign=c%20d&utm_term=#h'},
      {path: '/x'},
      {campaign: {source: 's', name: 'c d'}},
    ],
    [{url: '/x/?a=1', referrer: 'https://www.b.example/y'}, {path: '/x/'}, {referrer: {host: 'b.example'}}],
    [{url: 'https://www.a.example/x', referrer: 'https://a.example/y'}, {path: '/x'}, {}],
    [{path: '/own', url: 'https://a.example/x', host: 'a.example'}, {}, {}],
    [{path: '/x', host: 'www.a.example', referrer: 'https://a.example/'}, {}, {}],
    [{path: '/x', search: '?utm_medium=mail'}, {}, {campaign: {medium: 'mail'}}],
    [{url: 'mailto:a@b.example', referrer: 'android-app://com.app/x'}, {}, {referrer: {host: 'com.app'}}],
    [{url: 'http://[', referrer: '', path: 7}, {}, {}],
    [
      {url: `https://a.example/${'x'.repeat(1_025)}?utm_source=${'s'.repeat(257)}&utm_medium=m`},
      {},
      {campaign: {medium: 'm'}},
    ],
  ])('has what the page %j says', (page, ofPage, more) => {
    expect(contextOf({page}) ?? {page}).toEqual({page: {...page, ...ofPage}, ...more});
  });

  test('keeps what the client sent, whatever it is', () => {
    const sent = {browser: {name: null}, os: 'own', campaign: {source: 'own'}, location: {country: 'SE', city: 'x'}};
    const page = {path: '/p', url: 'https://a.example/q?utm_source=s&utm_medium=m'};
    expect(contextOf({...sent, page}, {userAgent: firefox, country: 'DE'})).toEqual({
      browser: {name: null, version: '130'},
      os: 'own',
      device: {type: 'desktop'},
      campaign: {source: 'own'},
      location: {country: 'SE', city: 'x'},
      page,
    });
  });

  test('has no campaign of the address beside one that was sent', () => {
    const page = {path: '/', url: 'https://a.example/?utm_source=s'};
    expect(contextOf({page, campaign: {id: '7'}})).toBeNull();
    expect(contextOf({page, campaign: {}})).toEqual({page, campaign: {source: 's'}});
  });

  test('has the names of click ids, and not their values', () => {
    const page = {
      path: '/',
      url: 'https://a.example/?a=1&gclid=Cj0K-secret&utm_source=s#x',
      search: '?FBCLID=secret',
      referrer: 'https://b.example/?q=1&msclkid=',
    };
    const context = contextOf({page, campaign: {source: 's'}, referrer: {host: 'b.example'}});
    expect(context).toEqual({
      page: {
        path: '/',
        url: 'https://a.example/?a=1&gclid&utm_source=s#x',
        search: '?FBCLID',
        referrer: 'https://b.example/?q=1&msclkid=',
      },
      campaign: {source: 's'},
      referrer: {host: 'b.example'},
    });
  });

  test('of any event is what was sent and more: nothing else of the event changes', () => {
    const random = new Random(5);
    for (let left = runs(600); left > 0; left--) {
      const context = random.chance(0.8) ? randomContext(random) : undefined;
      const properties = random.chance(0.5) ? {a: 1, b: [2], context: 'own'} : undefined;
      const ids = {messageId: random.chance(0.5) ? 'm' : undefined, anonymousId: random.chance(0.5) ? 'd' : undefined};
      const view = completed({...ids, context, properties}, {userAgent: firefox, country: 'DE'});
      if (view === undefined) continue;
      expect([view.text(), view.userKey(), view.timeMs, view.sentMs, view.receivedMs]).toEqual(['e', 'uada', 5, 5, 9]);
      expect(view.hasMessageId ? view.messageId() : undefined).toBe(ids.messageId);
      expect(view.anonymousIdEnd > 0 ? view.anonymousId() : undefined).toBe(ids.anonymousId);
      expect(JSON.parse(propertiesJson(view.bytes, view.propertiesStart))).toEqual(properties ?? {});
      const stored = JSON.parse(view.contextJson()!) as Context;
      expect(stored).toMatchObject(context ?? {});
      const url = (context?.page as Context | null | undefined)?.url;
      const ofPage = typeof url === 'string' ? {page: {path: `/${url}`}} : {};
      const added = {...ofFirefox, location: {country: 'DE'}, ...ofPage};
      expect(stored).toEqual(merged(added, context ?? {}));
    }
  });

  test('in a batch: each event has its own, and an identify call has none', () => {
    const list = new EntryList();
    writeEvent(list.writer, {...plain, context: {page: {url: '/a'}}});
    list.endEvent();
    list.endEvent(); // It was refused.
    writeIdentify(list.writer, 'bob', '{}', 9, {});
    list.endEvent();
    writeEvent(list.writer, {...plain, userId: 'bob', context: {...ofFirefox, location: {country: 'SE'}}});
    list.endEvent();
    const made = web.batch(list.group(3), 4, 3, {userAgent: firefox, country: 'DE'});
    expect(contextsIn(made)).toEqual(
      new Map<number, unknown>([
        [0, {page: {url: '/a', path: '/a'}, ...ofFirefox, location: {country: 'DE'}}],
        [2, 'identify'],
        [3, {...ofFirefox, location: {country: 'SE'}}],
      ]),
    );
  });

  test('a request of no browser, from nowhere, changes nothing', () => {
    expect(completed({}, nobody)).toBeUndefined();
    expect(completed({context: {page: {path: '/'}}}, nobody)).toBeUndefined();
    expect(completed({}, {...nobody, userAgent: 'x'.repeat(2_000)})).toBeUndefined();
  });
});

/** `sent` wins. An object that the client sent as something else stays what it is, beside its members. */
function merged(added: Context, sent: Context): Context {
  const made: {[key: string]: Json} = {...sent};
  for (const [name, value] of Object.entries(added)) {
    const own = sent[name];
    if (own === undefined) made[name] = value;
    else if (typeof own === 'object' && own !== null && !Array.isArray(own))
      made[name] = {...(value as Context), ...(own as Context)};
  }
  return made;
}

function contextsIn(entries: BatchEntries): Map<number, Json> {
  const found = new Map<number, Json>();
  const view = new EntryView(entries.bytes);
  forEachStart(entries, 3, (start, entry) => {
    view.moveTo(start);
    const index = entries.indexes[entry]!;
    found.set(index, view.kind === 1 ? (JSON.parse(view.contextJson() ?? 'null') as Json) : 'identify');
  });
  return found;
}

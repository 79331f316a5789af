// Completes the context of events that come from browsers (docs/api.md, Web).
//   WC1. Only what the client did not send is added, and only members that reports ask by (actors/log/context.ts).
//   WC2. What is too long for a member is not added: the address of the page still has it.
//   WC3. Of a click id (`gclid`) only its presence stays: its value names one click of one person.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax, entryBytesMax} from '../../actors/limits.js';
import {type Context, contextMemberKeys} from '../../actors/log/context.js';
import {isEventEntry, type Json} from '../../actors/log/entries.js';
import {EntryView, PropertyCursor} from '../../actors/log/entry-view.js';
import {writeCompletedEvent} from '../../actors/log/rewritten-event.js';
import {type BatchEntries, EntryList, forEachStart} from './batch-entries.js';
import {isJsonObject} from './validate.js';

/** Values of members by their paths, such as `browser.name`. */
export type WebFacts = ReadonlyMap<string, Json>;

/** What a request of a browser says beside its events. */
export interface WebRequest {
  readonly userAgent: string;
  /** ISO 3166-1 alpha-2; undefined: unknown. */
  readonly country: string | undefined;
}

/** What a user agent says: `browser.name`, `device.type`, `bot` and others. */
export type ReadUserAgent = (userAgent: string) => WebFacts;

const textCharsMax = 256;
const pathCharsMax = 1_024;

const campaignNames = ['source', 'medium', 'name', 'term', 'content'] as const;
/** Of `utm_campaign` the context calls the value `name`. */
const parameterOf = (name: (typeof campaignNames)[number]): string => `utm_${name === 'name' ? 'campaign' : name}`;

/** Members of `page` with the address of a page, or its query. */
const addresses = ['url', 'search', 'referrer'] as const;
const clickIds =
  'gclid|gbraid|wbraid|dclid|fbclid|msclkid|ttclid|twclid|yclid|li_fat_id|igshid|epik|sccid|rdt_cid|_kx|vero_id|mc_eid';
const click = new RegExp(`([?&](?:${clickIds}))=[^&#]+`, 'gi');
const hasClick = (text: unknown): boolean => typeof text === 'string' && text.search(click) >= 0;

export class WebContext {
  private readonly readUserAgent: ReadUserAgent;
  private readonly startOf = new Int32Array(batchEventsMax);
  private readonly writer = new ByteWriter(2 * entryBytesMax);
  private lazyList: EntryList | undefined;

  constructor(readUserAgent: ReadUserAgent) {
    this.readUserAgent = readUserAgent;
  }

  /** The entries of a batch, completed. Valid as long as the given ones, and until the next batch. */
  batch(entries: BatchEntries, eventCount: number, partitionCount: number, request: WebRequest): BatchEntries {
    const {startOf} = this;
    startOf.fill(-1, 0, eventCount);
    forEachStart(entries, partitionCount, (start, entry) => {
      startOf[entries.indexes[entry]!] = start;
    });
    this.lazyList ??= new EntryList();
    const list = this.lazyList;
    list.clear();
    const view = new EntryView(entries.bytes);
    for (let index = 0; index < eventCount; index++) {
      const start = startOf[index]!;
      if (start >= 0) {
        const end = view.moveTo(start);
        const isWritten = isEventEntry(entries.bytes, start) && this.write(list.writer, view, request);
        if (!isWritten) list.writer.raw(entries.bytes, start, end);
      }
      list.endEvent();
    }
    return list.group(partitionCount);
  }

  /** The entry of a single event, written anew: `bytes` up to `end`, valid until the next call. Undefined: nothing is to be added. */
  single(
    bytes: Uint8Array,
    start: number,
    request: WebRequest,
  ): {readonly bytes: Uint8Array; readonly end: number} | undefined {
    const view = new EntryView(bytes);
    view.moveTo(start);
    this.writer.position = 0;
    if (!this.write(this.writer, view, request)) return undefined;
    return {bytes: this.writer.bytes, end: this.writer.position};
  }

  /** @returns false when nothing is to be added, and nothing was written. */
  private write(writer: ByteWriter, view: EntryView, request: WebRequest): boolean {
    const pairs = new PropertyCursor(view.bytes);
    pairs.open(view.propertiesStart);
    const rest = pairs.isAtContextRest && pairs.next() ? (pairs.json() as Context) : {};
    const present = new Set<string>();
    while (pairs.isAtContext && pairs.next()) present.add(pairs.contextPath);
    const members: [Uint8Array, Json][] = [];
    for (const [path, value] of this.factsOf(rest, request))
      if (!present.has(path) && hasRoomFor(path, rest)) members.push([contextMemberKeys.get(path)!, value]);
    const {page} = rest;
    const hasClickId = isJsonObject(page) && addresses.some((name) => hasClick(page[name]));
    if (members.length === 0 && !hasClickId) return false;
    writeCompletedEvent(writer, view, members, hasClickId ? withoutClickIds : undefined);
    return true;
  }

  private *factsOf(rest: Context, {userAgent, country}: WebRequest): Generator<readonly [string, Json]> {
    const own = rest.userAgent;
    yield* this.readUserAgent(typeof own === 'string' && own !== '' ? own : userAgent);
    if (country !== undefined) yield ['location.country', country];
    yield* factsOfPage(rest.page);
  }
}

/** Whether the client sent no text, list or other value in place of the object that the member is in. WC1 */
function hasRoomFor(path: string, rest: Context): boolean {
  const [head = ''] = path.split('.', 1);
  return !Object.hasOwn(rest, head) || isJsonObject(rest[head]);
}

function* factsOfPage(page: Json | undefined): Generator<readonly [string, Json]> {
  if (!isJsonObject(page)) return;
  const url = urlOf(page.url);
  const path = url?.pathname ?? '';
  if (path.startsWith('/') && path.length <= pathCharsMax) yield ['page.path', path];
  const query = url?.search || page.search;
  if (typeof query === 'string' && query.includes('utm_')) yield* factsOfCampaign(new URLSearchParams(query));
  const host = hostOf(urlOf(page.referrer));
  const ownHost = hostOf(url) || (typeof page.host === 'string' ? page.host : '');
  if (host !== '' && host !== withoutWww(ownHost) && host.length <= textCharsMax) yield ['referrer.host', host];
}

function* factsOfCampaign(query: URLSearchParams): Generator<readonly [string, Json]> {
  for (const name of campaignNames) {
    const value = query.get(parameterOf(name)) ?? '';
    if (value !== '' && value.length <= textCharsMax) yield [`campaign.${name}`, value];
  }
}

/** Some clients send a page's path alone. */
const nowhere = 'http://host.invalid';

function urlOf(text: unknown): URL | undefined {
  return typeof text === 'string' && text !== '' && URL.canParse(text, nowhere) ? new URL(text, nowhere) : undefined;
}

/** Empty for an address without a host. */
const hostOf = (url: URL | undefined): string =>
  url === undefined || url.origin === nowhere ? '' : withoutWww(url.hostname);

const withoutWww = (host: string): string => host.replace(/^www\./, '');

/** WC3 */
function withoutClickIds({page, ...rest}: Context): Context {
  const cut = {...(page as {[key: string]: Json})};
  for (const name of addresses) {
    const text = cut[name];
    if (typeof text === 'string') cut[name] = text.replace(click, '$1');
  }
  return {...rest, page: cut};
}

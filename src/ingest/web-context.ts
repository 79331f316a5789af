// Completes the context of events that come from browsers (docs/api/events.md, Pages).
//   WC1. Only what the client did not send is added, and only members that reports ask by (actors/log/context.ts).
//   WC2. What is too long for a member is not added: the address of the page still has it.
//   WC3. Of a click id (`gclid`) only its presence stays: its value names one click of one person.
import {ByteWriter} from '../../actors/bytes/bytes.js';
import {batchEventsMax, entryBytesMax} from '../../actors/limits.js';
import {type Context, contextMemberKeys} from '../../actors/log/context.js';
import {entryKind} from '../../actors/log/entries.js';
import {EntryView, PropertyCursor} from '../../actors/log/entry-view.js';
import type {Json} from '../../actors/log/json.js';
import {writeCompletedEvent} from '../../actors/log/rewritten-event.js';
import {RecentValues} from '../recent-values.js';
import {type BatchEntries, EntryList, findStarts} from './batch-entries.js';
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

/** Key of each member's pair, and the name of the object that the member is in. */
const places = new Map([...contextMemberKeys].map(([path, key]) => [path, {key, head: path.replace(/\..*/, '')}]));

const textCharsMax = 256;
const cachedCharsMax = 512;
const cachedMax = 4_096;
const pathCharsMax = 1_024;

const campaignNames = ['source', 'medium', 'name', 'term', 'content'] as const;
/** The parameter is called `utm_campaign`, and the member of the context `name`. */
const parameterOf = (name: (typeof campaignNames)[number]): string => `utm_${name === 'name' ? 'campaign' : name}`;

/** Members of `page` with the address of a page, or its query. */
const addresses = ['url', 'search', 'referrer'] as const;
const clickIds =
  'gclid|gbraid|wbraid|dclid|fbclid|msclkid|ttclid|twclid|yclid|li_fat_id|igshid|epik|sccid|rdt_cid|_kx|vero_id|mc_eid';
const click = new RegExp(`([?&](?:${clickIds}))=[^&#]+`, 'gi');

export class WebContext {
  private readonly readUserAgent: ReadUserAgent;
  private readonly startOf = new Int32Array(batchEventsMax);
  private readonly writer = new ByteWriter(2 * entryBytesMax);
  private lazyList: EntryList | undefined;
  private readonly addresses = new RecentValues<string, Address>(cachedMax);

  constructor(readUserAgent: ReadUserAgent) {
    this.readUserAgent = readUserAgent;
  }

  /** The entries of a batch, completed. Valid as long as the given ones, and until the next batch. */
  batch(entries: BatchEntries, eventCount: number, partitionCount: number, request: WebRequest): BatchEntries {
    const {startOf} = this;
    findStarts(entries, eventCount, partitionCount, startOf);
    this.lazyList ??= new EntryList();
    return this.lazyList.replace(
      entries.bytes,
      startOf,
      eventCount,
      partitionCount,
      (writer, view) => view.kind === entryKind.event && this.write(writer, view, request),
    );
  }

  /** Completes a single event. Its new entry is `bytes` up to `end`, valid until the next call. Undefined: the event lacks nothing. */
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
    const sent: string[] = [];
    while (pairs.isAtContext && pairs.next()) sent.push(pairs.contextPath);
    const members: [Uint8Array, Json][] = [];
    const add = (path: string, value: Json): void => {
      if (sent.includes(path)) return;
      const {key, head} = places.get(path)!;
      // What the client sent in place of the object stays. WC1
      if (!Object.hasOwn(rest, head) || isJsonObject(rest[head])) members.push([key, value]);
    };
    this.addFacts(rest, sent, request, add);
    const {page} = rest;
    const hasClickId = isJsonObject(page) && addresses.some((name) => this.addressOf(page[name])?.hasClickId);
    if (members.length === 0 && !hasClickId) return false;
    writeCompletedEvent(writer, view, members, hasClickId ? withoutClickIds : undefined);
    return true;
  }

  /** `sent`: paths of the members that the client sent. */
  private addFacts(
    {userAgent: own, page, campaign}: Context,
    sent: readonly string[],
    {userAgent, country}: WebRequest,
    add: (path: string, value: Json) => void,
  ): void {
    const facts = this.readUserAgent(typeof own === 'string' && own !== '' ? own : userAgent);
    for (const [path, value] of facts) add(path, value);
    if (country !== undefined) add('location.country', country);
    if (!isJsonObject(page)) return;
    const url = this.addressOf(page.url);
    if (url !== undefined && url.path !== '') add('page.path', url.path);
    // A campaign is of one address: what the client says of it is not mixed with another.
    const hasCampaign = isJsonObject(campaign) && Object.keys(campaign).length > 0;
    if (!hasCampaign && !sent.some((path) => path.startsWith('campaign.')))
      for (const [path, value] of (url?.campaign ?? this.addressOf(page.search)?.campaign) || []) add(path, value);
    const host = this.addressOf(page.referrer)?.host ?? '';
    const ownHost = url?.host || (typeof page.host === 'string' ? withoutWww(page.host) : '');
    if (host !== '' && host !== ownHost) add('referrer.host', host);
  }

  /** Addresses of pages come again and again. */
  private addressOf(text: unknown): Address | undefined {
    if (typeof text !== 'string' || text === '') return undefined;
    const known = this.addresses.get(text);
    if (known !== undefined) return known;
    const address = readAddress(text);
    if (text.length <= cachedCharsMax) this.addresses.set(text, address);
    return address;
  }
}

/** What the address of a page says. WC2 */
interface Address {
  /** Empty: none, or too long. */
  readonly path: string;
  readonly host: string;
  /** Undefined: the address has no query. */
  readonly campaign: readonly (readonly [path: string, value: string])[] | undefined;
  readonly hasClickId: boolean;
}

/** Some clients send a page's path or query alone. */
const nowhere = 'http://host.invalid';

function readAddress(text: string): Address {
  const hasClickId = text.search(click) >= 0;
  if (!URL.canParse(text, nowhere)) return {path: '', host: '', campaign: undefined, hasClickId};
  const {pathname, hostname, origin, search} = new URL(text, nowhere);
  const host = origin === nowhere ? '' : withoutWww(hostname);
  return {
    path: pathname.startsWith('/') && pathname.length <= pathCharsMax ? pathname : '',
    host: host.length <= textCharsMax ? host : '',
    campaign: search === '' ? undefined : campaignOf(new URLSearchParams(search)),
    hasClickId,
  };
}

const campaignOf = (query: URLSearchParams): [string, string][] =>
  campaignNames.flatMap((name) => {
    const value = query.get(parameterOf(name)) ?? '';
    return value === '' || value.length > textCharsMax ? [] : [[`campaign.${name}`, value] as [string, string]];
  });

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

// @millrace/sdk: events from pages, service workers, React Native and edge runtimes.
//   MR1. Nothing throws into the application: what goes wrong is a line of the console.
//   MR2. A call has its message id, its time and its page from the moment it was made. Ids of the visitor are added, and it is
//        queued, once the store is loaded, there is consent, and the page is seen and not only prerendered.
import {campaignOf, cleanAddress} from './address.js';
import {attempt} from './attempt.js';
import {
  type AnyEvents,
  type Fields,
  type MoreOfEvent,
  type MoreOfIdentify,
  newId,
  type SentEvent,
  type TrackArguments,
} from './calls.js';
import {captureClicks, capturePages, type Page} from './capture.js';
import {type Answer, type Outcome, openOutbox} from './outbox.js';
import {openStorage, type Storage} from './storage.js';
import {version} from './version.js';

export type {AnyEvents, Fields, MoreOfEvent, MoreOfIdentify, SentEvent, TrackArguments} from './calls.js';
export type {Outcome, Rejected} from './outbox.js';
export type {Storage} from './storage.js';

export interface Options {
  /** Address of the service, such as `https://millrace.example.com`. */
  readonly host: string;
  /** A write key. */
  readonly key: string;
  /**
   * Where ids and waiting calls are kept. `local` (the default): `localStorage`. `none`: nothing is kept, and the visitor has no id but
   * that which the service makes for the day (the key is to be one of pages). Else a store of the application, such as `AsyncStorage` of
   * React Native.
   */
  readonly storage?: 'local' | 'none' | Storage;
  /** Domain of cookies with the ids, such as `.example.com`: its subdomains then see one visitor. */
  readonly cookie?: string;
  /** Sends a `page` for each page, also where scripts change the address. */
  readonly pages?: boolean;
  /** Sends `outbound_link` for links that lead to another host. */
  readonly outbound?: boolean;
  /** Sends `download` for links to files. */
  readonly downloads?: boolean;
  /** Names of the query that stay in addresses; those of campaigns always do. */
  readonly keepQuery?: readonly string[];
  /** `pending`: calls wait in memory. `denied`: nothing is sent or stored, and what was stored is removed. */
  readonly consent?: 'granted' | 'pending' | 'denied';
  /** Signals of the browser that mean `denied`, whatever `consent` says. */
  readonly honour?: readonly ('gpc' | 'dnt')[];
  /** Changes an event before it is queued; without a result the event is dropped. */
  readonly before?: (event: SentEvent) => SentEvent | null | undefined | false;
}

export interface Millrace<Events extends object = AnyEvents> {
  track<Name extends keyof Events & string>(event: Name, ...more: TrackArguments<Events[Name]>): void;
  /** Sends the event `page`; with the option `pages` that is done for each page. */
  page(properties?: Fields, more?: MoreOfEvent): void;
  /** The visitor is this user from now on, and was it before. */
  identify(userId: string, traits?: Fields, more?: MoreOfIdentify): void;
  /** The user signed out: a new visitor begins. */
  reset(): void;
  consent(to: 'granted' | 'denied'): void;
  /** Sends what waits, and says what became of calls since the last `flush`. It never rejects. */
  flush(): Promise<Outcome>;
}

const limits = {
  callsMax: 1_000,
  bytesMax: 1_000_000,
  pieceCallsMax: 100,
  pieceBytesMax: 60_000,
  fullCalls: 30,
  waitMs: 3_000,
};
const sessionIdleMs = 30 * 60_000;
const answerMsMax = 30_000;

export function start<Events extends object = AnyEvents>({
  host,
  key,
  storage: store = 'local',
  cookie,
  pages,
  outbound,
  downloads,
  keepQuery = [],
  consent = 'granted',
  honour = [],
  before,
}: Options): Millrace<Events> {
  const page = globalThis.document as Page | undefined;
  const agent = globalThis.navigator as (Partial<Navigator> & {readonly globalPrivacyControl?: boolean}) | undefined;
  const base = host.replace(/\/$/, '');
  const memory = openStorage(base, store, cookie);
  let referrer = page?.referrer ?? '';
  let here = page && location.href;
  /** Calls that were made too early. MR2 */
  let held: (() => void)[] = [];
  let isLoaded = false;
  let isOpen = false;

  const nowMs = (): number => Date.now();
  const say = (...words: unknown[]): void => console.warn('millrace:', ...words);
  /** MR1 */
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      say(error);
    }
  };

  // ---- sending ----

  const hasKeepalive = 'keepalive' in Request.prototype;

  async function post(path: string, body: string, isKept: boolean, isLast: boolean): Promise<Answer> {
    const url = `${base}${path}?write_key=${key}`;
    // The outcome of a beacon is never known, so its calls stay in the queue.
    if (isLast && !hasKeepalive) throw navigator.sendBeacon(url, body);
    const answer = await fetch(url, {
      method: 'POST',
      body, // Its type is text/plain, which needs no preflight.
      keepalive: isKept,
      signal: AbortSignal.timeout?.(answerMsMax),
    });
    const told = await answer.json().catch(() => undefined);
    return {status: answer.status, retryAfter: Number(answer.headers.get('retry-after')) || 0, told};
  }

  const later = (work: () => void, ms: number): (() => void) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  };

  const outbox = openOutbox({nowMs, later, post, say, keep: memory.keep}, limits);

  // ---- when calls are queued ----

  function whenOpen(call: () => void): void {
    if (isOpen) call();
    else if (consent !== 'denied' && held.push(call) > limits.callsMax) {
      held.shift();
      outbox.drop();
    }
  }

  /** MR2 */
  function open(): void {
    if (!isLoaded || consent !== 'granted' || page?.prerendering) return;
    isOpen = true;
    memory.persist(true);
    outbox.adopt(memory.kept());
    for (const call of held.splice(0)) safely(call);
  }

  const isHonoured =
    (honour.includes('gpc') && agent?.globalPrivacyControl) || (honour.includes('dnt') && agent?.doNotTrack === '1');

  function setConsent(to: 'granted' | 'pending' | 'denied'): void {
    consent = isHonoured ? 'denied' : to;
    if (consent !== 'denied') {
      open();
      return;
    }
    held = [];
    isOpen = false;
    outbox.clear();
    for (const [id] of memory.kept()) memory.keep.remove(id);
    memory.persist(true); // Cookies are removed by writing them.
    forgetVisitor();
    memory.persist(false);
  }

  // ---- the visitor ----

  function forgetVisitor(): void {
    for (const name of ['id', 'user', 'session'] as const) memory.write(name, '');
  }

  /** Without storage the service names the visitor. */
  function visitor(): string | undefined {
    if (store === 'none') return undefined;
    const id = memory.read('id') || newId(nowMs());
    memory.write('id', id);
    return id;
  }

  /** Nothing where each start would begin one. */
  function session(): Fields | undefined {
    if (!memory.hasStore) return undefined;
    const [known, seenMs] = memory.read('session').split(' ');
    const now = nowMs();
    const isKnown = known && now - Number(seenMs) < sessionIdleMs;
    const id = isKnown ? known : newId(now);
    memory.write('session', `${id} ${now}`);
    return isKnown ? {id} : {id, start: true};
  }

  // ---- calls ----

  function contextNow(): Fields {
    const url = page && cleanAddress(location.href, keepQuery);
    return {
      library: {name: '@millrace/sdk', version},
      ...((page || memory.hasStore) && {
        locale: agent?.language,
        timezone: attempt(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
      }),
      ...(url && {
        page: {
          path: url.pathname,
          url: url.href,
          title: page.title,
          referrer: cleanAddress(referrer, keepQuery)?.href,
          search: url.search,
        },
        campaign: campaignOf(url),
        screen: {width: screen.width, height: screen.height},
      }),
    };
  }

  /** As it is now, whatever the application does with its objects later. */
  function callOf<Call>(fields: Call): Call & {timestamp: string; messageId: string} {
    const now = nowMs();
    const call = {timestamp: new Date(now).toISOString(), messageId: newId(now), ...fields};
    return JSON.parse(JSON.stringify(call)) as typeof call;
  }

  const track = (event: string, properties?: Fields, {context, ...more}: MoreOfEvent = {}): void =>
    safely(() => {
      const call: SentEvent = callOf({event, properties, ...more, context: {...contextNow(), ...context}} as object & {
        event: string;
      });
      const {messageId} = call;
      whenOpen(() => {
        // An edge serves many people: what one of them did is never joined with another's.
        if (!call.userId && !call.anonymousId) {
          call.anonymousId = visitor();
          const user = memory.read('user');
          if (user) call.userId = user;
          call.context = {...call.context, session: session()};
        }
        const sent = before ? before(call) : call;
        if (sent) outbox.add(messageId, `e${JSON.stringify(sent)}`);
      });
    });

  const viewed = (properties?: Fields, more?: MoreOfEvent): void => {
    if (page && here !== location.href) [referrer, here] = [here!, location.href];
    track('page', properties, more);
  };

  // ---- what a page does ----

  if (page) {
    addEventListener('pagehide', outbox.leave);
    addEventListener('online', outbox.wake);
    page.addEventListener('visibilitychange', () => {
      if (page.hidden) outbox.leave();
      else if (isOpen) outbox.adopt(memory.kept()); // Tabs that crashed left theirs.
    });
    page.addEventListener('prerenderingchange', open);
    captureClicks(outbound, downloads, keepQuery, track);
  }

  const loading = memory.load();
  const loaded = (): void => {
    isLoaded = true;
    setConsent(consent);
  };
  if (loading) void loading.then(loaded);
  else loaded();
  if (page && pages) capturePages(page, viewed);

  return {
    track: track as Millrace<Events>['track'],
    page: viewed,
    identify: (userId, traits = {}, {once, ...more} = {}) =>
      safely(() => {
        if (!userId) throw new Error('identify needs a user id');
        const call = callOf({userId: String(userId), traits, traitsOnce: once, ...more});
        whenOpen(() => {
          const known = memory.read('user');
          // Else one visitor would be two users.
          if (known && known !== call.userId) forgetVisitor();
          call.anonymousId ??= visitor();
          memory.write('user', call.userId);
          outbox.add(call.messageId, `i${JSON.stringify(call)}`);
        });
      }),
    reset: () => safely(() => whenOpen(forgetVisitor)),
    consent: (to) => safely(() => setConsent(to)),
    async flush() {
      await loading;
      await outbox.flush();
      const outcome = outbox.outcome();
      return {...outcome, waiting: outcome.waiting + held.length};
    },
  };
}

// The one event stream of this browser, in a SharedWorker: six connections are all that a browser opens to one service, and
// with a stream for each tab the seventh would hang for ever.
//   SW1. The stream carries what the tabs that are visible show, together; without any wish there is no stream.
//   SW2. A tab that comes later gets the newest state at once.
//   SW3. A tab that closed without saying so stops counting when it has been silent for `tabMsMax`.
//   SW4. A tab is told `open` only when the stream carries what it wants: a page that says it listens must not miss an event.
//   SW5. A stream that carries more than is wanted now stays while somebody watches what comes: between two streams an event
//        would be missed.

/** Message of a tab: everything it wants now. A tab repeats it every `tabSaysEveryMs`. */
export interface TabWish {
  /** Ordinal of the wish in its tab: the answer names it. */
  readonly number: number;
  readonly topics: readonly string[];
  /** Filter of arrivals, as a query; empty: all. */
  readonly filter?: string;
}

export type StreamNews =
  | {readonly kind: 'event'; readonly topic: string; readonly data: string}
  /** `opening`: a stream with other topics takes the place of the last one. `refused`: the service gives none now. */
  | {readonly kind: 'state'; readonly state: 'opening' | 'open' | 'lost' | 'refused'; readonly wish: number};

const tabSaysEveryMs = 20_000;
/** Timers of a hidden tab run once a minute. */
const tabMsMax = 150_000;
const againMs = 10_000;
/** Several tabs, or several parts of one, change their minds at once. */
const settleMs = 50;

interface Scope {
  onconnect: (event: MessageEvent) => void;
  readonly location: Location;
}

interface Tab {
  wish: TabWish;
  heardMs: number;
}

const scope = self as unknown as Scope;
const tabs = new Map<MessagePort, Tab>();
const states = ['schema', 'vitals', 'published'];
const topics = [...states, 'arrivals', 'refusals', 'keys', 'dropped', 'bye'];
const newest = new Map<string, StreamNews>();
let source: EventSource | undefined;
let address = '';
let state: 'opening' | 'open' | 'lost' | 'refused' | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;
let trying: ReturnType<typeof setTimeout> | undefined;

scope.onconnect = ({ports}) => {
  const port = ports[0]!;
  tabs.set(port, {wish: {number: 0, topics: []}, heardMs: Date.now()});
  port.onmessage = ({data}: MessageEvent<TabWish>) => {
    tabs.set(port, {wish: data, heardMs: Date.now()});
    for (const topic of states) {
      const news = newest.get(topic); // SW2
      if (news !== undefined && source !== undefined) port.postMessage(news);
    }
    if (state !== undefined) tell(state);
    settle();
  };
};

setInterval(() => {
  for (const [port, {heardMs}] of tabs) if (Date.now() - heardMs > tabMsMax) tabs.delete(port); // SW3
  settle();
}, tabSaysEveryMs);

function settle(): void {
  if (settling !== undefined) return;
  settling = setTimeout(() => {
    settling = undefined;
    follow(wanted());
  }, settleMs);
}

/** SW1. @returns the address of the stream; empty when no tab wants one. */
function wanted(): string {
  const wishes = [...tabs.values()].map(({wish}) => wish);
  const all = [...new Set(wishes.flatMap((wish) => wish.topics))].sort();
  if (all.length === 0) return '';
  const query = new URLSearchParams({topics: all.join(',')});
  // The stream has one filter. Tabs with different ones get all arrivals, and choose.
  const filters = wishes.filter((wish) => wish.topics.includes('arrivals')).map(({filter}) => filter);
  const [first] = filters;
  const filter = first && filters.every((other) => other === first) ? `&${first}` : '';
  return `${new URL('../api/stream', scope.location.href).href}?${query}${filter}`;
}

function follow(next: string): void {
  if (source !== undefined && carries(next)) return;
  clearTimeout(trying);
  source?.close();
  source = undefined;
  address = next;
  if (next === '') {
    newest.clear();
    state = undefined;
    return;
  }
  tell('opening');
  open();
}

/** Whether the present stream also carries `next`. A stream with a filter, after an `&`, lacks the other events. SW5 */
function carries(next: string): boolean {
  const wants = topicsOf(next);
  const isWider = wants.includes('arrivals') && wants.every((topic) => topicsOf(address).includes(topic));
  return next === address || (isWider && !address.includes('&'));
}

const topicsOf = (stream: string): string[] => stream.split(/topics=|%2C|&/).slice(1);

function open(): void {
  const opened = new EventSource(address);
  source = opened;
  opened.onopen = () => tell('open');
  opened.onerror = () => {
    if (opened !== source) return;
    if (opened.readyState !== EventSource.CLOSED) {
      tell('lost'); // The browser tries again by itself.
      return;
    }
    source = undefined;
    newest.clear();
    tell('refused');
    trying = setTimeout(() => follow(wanted()), againMs);
  };
  for (const topic of topics) {
    opened.addEventListener(topic, ({data}: MessageEvent<string>) => {
      if (opened !== source) return;
      const news: StreamNews = {kind: 'event', topic, data};
      if (states.includes(topic)) newest.set(topic, news);
      for (const port of tabs.keys()) port.postMessage(news);
    });
  }
}

/** SW4 */
function tell(now: NonNullable<typeof state>): void {
  state = now;
  const told = now === 'open' && !carries(wanted()) ? 'opening' : now;
  for (const [port, {wish}] of tabs)
    port.postMessage({kind: 'state', state: told, wish: wish.number} satisfies StreamNews);
}

// Live data for the pages. One SharedWorker of the browser holds the one stream (stream-worker.ts); this tab tells it what the
// page wants, and passes on what comes.
//   SR1. A hidden tab wants nothing but publications.
//   SR2. Without a SharedWorker, and while the service gives no stream, pages that need numbers poll for them (load.ts):
//        `streamState` tells which it is.
import {signal} from '@preact/signals';
import {useLayoutEffect, useRef} from 'preact/hooks';
import {isSignedOut} from './client';
import type {StreamNews, TabWish} from './stream-worker';
import workerAddress from './stream-worker?sharedworker&url';

export type Topic = 'vitals' | 'published' | 'arrivals' | 'refusals' | 'keys';

/** `none`: there is no SharedWorker here. */
type StreamState = 'opening' | 'open' | 'lost' | 'refused' | 'none';

interface Listener {
  readonly topic: string;
  readonly filter: string;
  readonly take: (data: unknown) => void;
}

const saysEveryMs = 20_000;

export const streamState = signal<StreamState>('opening');
const listeners = new Set<Listener>();
let port: MessagePort | undefined;
/** The newest wish of this tab. */
let said: TabWish = {number: 0, topics: []};

/** The only script whose address is made of a text: constant, and of this build. */
const policy = (
  globalThis as {
    trustedTypes?: {
      createPolicy(name: string, rules: {createScriptURL(): string}): {createScriptURL(text: string): unknown};
    };
  }
).trustedTypes?.createPolicy('stream-worker', {createScriptURL: () => workerAddress});

function connect(): MessagePort | undefined {
  if (port !== undefined || typeof SharedWorker === 'undefined') return port;
  const address = (policy?.createScriptURL('') ?? workerAddress) as string;
  const worker = new SharedWorker(address, {type: 'module', name: 'millrace'});
  port = worker.port;
  port.onmessage = ({data}: MessageEvent<StreamNews>) => take(data);
  return port;
}

function take(news: StreamNews): void {
  if (news.kind === 'state') {
    if (news.wish === said.number) streamState.value = news.state; // Another number belongs to a stream that lacks a topic.
    return;
  }
  if (news.topic === 'bye' && (JSON.parse(news.data) as {why: string}).why === 'signed_out') isSignedOut.value = true;
  const wishes = [...listeners].filter(({topic}) => topic === news.topic);
  if (wishes.length === 0) return;
  const data: unknown = JSON.parse(news.data);
  for (const {take: hand} of wishes) hand(data);
}

function wish(): TabWish {
  const shown = [...listeners].filter(({topic}) => topic !== 'schema');
  const wanted = document.visibilityState === 'visible' ? shown : shown.filter(({topic}) => topic === 'published'); // SR1
  const filter = wanted.find(({topic}) => topic === 'arrivals')?.filter ?? '';
  return {number: said.number + 1, topics: [...new Set(wanted.map(({topic}) => topic))], filter};
}

function say(): void {
  if (listeners.size === 0 && port === undefined) return;
  const open = connect();
  const wanted = wish();
  const isMore = wanted.topics.some((topic) => !said.topics.includes(topic));
  if (open === undefined) streamState.value = 'none';
  else {
    // The worker says when the stream carries it (SW4).
    if (isMore || wanted.filter !== said.filter) streamState.value = 'opening';
    open.postMessage(wanted);
  }
  said = wanted;
}

document.addEventListener('visibilitychange', say);
addEventListener('pageshow', ({persisted}) => persisted && say());
addEventListener('pagehide', () => port?.postMessage({number: said.number, topics: []} satisfies TabWish));
setInterval(say, saysEveryMs);

/** `filter`: of arrivals, as a query. @returns what ends it. `schema` comes with `vitals`. */
export function listen<Data>(topic: Topic | 'schema', hand: (data: Data) => void, filter = ''): () => void {
  const listener: Listener = {topic, filter, take: hand as (data: unknown) => void};
  listeners.add(listener);
  say();
  return () => {
    listeners.delete(listener);
    say();
  };
}

/**
 * Listens while the component lives, from before it is painted: until the stream carries the topic, `streamState` must not show that
 * it is open for what the page wanted before.
 */
export function useTopic<Data>(topic: Topic, hand: (data: Data) => void, filter = ''): void {
  const newest = useRef(hand);
  newest.current = hand;
  useLayoutEffect(() => listen<Data>(topic, (data) => newest.current(data), filter), [topic, filter]);
}

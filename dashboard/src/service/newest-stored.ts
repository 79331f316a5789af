// The newest stored events, which stand below those that arrive until these fill a list.
//   NS1. Nothing later than now is asked for: events of a clock that is ahead would stand before all others.
//   NS2. A user of a filter is either kind of id, so both are asked for.
//   NS3. They are read once the stream carries what arrives, so that no event is missed between the two. Those that arrived meanwhile
//        are in both: only events from before the first that arrived are listed.
import {useEffect, useState} from 'preact/hooks';
import type {HistoryAnswer, StoredEvent} from '../../../src/edge/answers/events.js';
import {type ArrivalFilter, filterPairs, filterText} from './arrivals';
import {type Answer, type Fault, read} from './client';
import {streamState} from './stream';

interface NewestStored {
  /** Newest first by their receipt; undefined until they are read. */
  readonly events: readonly StoredEvent[] | undefined;
  readonly fault: Fault | undefined;
  readonly again: () => void;
}

/** Events as they were when the stream began to carry the arrivals of this filter. */
export function useNewestStored(limit: number, filter: ArrivalFilter = {}): NewestStored {
  const [stored, setStored] = useState<Omit<NewestStored, 'again'>>({events: undefined, fault: undefined});
  const [round, setRound] = useState(0);
  const isOpening = streamState.value === 'opening';
  useEffect(() => {
    const aborter = new AbortController();
    setStored({events: undefined, fault: undefined});
    if (isOpening) return undefined; // NS3
    const paths = newestPaths(limit, filter, new Date());
    Promise.all(paths.map((path) => read<HistoryAnswer>(path, aborter.signal))).then(
      (answers) => setStored(storedOf(answers, limit)),
      () => {}, // Aborted: another filter is asked for.
    );
    return () => aborter.abort();
  }, [filterText(filter), round, isOpening]);
  return {...stored, again: () => setRound(round + 1)};
}

/** NS1, NS2 */
export function newestPaths(limit: number, {user, ...filter}: ArrivalFilter, now: Date): string[] {
  const common = [...filterPairs(filter), ['to', now.toISOString()], ['limit', String(limit)]];
  const ids = user === undefined ? [[]] : [[['userId', user]], [['anonymousId', user]]];
  return ids.map((id) => `v1/events?${new URLSearchParams([...id, ...common])}`);
}

/** Code of the service for a device that is known to be a user: what it did is that user's. */
const unknown = 'user_not_found';

function storedOf(answers: readonly Answer<HistoryAnswer>[], limit: number): Omit<NewestStored, 'again'> {
  const fault = answers.find((answer) => answer.kind === 'fault' && answer.fault.code !== unknown);
  if (fault?.kind === 'fault') return {events: undefined, fault: fault.fault};
  const events = answers.flatMap((answer) => (answer.kind === 'value' ? answer.value.data : []));
  const receiptOf = ({received_at: at}: StoredEvent): number => Date.parse(at);
  return {events: events.sort((a, b) => receiptOf(b) - receiptOf(a)).slice(0, limit), fault: undefined};
}

/** Those of `stored` that were received before the first of `arrived`. Epoch ms. NS3 */
export function storedBefore(
  stored: readonly StoredEvent[],
  arrived: readonly {readonly received: number}[],
): readonly StoredEvent[] {
  const firstMs = Math.min(...arrived.map(({received}) => received));
  return stored.filter(({received_at: at}) => Date.parse(at) < firstMs);
}

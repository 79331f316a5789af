// The events of one person, newest first, page by page. Pages never shift while events arrive (docs/api/events.md, History).

import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {HistoryAnswer, StoredEvent} from '../../../src/edge/answers/events.js';
import {historyPath, type PersonId} from '../address/report-address';
import {type Fault, read} from './client';

export interface History {
  readonly events: readonly StoredEvent[];
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly fault: Fault | undefined;
}

const pageMax = 1_000;
const nothing = {events: [], hasMore: true, isReading: true, fault: undefined};

/** @returns what was read so far, and what reads the page after it. */
export function useHistory(person: PersonId): [History, () => void] {
  const state = useSignal<History & {readonly cursor?: string | undefined}>(nothing);
  const readOn = async (
    before: History & {readonly cursor?: string | undefined},
    signal?: AbortSignal,
  ): Promise<void> => {
    state.value = {...before, isReading: true, fault: undefined};
    const answer = await read<HistoryAnswer>(historyPath(person, pageMax, before.cursor), signal).catch(
      () => undefined,
    );
    if (answer === undefined || signal?.aborted === true) return;
    if (answer.kind === 'fault') {
      state.value = {...before, isReading: false, fault: answer.fault};
      return;
    }
    const {data, has_more: hasMore, next_cursor: next} = answer.value;
    const events = [...before.events, ...data];
    state.value = {events, hasMore, cursor: next ?? undefined, isReading: false, fault: undefined};
  };
  useEffect(() => {
    const aborter = new AbortController();
    void readOn(nothing, aborter.signal);
    return () => aborter.abort();
  }, [person.kind, person.id]);
  return [state.value, () => void readOn(state.peek())];
}

// A list of people, page by page.
//   UL1. All pages are of one snapshot, so that nobody is on two of them or on none. One that is not held any more begins anew.
//   UL2. While one page is shown it is read again when a publication is due; several are not: they would move.
import {useSignal} from '@preact/signals';
import {useEffect, useRef} from 'preact/hooks';
import type {UsersAnswer} from '../../../src/edge/answers/users.js';
import {type Fault, read} from './client';
import {type Freshness, freshnessIn} from './freshness';
import {expectPublication, publication} from './publication';

export type ListedUser = UsersAnswer['data'][number];

interface UserList {
  readonly users: readonly ListedUser[];
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly fault: Fault | undefined;
  /** `fault` is why the list, which is shown, is not renewed. */
  readonly isRenewal: boolean;
  readonly freshness: Freshness | undefined;
}

interface State extends UserList {
  readonly cursor: string | null;
}

const nothing: State = {
  users: [],
  hasMore: false,
  isReading: true,
  fault: undefined,
  isRenewal: false,
  freshness: undefined,
  cursor: null,
};

type Page = {readonly cursor: string; readonly at: string};

/** @param pathOf a page; its first one without an argument. @returns what was read so far, what reads on, what begins anew. */
export function useUserList(pathOf: (page?: Page) => string): [UserList, () => void, () => void] {
  const state = useSignal<State>(nothing);
  const first = pathOf();
  const round = publication.value;
  const shown = useRef({first: '', isOnePage: true}).current;
  const readPage = async (before: State, signal?: AbortSignal, isAgain = false): Promise<void> => {
    if (!isAgain) state.value = {...before, isReading: true, fault: undefined};
    const at = before.freshness?.position;
    const page = before.cursor === null || at === undefined ? undefined : {cursor: before.cursor, at};
    const answer = await read<UsersAnswer>(pathOf(page), signal).catch(() => undefined); // Aborted.
    if (answer === undefined || signal?.aborted === true) return;
    if (answer.kind === 'fault') {
      if (answer.fault.code === 'snapshot_gone' && page !== undefined) return readPage(nothing, signal); // UL1
      state.value = {...(isAgain ? state.peek() : before), isReading: false, fault: answer.fault, isRenewal: isAgain};
      return;
    }
    const {data, has_more: hasMore, next_cursor: cursor} = answer.value;
    const users = page === undefined ? data : [...before.users, ...data];
    const freshness = freshnessIn(answer.headers);
    shown.isOnePage = page === undefined;
    if (freshness !== undefined) expectPublication(freshness.nextByMs); // UL2
    state.value = {users, hasMore, cursor, isReading: false, fault: undefined, isRenewal: false, freshness};
  };
  useEffect(() => {
    const isAgain = shown.first === first;
    if (isAgain && !shown.isOnePage) return undefined; // UL2
    shown.first = first;
    const aborter = new AbortController();
    // Users of the question before stay until the answer.
    void readPage({...state.peek(), cursor: null, freshness: undefined}, aborter.signal, isAgain);
    return () => aborter.abort();
  }, [first, round]);
  return [state.value, () => void readPage(state.peek()), () => void readPage(nothing)];
}

// The answer to a request of a page, as a signal. The last answer stays while the page asks again.
import {type Signal, useSignal} from '@preact/signals';
import {useCallback, useEffect, useRef} from 'preact/hooks';
import {type Answer, type Fault, read} from './client';

export interface Asked<Value> {
  readonly value: Value | undefined;
  readonly headers: Headers | undefined;
  readonly fault: Fault | undefined;
  /** An answer is on its way. */
  readonly isAsking: boolean;
}

const nothing = {value: undefined, headers: undefined, fault: undefined, isAsking: true};

/** `path` undefined: nothing is asked yet. @returns what is known, and what asks again. */
export function useAsked<Value>(path: string | undefined): [Signal<Asked<Value>>, () => void] {
  const asked = useSignal<Asked<Value>>(nothing);
  const numbers = useRef({asked: 0, answered: 0});
  const ask = useCallback((): (() => void) => {
    if (path === undefined) return () => {};
    const aborter = new AbortController();
    const number = ++numbers.current.asked;
    asked.value = {...asked.peek(), isAsking: true};
    read<Value>(path, aborter.signal).then(
      (answer) => {
        // An older answer that comes later would hide a change that this page has made.
        if (aborter.signal.aborted || number < numbers.current.answered) return;
        numbers.current.answered = number;
        asked.value = taken(asked.peek(), answer);
      },
      () => {}, // Aborted: the page asks something else.
    );
    return () => aborter.abort();
  }, [path]);
  useEffect(ask, [ask]);
  return [asked, ask as () => void];
}

/** Time between two questions for data whose changes the stream does not announce. */
const askAgainMs = 5_000;

/** Calls `ask` every few seconds while the page is visible. */
export function useAskAgain(ask: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && ask(), askAgainMs);
    return () => clearInterval(timer);
  }, [ask]);
}

function taken<Value>(before: Asked<Value>, answer: Answer<Value>): Asked<Value> {
  if (answer.kind === 'fault') return {...before, fault: answer.fault, isAsking: false};
  return {value: answer.value, headers: answer.headers, fault: undefined, isAsking: false};
}

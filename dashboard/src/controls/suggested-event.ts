// The event that a page begins with, so that it shows something before anybody chose: a sign-up, or else what is most frequent.

import {useEffect} from 'preact/hooks';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {Days} from '../address/range';
import {namesQuestion} from '../address/report-address';
import type {Fault} from '../service/client';
import {useReports} from '../service/reports';
import {suggestedOf} from './suggested-name';

const askedMax = 200;

interface Suggesting {
  /** Whether these days have no event. */
  readonly isNone: boolean;
  readonly fault: Fault | undefined;
  readonly again: () => void;
}

/** The most frequent names of these days, the most frequent first. `days` undefined: they are not asked for. */
export function useNames(days: Days | undefined) {
  const {shown, again} = useReports(undefined, days && [namesQuestion(days, askedMax)]);
  const report = shown?.reports[0];
  return {value: report?.value as NamesAnswer | undefined, fault: report?.fault, again};
}

/** `take` gets a name once it is known, unless one `isChosen`. `suggest`: of the names, the most frequent one first. */
export function useSuggestedEvent(
  isChosen: boolean,
  days: Days,
  take: (name: string) => void,
  suggest: (names: readonly string[]) => string | undefined = suggestedOf,
): Suggesting {
  const {value, fault, again} = useNames(isChosen ? undefined : days);
  const name = suggest(value?.data.map((one) => one.name) ?? []);
  useEffect(() => {
    if (!isChosen && name !== undefined) take(name);
  }, [isChosen, name]);
  return {isNone: !isChosen && value !== undefined && name === undefined, fault: isChosen ? undefined : fault, again};
}

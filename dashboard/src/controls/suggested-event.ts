// The event that a page begins with, so that it shows something before anybody chose: a sign-up, or else what is most frequent.

import {useEffect} from 'preact/hooks';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import type {Days} from '../address/range';
import {namesPath} from '../address/report-address';
import {useAsked} from '../service/asked';
import type {Fault} from '../service/client';
import {suggestedOf} from './suggested-name';

const askedMax = 200;

interface Suggesting {
  /** Whether these days have no event. */
  readonly isNone: boolean;
  readonly fault: Fault | undefined;
  readonly again: () => void;
}

/** `take` gets a name once it is known, unless one `isChosen`. `suggest`: of the names, the most frequent one first. */
export function useSuggestedEvent(
  isChosen: boolean,
  days: Days,
  take: (name: string) => void,
  suggest: (names: readonly string[]) => string | undefined = suggestedOf,
): Suggesting {
  const [asked, again] = useAsked<NamesAnswer>(isChosen ? undefined : namesPath(days, askedMax));
  const {value, fault} = asked.value;
  const name = suggest(value?.data.map((one) => one.name) ?? []);
  useEffect(() => {
    if (!isChosen && name !== undefined) take(name);
  }, [isChosen, name]);
  return {isNone: !isChosen && value !== undefined && name === undefined, fault: isChosen ? undefined : fault, again};
}

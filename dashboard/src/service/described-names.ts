// What people say of names of events, as this browser last read it.
import {useEffect} from 'preact/hooks';
import type {DescribedNameAnswer} from '../../../src/edge/answers/described-names.js';
import {keptList} from './kept-list';

export type DescribedName = DescribedNameAnswer;

export const describedNames = keptList<DescribedName>('v1/described-names');

/** Read once a page, when they are first wanted; empty while they are not known. */
export function useDescribedNames(areWanted = true): readonly DescribedName[] {
  useEffect(() => {
    if (areWanted && describedNames.items.peek() === undefined) void describedNames.read();
  }, [areWanted]);
  return describedNames.items.value ?? [];
}

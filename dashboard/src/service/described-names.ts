// What people say of names of events, as this browser last read it.
import {useEffect} from 'preact/hooks';
import type {DescribedNameAnswer} from '../../../src/edge/answers/described-names.js';
import {keptList} from './kept-list';

export type DescribedName = DescribedNameAnswer;

export const describedNames = keptList<DescribedName>('v1/described-names');

/** Read once a page; empty while they are not known. */
export function useDescribedNames(): readonly DescribedName[] {
  useEffect(() => {
    if (describedNames.items.peek() === undefined) void describedNames.read();
  }, []);
  return describedNames.items.value ?? [];
}

// The first day with data: a page compares with no time before it.

import {signal} from '@preact/signals';
import {useLayoutEffect} from 'preact/hooks';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import {dayOfMs} from '../address/range';
import {namesMax, namesQuestion} from '../address/report-address';
import {wallMs} from '../address/zone';
import {askTogether} from './questions';
import {everyDay} from './stored-days';
import {today} from './today';

/** Time of the earliest event, epoch ms. Undefined while it is not known, and where there are more names than one answer has. */
const firstMs = signal<number | undefined>(undefined);
let isAsked = false;
/** The answer is of use to every page. */
const {signal: stays} = new AbortController();

async function look(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  const answers = await askTogether([namesQuestion(everyDay(today.peek()), namesMax)], stays);
  const [answer] = answers?.values() ?? [];
  const names = answer?.kind === 'value' ? (answer.value as NamesAnswer) : undefined;
  isAsked = names !== undefined && names.data.length > 0; // While there are no events, each page asks again.
  if (names === undefined || names.has_more || !isAsked) return;
  firstMs.value = Math.min(...names.data.map(({first_seen}) => Date.parse(first_seen)));
}

/** The first day with data in the zone; undefined where it is not known. */
export function useFirstDay(zone: string, isNeeded = true): number | undefined {
  useLayoutEffect(() => {
    if (isNeeded) void look();
  }, []);
  return firstMs.value === undefined ? undefined : dayOfMs(wallMs(zone, firstMs.value));
}

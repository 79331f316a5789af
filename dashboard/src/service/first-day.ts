// The first day with data: a page compares with no time before it.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {NamesAnswer} from '../../../src/edge/answers/lists.js';
import {isShared} from '../address/base';
import {dayOfMs} from '../address/range';
import {namesMax, namesPath} from '../address/report-address';
import {read} from './client';
import {today} from './today';

/** Time of the earliest event, epoch ms. Undefined while it is not known, and where there are more names than one answer has. */
const firstMs = signal<number | undefined>(undefined);
let isAsked = isShared;

async function look(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  const answer = await read<NamesAnswer>(namesPath({from: 0, to: today.peek() + 1}, namesMax));
  isAsked = answer.kind === 'value' && answer.value.data.length > 0; // While there are no events, each page asks again.
  if (answer.kind !== 'value' || answer.value.has_more || !isAsked) return;
  firstMs.value = Math.min(...answer.value.data.map(({first_seen}) => Date.parse(first_seen)));
}

const ofUtc = (_: string, ms: number): number => ms;

/** The first day with data in the zone; undefined where it is not known. `wallMs` (zone.ts): given by pages that have zones. */
export function useFirstDay(wallMs = ofUtc, zone = ''): number | undefined {
  useEffect(() => void look(), []);
  return firstMs.value === undefined ? undefined : dayOfMs(wallMs(zone, firstMs.value));
}

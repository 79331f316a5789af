// Everybody behind a number as a CSV, of one snapshot.
import type {NumberPlace} from '../../../src/asks/question/flat.js';
import type {Cell} from '../charts/csv';
import type {Fault} from '../service/client';
import {titleIn} from '../service/titles';
import {downloadCsv} from '../shell/download';
import {askPeople, type PeoplePage} from './people-behind';

const pagePeople = 1_000;
/** A browser holds the whole file in memory. */
const peopleMax = 100_000;

/** @param at position of the report that has the number; undefined: the newest. @returns why there is no file. */
export async function downloadPeople(behind: NumberPlace, at: string | undefined): Promise<Fault | undefined> {
  const rows: Cell[][] = [];
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    if (rows.length >= peopleMax) return tooMany;
    const answer = await askPeople(behind, {limit: pagePeople, cursor}, at);
    if (answer.kind === 'fault') return answer.fault;
    const {data, next_cursor: next} = answer.value as PeoplePage;
    rows.push(...data.map((one) => [one.id, one.kind, titleIn(one.traits) ?? '', one.last_seen]));
    cursor = next ?? undefined;
    isLast = next === null;
  }
  downloadCsv('people', [['id', 'kind', 'title', 'last_seen'], ...rows]);
  return undefined;
}

const tooMany: Fault = {
  code: 'too_many_people',
  message: `more than ${peopleMax.toLocaleString('en-US')} people are too many for a browser: read them by the API`,
  status: 0,
};

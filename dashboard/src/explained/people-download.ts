// Everybody behind a number as a CSV, of one snapshot.
import type {Cell} from '../charts/csv';
import {type Fault, read} from '../service/client';
import {downloadCsv} from '../shell/download';
import type {PeoplePage} from './people-behind';

const pagePeople = 1_000;
/** A browser holds the whole file in memory. */
const peopleMax = 100_000;

/** @param at position of the report that has the number; undefined: the newest. @returns why there is no file. */
export async function downloadPeople(path: string, at: string | undefined): Promise<Fault | undefined> {
  const rows: Cell[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (rows.length >= peopleMax) return tooMany;
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await read<PeoplePage>(`${path}&limit=${pagePeople}${after}`, undefined, at);
    if (answer.kind === 'fault') return answer.fault;
    rows.push(...answer.value.data.map((one) => [one.id, one.kind, one.value ?? '', (one.at ?? one.last_seen)!]));
    cursor = answer.value.next_cursor;
  }
  downloadCsv('people', [['id', 'kind', 'value', 'time'], ...rows]);
  return undefined;
}

const tooMany: Fault = {
  code: 'too_many_people',
  message: `more than ${peopleMax.toLocaleString('en-US')} people are too many for a browser: read them by the API`,
  status: 0,
};

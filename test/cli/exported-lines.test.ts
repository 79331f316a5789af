// A whole export out of the answers of a service that is played: what ends early is never taken for whole.
import {expect, test} from 'vitest';
import {type Exported, ExportFault, exportedLines} from '../../src/cli/export/exported-lines.js';

const event = (n: number): string => `{"id":"0-${n}","event":"signup"}\n`;
const end = (events: number): string => `{"end":true,"events":${events}}\n`;

/** @returns the file, and what was counted. `pages`: answers of the list of users, in turn. */
async function exportOf(events: string, pages: readonly Response[] = [users([])]) {
  const exported: Exported = {events: 0, users: 0, asOf: ''};
  const left = [...pages];
  const headers = {'report-as-of': '2026-11-28T11:59:00.000Z'};
  const get = async (path: string) => (path === '/v1/export' ? new Response(events, {headers}) : left.shift()!);
  let text = '';
  for await (const piece of exportedLines(get, exported)) text += piece;
  return {text, exported};
}

function users(ids: readonly string[], cursor: string | null = null): Response {
  const data = ids.map((id) => ({id, kind: id.startsWith('anonymous') ? 'anonymous' : 'user'}));
  return new Response(JSON.stringify({data, next_cursor: cursor}), {headers: {'report-log-position': '0:1.9'}});
}

test('events, then known users, then how many of both', async () => {
  const {text, exported} = await exportOf(event(1) + event(2) + end(2), [users(['ada', 'anonymous-1'])]);
  expect(text).toBe(
    `${event(1)}${event(2)}{"profile":{"id":"ada","kind":"user"}}\n{"end":true,"events":2,"users":1}\n`,
  );
  expect(exported).toEqual({events: 2, users: 1, asOf: '2026-11-28T11:59:00.000Z'});
});

test.each<[string, string, string]>([
  ['lacks its end', event(1), 'was cut'],
  ['lacks an event', event(1) + end(2), 'was cut'],
  ['ends within a line', event(1) + end(1).slice(0, 10), 'was cut'],
  ['is empty', '', 'was cut'],
  ['failed', `${event(1)}{"error":{"code":"unavailable","message":"a partition is away"}}\n`, 'a partition is away'],
])('an export that %s is a fault', async (_, events, words) => {
  await expect(exportOf(events)).rejects.toThrow(words);
  await expect(exportOf(events)).rejects.toThrow(ExportFault);
});

test('a listing of users begins again when its position is no longer kept', async () => {
  const pages = [users(['ada'], 'c1'), new Response('', {status: 410}), users(['ada'], 'c2'), users(['bob'])];
  const {exported, text} = await exportOf(end(0), pages);
  expect(exported.users).toBe(2);
  expect(text.match(/ada/g)).toHaveLength(1);
});

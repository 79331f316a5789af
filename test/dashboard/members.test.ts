// The card Members of Live load: who shares the partitions, and what nobody owns.
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {PlainNode, plainWindow} from '../support/plain-dom.js';

// biome-ignore lint/suspicious/noExplicitAny: these are of the browser, and compiled with its types (dashboard/tsconfig.json).
type Browser = any;
const load = (module: string): Promise<Browser> => import(/* @vite-ignore */ module);
const card = new URL('../../dashboard/src/pages/live/members.tsx', import.meta.url).pathname;

beforeAll(() => {
  for (const [name, value] of Object.entries(plainWindow('http://localhost/dashboard/live')))
    vi.stubGlobal(name, value);
});
afterAll(() => vi.unstubAllGlobals());

const atMs = 1_000_000;
const partitions = [0, 1, 2, 3].map((partition) => ({partition}));
const member = {name: 'host-a, process 7', role: 'partition', state: 'up', since: atMs - 90_000, is_back: false};

/** Texts of the cells, row by row; empty: nothing is shown. */
async function shown(members: readonly object[] | null): Promise<string[][]> {
  const [{h, render}, {Members}] = await Promise.all([load('preact'), load(card)]);
  const frame = new PlainNode('main');
  render(h(Members, {state: {at: atMs, partitions, members}}), frame);
  return frame.all('tr').map((row) => [...row.all('th'), ...row.all('td')].map(({text}) => text.trim()));
}

test('a service with a nats-server of its own shows nothing', async () => {
  expect(await shown(null)).toEqual([]);
});

test('each member has its state, its partitions and its times', async () => {
  const rows = await shown([
    {...member, partitions: [0, 2], moved_seconds: 12},
    {...member, name: 'host-b, process 8', state: 'leaving', is_back: true, partitions: [1, 3], moved_seconds: null},
    {...member, role: 'deliver', partitions: [1], moved_seconds: null},
    ...[[0], []].map((partitions) => ({...member, role: 'report', partitions, moved_seconds: null})),
  ]);
  expect(rows.map((row) => row.map((text) => text.replace(/\s+/g, ' ')))).toEqual([
    ['Member', 'Role', 'State', 'Owns', 'Newest came', 'Member for'],
    ['host-a, process 7', 'folds', 'up', '0, 2', '12 s ago', '1 min 30 s'],
    ['host-b, process 8', 'folds', 'leaving', '1, 3', '–', '1 min 30 s , again'],
    ['host-a, process 7', 'delivers', 'up', '1', '–', '1 min 30 s'],
    ['host-a, process 7', 'reports', 'up', 'alerts', '–', '1 min 30 s'],
    ['host-a, process 7', 'reports', 'up', 'none', '–', '1 min 30 s'],
  ]);
});

test('what nobody folds has a row of its own', async () => {
  const rows = await shown([
    {...member, state: 'silent', partitions: [2], moved_seconds: 3},
    {...member, role: 'deliver', partitions: [3], moved_seconds: 3},
  ]);
  expect(rows.slice(1).map((row) => row.slice(0, 4))).toEqual([
    ['host-a, process 7', 'folds', 'silent', '2'],
    ['host-a, process 7', 'delivers', 'up', '3'],
    ['nobody', 'folds', 'no owner', '0, 1, 3'],
  ]);
  expect((await shown([]))[1]).toEqual(['nobody', 'folds', 'no owner', '0, 1, 2, 3', '', '']);
});

// A kind of report is one folder and one line of the registry: a made-up one has its page, its tile on a board and its link.
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {PlainNode, plainWindow} from '../support/plain-dom.js';
import {until} from '../support/until.js';

// biome-ignore lint/suspicious/noExplicitAny: these are of the browser, and compiled with its types (dashboard/tsconfig.json).
type Browser = any;
const pages = new URL('../../dashboard/src/', import.meta.url).pathname;
const load = (module: string): Promise<Browser> => import(/* @vite-ignore */ module);

beforeAll(() => {
  for (const [name, value] of Object.entries(plainWindow('http://localhost/dashboard/made-up?thing=lamp&range=7d')))
    vi.stubGlobal(name, value);
});

afterAll(() => vi.unstubAllGlobals());

interface Question {
  readonly thing: string;
  readonly range: {readonly kind: 'last'; readonly amount: number; readonly unit: 'day'};
}

let h: Browser;

beforeAll(async () => {
  ({h} = await load('preact'));
});

/** What its folder would export. */
const report = {
  codec: {
    read: (search: string) => {
      const given = new URLSearchParams(search);
      const amount = Number.parseInt(given.get('range') ?? '30d', 10);
      return {question: {thing: given.get('thing') ?? '', range: {kind: 'last', amount, unit: 'day'}}, problems: []};
    },
    write: ({thing, range}: Question) => `?thing=${thing}&range=${range.amount}d`,
  },
  isCompared: false,
  times: ({range}: Question) => ({range, zone: 'UTC', segment: null, not_segment: null}),
  over: (question: Question, {range = question.range}: Partial<Question>) => ({...question, range}),
  isAsked: ({thing}: Question) => thing !== '',
  title: ({thing}: Question) => `Made of ${thing}`,
  words: ({thing}: Question) => [['Made of', thing]],
  Fields: ({question}: {readonly question: Question}) => h('i', {}, `Choose instead of ${question.thing}`),
  Result: ({question, tile, days}: Browser) => {
    const title = tile === undefined ? 'Whole' : `${tile.title} at ${tile.address}`;
    return h('b', {}, `${title}: ${question.thing} over ${days.to - days.from + 1} days in ${days.zone}`);
  },
};

/** Its line. */
const entry = {path: '/made-up', letter: 'm', name: 'Made up', icon: 'trends', script: async () => ({report})};

/** Text of the elements of each name, once there are some. */
async function shown(part: Browser, props: object, ...names: readonly string[]): Promise<string[]> {
  const [{render}, {LocationProvider}] = await Promise.all(['preact', 'preact-iso'].map(load));
  const frame = new PlainNode('main');
  render(h(LocationProvider, {}, h(part, props)), frame);
  await until(`there is ${names}`, () => names.every((name) => frame.all(name).length > 0));
  const texts = names.map((name) => frame.all(name).map(({text}) => text));
  render(null, frame);
  return texts.map((all) => all.join(' '));
}

test('the side has its page: head, fields and result', async () => {
  const {placeOf} = await load(`${pages}shell/places.ts`);
  const {script, ...place} = placeOf(entry);
  const {script: _, ...own} = entry;
  expect(place).toEqual({...own, section: 'Product', role: 'reader'});
  expect(await shown(await script(), {}, 'h1', 'i', 'b')).toEqual([
    'Made up',
    'Choose instead of lamp',
    'Whole: lamp over 7 days in UTC',
  ]);
});

test('a board has its tile, as it was pinned or over the days of the board', async () => {
  const {tileLater} = await load(`${pages}boards/pinned.tsx`);
  const others = {where: [], user_where: []};
  const of = (range: object | null) => ({
    ...{all: {range, ...others}, search: '?thing=lamp&range=7d'},
    ...{tools: () => null, onRange: () => {}, onFresh: () => {}},
  });
  expect(await shown(tileLater(entry), of(null), 'b')).toEqual([
    'Made of lamp at /dashboard/made-up?thing=lamp&range=7d: lamp over 7 days in UTC',
  ]);
  expect(await shown(tileLater(entry), of({kind: 'last', amount: 3, unit: 'day'}), 'b')).toEqual([
    'Made of lamp at /dashboard/made-up?thing=lamp&range=3d: lamp over 3 days in UTC',
  ]);
});

test('a link shows its result, and its question in words', async () => {
  const {shownLater} = await load(`${pages}share/share.tsx`);
  const [result, words] = await shown(shownLater(entry), {search: '?thing=lamp&range=7d'}, 'b', 'dl');
  expect(result).toBe('Whole: lamp over 7 days in UTC');
  expect(words).toMatch(/^Made of lamp Days last 7 days, .* \(UTC\)$/i);
});

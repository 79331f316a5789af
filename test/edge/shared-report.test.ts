// The answers of a shared report over a report role that is played here: whose snapshots they are of, and what names people.
import {expect, test} from 'vitest';
import {ofService} from '../../src/asks/asker.js';
import type {ReportQuery} from '../../src/asks/report.js';
import {RequestFailure, unavailable} from '../../src/edge/failure.js';
import type {Front} from '../../src/edge/front.js';
import {answersOf, boardAnswersOf} from '../../src/edge/routes/shared-report.js';
import type {SharedReport} from '../../src/kept/share.js';
import {keptAt} from '../support/kept-report.js';

const nowMs = Date.parse('2026-11-28T12:00:00Z');

interface AskedReport {
  readonly query: ReportQuery & {readonly toMs?: number};
  /** Undefined: of the newest snapshots. */
  readonly at?: string;
}

/** A report role that publishes with every answer. `bodyOf`: the value of an answer. */
function played(
  bodyOf: (query: AskedReport['query']) => object,
  hidden: {readonly names: readonly string[]; readonly properties: readonly string[]} = {names: [], properties: []},
) {
  const asked: AskedReport[] = [];
  const front = {
    kept: {keys: {lists: hidden}},
    reads: {
      asks: {
        report: async ({query, at}: AskedReport) => {
          asked.push({query, ...(at !== undefined && {at})});
          const headers = {
            'Report-As-Of': '2026-11-28T11:59:00.000Z',
            'Report-Next-By': '2026-11-28T12:04:00.000Z',
            'Report-Log-Position': at ?? `0:1.${asked.length}`,
          };
          return {kind: 'report', headers, body: JSON.stringify(bodyOf(query))};
        },
      },
    },
    wallMs: () => nowMs,
    reportZone: undefined,
  } as unknown as Front;
  return {front, asked};
}

const trends = (search: string): SharedReport => ({name: 'Growth', ...keptAt(`/trends${search}`)});
/** The range before, up to the moment that today has reached: no other path of the page ends within a day. */
const isUntil = ({toMs}: AskedReport['query']): boolean => (toMs! + 1) % 86_400_000 !== 0;

test('every answer is of the snapshots of the first, also those that are asked for when these are known', async () => {
  const {front, asked} = played(() => ({total: 1}));
  const {answers} = await answersOf(front, trends('?event=signup&event=login&range=7d&compare=before'), ofService);
  expect(asked.filter(({query}) => isUntil(query))).toHaveLength(1);
  // Events and their users: two questions, and the first is compared.
  expect(asked).toHaveLength(5);
  expect(answers).toMatchObject([
    {answer: {total: 1}, previous: {total: 1}, so_far: {total: 1}},
    {answer: {series: [{total: 1}, {total: 1}]}},
  ]);
  expect(asked.map(({at}) => at)).toEqual([undefined, ...asked.slice(1).map(() => '0:1.1')]);
});

test('a board has the answers of its tiles, all of the snapshots of the first, and its texts as they are', async () => {
  const {front, asked} = played(() => ({total: 1}));
  const text = {text: 'Why', width: 'full'} as const;
  const [one, other] = [keptAt('/trends?event=signup&range=7d&compare=off'), keptAt('/lifecycle?event=login')];
  const {tiles} = await boardAnswersOf(front, [text, {...one, name: 'New'}, {...other, width: 'third'}], ofService);
  expect(tiles).toMatchObject([
    text,
    {name: 'New', answers: one.questions.map((question) => ({question, answer: expect.anything()}))},
    {width: 'third', answers: other.questions.map((question) => ({question, answer: expect.anything()}))},
  ]);
  expect(asked).toHaveLength(one.questions.length + other.questions.length);
  expect(asked.map(({at}) => at)).toEqual([undefined, ...asked.slice(1).map(() => '0:1.1')]);
  expect((await boardAnswersOf(front, [text], ofService)).naming).toEqual({people: [], brokenDownBy: [], few: []});
});

test('an answer that fails leaves the others of these snapshots', async () => {
  const {front, asked} = played((query) => {
    if (isUntil(query) && JSON.stringify(query).includes('signup')) throw new RequestFailure(unavailable('a lag'));
    return {total: 1};
  });
  const {answers} = await answersOf(front, trends('?event=signup&event=login&range=7d&compare=before'), ofService);
  expect(answers.map((one) => ['error' in one, 'so_far' in one])).toEqual([
    [false, false],
    [false, false],
  ]);
  expect(asked.at(-1)).toMatchObject({at: '0:1.1'});
});

test.each([
  ['the range', (query: AskedReport['query']) => !isUntil(query)],
  ['the range before until the same moment', isUntil],
])('an address among the values of %s names people', async (_, isNaming) => {
  const {front} = played((query) => ({breakdown: {rows: [{value: isNaming(query) ? 'ada@x.io' : 'pro'}]}}));
  const {naming} = await answersOf(front, trends('?event=signup&by=source&range=7d&compare=before'), ofService);
  expect(naming.people).toEqual(['it lists values of source, which may name people']);
});

test.each([
  ['by=trait:email', true],
  ['by=phone_number', true],
  ['by=First Name', true],
  ['by=username', true],
  ['where=1:user_id set', true],
  ['by=plan', false],
  ['by=product_name', false],
  ['by=category', false],
])('%s names people: %s', async (by, isNaming) => {
  const {front} = played(() => ({breakdown: {rows: [{value: 'pro'}, {kind: 'missing'}]}}));
  const {naming} = await answersOf(front, trends(`?event=signup&${by.replaceAll(' ', '+')}`), ofService);
  expect(naming.people.length > 0).toBe(isNaming);
});

test.each([
  ['a name', 'event=signup', {names: ['signup'], properties: []}],
  ['a property', 'event=login&where=1:plan+eq+pro', {names: [], properties: ['plan']}],
  ['a member of a property', 'event=login&by=cart.total', {names: [], properties: ['cart']}],
])('%s that is hidden is in no report that is shared: nothing is asked', async (_, search, hidden) => {
  const {front, asked} = played(() => ({total: 1}), hidden);
  await expect(answersOf(front, trends(`?${search}`), ofService)).rejects.toThrow('hidden from lists');
  expect(asked).toEqual([]);
});

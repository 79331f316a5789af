// A link answers the questions that a report keeps; its page asks in other ones, and each has its answer.
import {expect, test} from 'vitest';
import {askedOver, type Draft, stateOf, stickinessAsked} from '../../dashboard/src/address/page-question.js';
import {type Days, dayOfMs, daysOf} from '../../dashboard/src/address/range.js';
import {intervalOf} from '../../dashboard/src/address/report-address.js';
import {wallMs} from '../../dashboard/src/address/zone.js';
import {activeAsked, activeUntilQuestion} from '../../dashboard/src/reports/active/asked.js';
import {funnelTimesQuestion} from '../../dashboard/src/reports/funnels/funnel-question.js';
import {trendsAsked, trendsQuestions, trendsUntil} from '../../dashboard/src/reports/trends/asked.js';
import {sharedAnswer} from '../../dashboard/src/service/shared-answer.js';
import {addressOf, type KeptReport, type ReportPage} from '../../src/asks/address.js';
import type {ReportKind} from '../../src/asks/question/behind.js';
import {type FixedQuestion, flatOf} from '../../src/asks/question/flat.js';
import {usualPeriod} from '../../src/asks/question/usual.js';
import {soFarOf} from '../../src/edge/query/question-parts.js';
import {readQuestion} from '../../src/edge/query/read-question.js';
import {zoneOf} from '../../src/zone.js';
import {keptAt} from '../support/kept-report.js';

const at = '2026-11-28T23:30:00.000Z';
const nowMs = Date.parse(at);
const asOfMs = Date.parse('2026-11-28T12:03:50Z');

/** What the page of an address asks: at first, and once it is known up to when the answers are exact. */
const drafting =
  <K extends ReportKind>(
    page: ReportPage,
    ask: (question: Draft<K>, days: Days & {readonly zone: string}) => readonly FixedQuestion[],
  ) =>
  (search: string): readonly FixedQuestion[] => {
    const {codec, times} = stateOf<K>(page);
    const {question, problems} = codec.read(search);
    expect(problems).toEqual([]);
    const {range, zone} = times(question);
    return ask(question, {...daysOf(range, dayOfMs(wallMs(zone, nowMs))), zone});
  };

const asks: Readonly<Record<string, (search: string) => readonly FixedQuestion[]>> = {
  '/trends': drafting<'counts'>('/trends', (question, {zone}) => {
    const today = dayOfMs(wallMs(zone, nowMs));
    const asked = trendsAsked(question, today);
    return [...trendsQuestions(asked), ...(trendsUntil(asked, today, asOfMs)?.asks ?? [])];
  }),
  '/active': drafting<'active'>('/active', (question, {zone}) => {
    const today = dayOfMs(wallMs(zone, nowMs));
    const asked = activeAsked(question, today);
    const until = activeUntilQuestion(question, asked, today, asOfMs);
    return [...asked.asks, ...asked.pastAsks, ...[asked.asksBy ?? [], until ?? []].flat()];
  }),
  '/funnels': drafting<'funnel'>('/funnels', (question, days) => [
    askedOver(question, days),
    ...(question.steps.length === 1
      ? []
      : [funnelTimesQuestion(question, days, intervalOf(question.view?.every ?? null, days))]),
  ]),
  '/retention': drafting<'retention'>('/retention', (question, days) => [
    askedOver(question, days, question.interval ?? usualPeriod(days)),
  ]),
  '/lifecycle': drafting<'lifecycle'>('/lifecycle', (question, days) => {
    const interval = question.interval ?? usualPeriod(days);
    return [askedOver(question, days, interval), askedOver(stickinessAsked(question), days, interval)];
  }),
  '/paths': drafting<'paths'>('/paths', (question, days) => [askedOver(question, days)]),
};

/** The answers of a link: each says whose it is. */
function answered({questions, view}: KeptReport) {
  const meta = {as_of: '', next_by: '', incomplete_from: null};
  return {
    ...{name: 'r', at, view},
    answers: questions.map((asked, place) => {
      const question = readQuestion(JSON.parse(JSON.stringify(asked)), '') as typeof asked;
      const service = {wallMs: () => nowMs, reportZone: zoneOf('UTC')};
      const isSoFar = place === 0 && soFarOf(question, asOfMs, service) !== undefined;
      const answerOf = (of: string) => ({
        ...{of, place},
        ...(question.report === 'counts' && {series: question.events!.map((_, at) => ({as: 'A', at}))}),
      });
      return {
        ...{question, answer: answerOf('answer'), meta},
        ...('compare' in question && question.compare && {previous: answerOf('previous')}),
        ...(isSoFar && {so_far: answerOf('so_far')}),
      };
    }),
  };
}

test.each([
  ['/trends?event=signup', ['0 answer 0', '0 previous 0', '1 answer 0', '0 so_far 0']],
  [
    '/trends?event=signup&event=login&measure=1:users&where=2:plan+eq+pro&by=plan&range=7d&zone=Asia/Tokyo',
    ['0 answer 0', '0 previous 0', '0 answer 1', '0 previous 1', '1 answer 1', '0 so_far 0', '0 so_far 1'],
  ],
  ['/trends?event=&range=2026-10&compare=year&weeks=sunday&every=week', ['0 answer 0', '0 previous 0', '1 answer 0']],
  ['/trends?event=a&range=4mo&compare=off&segment=sg_0123456789abcdef', ['0 answer 0', '1 answer 0']],
  [
    '/active?event=a&range=yesterday',
    [0, 1, 2].map((at) => `${at} answer`).concat([0, 1, 2].map((at) => `${at} previous`)),
  ],
  [
    '/active?by=trait:plan&metric=wau&range=this-week',
    ['0 answer', '1 answer', '2 answer', '0 previous', '1 previous', '2 previous', '3 answer', '0 so_far'],
  ],
  ['/funnels?step=a&step=b&where=2:n+gt+1&by=plan&by_at=last&exclude=1-2:c&every=week', ['0 answer', '1 answer']],
  ['/funnels?step=a', ['0 answer']],
  ['/retention?start=a&return=b&frame=rolling', ['0 answer']],
  ['/lifecycle?event=a&often=at_least&user_where=plan+eq+pro', ['0 answer', '1 answer']],
  ['/paths?event=a&direction=before&where=plan+eq+pro', ['0 answer']],
] as const)('%s', (address, expected) => {
  const kept = keptAt(address);
  const {page, search} = addressOf(kept, 'UTC');
  const link = answered(kept);
  const found = asks[page]!(search).map((asked) => {
    const answer = sharedAnswer(link as unknown as Parameters<typeof sharedAnswer>[0], flatOf(asked));
    const {place, of, at: entry} = (answer as {value?: {place: number; of: string; at?: number}})?.value ?? {};
    return [place, of, entry].filter((one) => one !== undefined).join(' ');
  });
  expect(found).toEqual(expected);
});

test('a question that the report does not keep has no answer', () => {
  const link = answered(keptAt('/retention?start=a'));
  for (const path of ['v1/reports/events?event=a&from=2026-11-01&to=2026-11-02', 'v1/names?limit=1&from=a&to=b'])
    expect(sharedAnswer(link as unknown as Parameters<typeof sharedAnswer>[0], path)).toBeUndefined();
});

test('of a board that asks the same over several ranges, each has its own answers, those of the compared days included', () => {
  const tiles = ['7d', '30d', '90d'].map((range) => `?event=signup&range=${range}`);
  const links = tiles.map((search, tile) => ({tile, link: answered(keptAt(`/trends${search}`)), search}));
  const answers = links.flatMap(({tile, link}) =>
    link.answers.map((one) => {
      const named = Object.entries(one).map(([name, value]) =>
        ['answer', 'previous', 'so_far'].includes(name) ? [name, {...(value as object), tile}] : [name, value],
      );
      return Object.fromEntries(named);
    }),
  );
  for (const {tile, search} of links)
    for (const asked of asks['/trends']!(search)) {
      const found = sharedAnswer({at, answers} as unknown as Parameters<typeof sharedAnswer>[0], flatOf(asked));
      expect(found).toMatchObject({value: {tile}});
    }
});

// Tiles to choose from when a board gets some: saved reports, and reports that the events of the service suggest.
//   TC1. What is ready-made asks over the days that are usual on the page of its report: it is the report that the page shows at first.
import type {ReportPage} from '../../../../src/asks/address.js';
import type {SavedReportAnswer} from '../../../../src/edge/answers/saved-reports.js';
import {keptIn} from '../../address/kept.js';
import {summaryOf} from '../../address/saved-report.js';
import {suggestedOf} from '../../controls/suggested-name.js';
import {suggestedSteps} from '../../controls/suggested-steps.js';
import type {BoardTile} from '../../service/board-tiles.js';

export interface TileChoice {
  readonly key: string;
  readonly title: string;
  readonly note: string;
  readonly tile: BoardTile;
}

/** Events that are offered while nothing is searched for. */
const eventsShown = 4;

const choice = (
  title: string,
  note: string,
  page: ReportPage,
  pairs: readonly (readonly [string, string])[],
  members: Pick<BoardTile, 'name' | 'width'> = {},
): readonly TileChoice[] => {
  const query = new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString();
  const kept = keptIn({page, search: query === '' ? '' : `?${query}`});
  return kept === undefined ? [] : [{key: `${page}?${query}`, title, note, tile: {...kept, ...members}}];
};

export const savedChoices = (reports: readonly SavedReportAnswer[]): readonly TileChoice[] =>
  reports.map(({id, name, questions, view}) => ({
    key: id,
    title: name,
    note: summaryOf(questions[0]!),
    tile: {questions, ...(view && {view}), name},
  }));

/** `names` of events with the most frequent one first. TC1 */
export function readyMade(names: readonly string[]): readonly TileChoice[] {
  const ofEvents = names.flatMap((event) => [
    ...choice(`${event} over time`, 'Trends', '/trends', [['event', event]]),
    ...choice(
      `Number of ${event}`,
      'number',
      '/trends',
      [
        ['event', event],
        ['look', 'number'],
      ],
      {name: `Number of ${event}`, width: 'third'},
    ),
  ]);
  const steps = suggestedSteps(names);
  const start = suggestedOf(names);
  const ofAll = [
    ...choice('Active users', 'daily, weekly, monthly', '/active', []),
    ...(steps.length < 2
      ? []
      : choice(
          `From ${steps.join(' to ')}`,
          'Funnels',
          '/funnels',
          steps.map((step) => ['step', step] as const),
        )),
    ...(start === undefined ? [] : choice(`Retention after ${start}`, 'Retention', '/retention', [['start', start]])),
    ...choice('Lifecycle', 'new, returning and dormant users', '/lifecycle', []),
  ];
  return [...ofEvents.slice(0, eventsShown), ...ofAll, ...ofEvents.slice(eventsShown)];
}

/** The first ones whose title and note have all the words, whatever their case. */
export function matching(choices: readonly TileChoice[], typed: string, max: number): readonly TileChoice[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return choices
    .filter(({title, note}) => words.every((word) => `${title} ${note}`.toLowerCase().includes(word)))
    .slice(0, max);
}

// What the figures and the chart of the page draw of the shown answers.
import type {ActiveAnswer} from '../../../../src/edge/answers/active-users.js';
import type {CountsAnswer} from '../../../../src/edge/answers/counts.js';
import type {AnsweredLine} from '../../charts/charted';
import type {Report, Shown} from '../../service/reports';
import {figures, type WebAsked, type WebDraft} from './web-question';

/** The question of the page, with what was asked for it. */
export interface AskedWeb extends WebAsked {
  /** Name of the page views. */
  readonly event: string;
  readonly question: WebDraft;
}

type FigureAnswer = Pick<ActiveAnswer | CountsAnswer, 'data' | 'total'>;

export const figureLabels: Readonly<Record<(typeof figures)[number], string>> = {
  visitors: 'Visitors',
  views: 'Page views',
  sessions: 'Sessions',
};

/** Answer of the figure with this index. */
export const answerIn = (reports: readonly Report<unknown>[] | undefined, at: number): FigureAnswer | undefined =>
  reports?.[at]?.value as FigureAnswer | undefined;

/** A line for each figure that is answered. */
export const linesOf = ({question: {asks, pastAsks}, of}: Shown<AskedWeb>): AnsweredLine[] =>
  asks.flatMap((one, at): AnsweredLine[] => {
    const {value, meta} = of<FigureAnswer>(one);
    const before = pastAsks[at];
    const past = before && of<FigureAnswer>(before).value;
    return value === undefined ? [] : [{label: figureLabels[figures[at]!], tone: at + 1, answer: value, meta, past}];
  });

/** Reports of the figures, without those of the compared range. */
export const ofFigures = (shown: Shown<AskedWeb> | undefined): readonly Report<unknown>[] =>
  shown?.reports.slice(0, figures.length) ?? [];

/** Number of all sessions; undefined while it is not known. */
export const sessionsIn = (shown: Shown<AskedWeb> | undefined): number | undefined =>
  shown?.of<FigureAnswer>(shown.question.asksSessions).value?.total;

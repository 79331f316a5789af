// The question of Funnels: steps in their order, each with its own conditions, and the rules of their paths.
import {exclusionsMax, funnelStepsMax} from '../../../actors/limits.js';
import {addressOf} from '../../../src/asks/address.js';
import type {FixedQuestionOf} from '../../../src/asks/question/flat.js';
import type {SavedFunnelAnswer} from '../../../src/edge/answers/saved-funnels.js';
import {breakdownBy} from './breakdown-row.js';
import {isName, names, one, type Parameter, type QuestionOf, word} from './codec.js';
import {
  type Condition,
  conditions,
  conditionText,
  numberedConditions,
  segment,
  usersOf,
  writeCondition,
} from './conditions.js';
import type {Interval} from './range.js';
import {every, range, type Span, timesOf} from './report-address.js';
import {by, byLimit} from './trends-address.js';
import {utc, zone} from './zone.js';

export const stepsMax = funnelStepsMax;
export const exclusionsCountMax = exclusionsMax;
export const isWindow = (text: string): boolean => /^[1-9]\d{0,8}[smhd]$/.test(text);

/** An event that ends an attempt. */
export interface Exclusion {
  readonly event: string;
  /** Numbers of the steps it must not lie between, from 1; null: any two. */
  readonly between: readonly [first: number, last: number] | null;
}

/** `all:refund`, `1-2:refund`. */
function readExclusion(text: string): Exclusion | undefined {
  const [, place, event = ''] = /^(all|[1-9]\d?-[1-9]\d?):([\s\S]+)$/.exec(text) ?? [];
  if (place === undefined || !isName(event)) return undefined;
  if (place === 'all') return {event, between: null};
  const [first, last] = place.split('-').map(Number) as [number, number];
  return first < last && last <= stepsMax ? {event, between: [first, last]} : undefined;
}

const exclude: Parameter<readonly Exclusion[]> = {
  absent: [],
  expected: `up to ${exclusionsMax} events such as all:refund or 1-2:refund`,
  isPart: (text) => readExclusion(text) !== undefined,
  read: (texts) => (texts.length <= exclusionsMax ? texts.map((text) => readExclusion(text)!) : undefined),
  write: (all) => all.map(({event, between}) => `${between === null ? 'all' : between.join('-')}:${event}`),
};

/** Null: the usual one, which an address may name. */
const wordOrUsual = <Word extends string>(words: readonly Word[], usual: string): Parameter<Word | null> => {
  const parameter = word<Word, null>(words, null);
  return {...parameter, read: (texts) => (texts.join() === usual ? null : parameter.read(texts))};
};

export const orders = ['strict', 'any'] as const;
export type Order = (typeof orders)[number] | null;

/** Event of a path that has the value of a breakdown: the `first` or `last` with any value, or the event of a step. */
const place: Parameter<string | null> = one<string | null>(
  null,
  'first, last, or the number of a step',
  (text) => (/^(first|last|[1-9]|[1-4]\d|50)$/.test(text) ? text : undefined),
  (text) => text,
);

/**
 * A user who does a step much later does it for another reason. With a limit, the report shows which of the newest entries may
 * still convert.
 */
const usualWindow = '14d';
const noWindow = 'none';

/** Null: none. */
const conversionWindow: Parameter<string | null> = {
  absent: usualWindow,
  expected: `${noWindow}, or a time such as 12h`,
  read: ([text, ...more]) => {
    if (more.length > 0) return undefined;
    return text === noWindow ? null : isWindow(text!) ? text : undefined;
  },
  write: (window) => [window ?? noWindow],
};

export const funnelForm = {
  step: names(stepsMax),
  where: numberedConditions(stepsMax),
  /** Conditions that the events of all steps must meet. */
  all_where: conditions,
  user_where: conditions,
  segment,
  window: conversionWindow,
  order: wordOrUsual(orders, 'sequential'),
  exclude,
  hold: one<string | null>(
    null,
    'the name of a property',
    (text) => (isName(text) ? text : undefined),
    (text) => text,
  ),
  /** `entry`: only the first event of a path must lie in the days. */
  paths: wordOrUsual(['entry'], 'all'),
  by,
  by_limit: byLimit,
  by_at: place,
  range,
  every,
  zone,
} as const;
export type FunnelQuestion = QuestionOf<typeof funnelForm>;

export interface AskedStep {
  readonly event: string;
  readonly where: readonly Condition[];
}

export const stepsOf = ({step, where}: Pick<FunnelQuestion, 'step' | 'where'>): AskedStep[] =>
  step.map((event, at) => ({event, where: where[at] ?? []}));

/** `signup`, `signup, plan is pro`. */
export const stepLabel = ({event, where}: AskedStep): string => [event, ...where.map(conditionText)].join(', ');

export const withSteps = (steps: readonly AskedStep[]): Pick<FunnelQuestion, 'step' | 'where'> => ({
  step: steps.map(({event}) => event),
  where: steps.map(({where}) => where),
});

/** The parts of a question that fit its other parts: what others make meaningless is not asked for. */
export function fitting(question: FunnelQuestion): FunnelQuestion {
  const stepCount = question.step.length;
  const isSequential = question.order === null && stepCount > 1;
  return {
    ...question,
    where: question.where.slice(0, stepCount),
    paths: question.window === null ? null : question.paths,
    exclude: isSequential ? question.exclude.filter(({between}) => between === null || between[1] <= stepCount) : [],
    by_at: fitsAt(question, stepCount) ? question.by_at : null,
  };
}

const fitsAt = ({by: breakdown, by_at: at}: FunnelQuestion, stepCount: number): boolean =>
  at !== null && breakdown !== null && !breakdown.startsWith('trait:') && !(Number(at) > stepCount);

/** The paths through the funnel. */
const pathOf = (question: FunnelQuestion) =>
  ({
    report: 'funnel',
    steps: stepsOf(question).map(({event, where}) => ({event, where: where.map(writeCondition)})),
    where: question.all_where.map(writeCondition),
    window: question.window ?? undefined,
    order: question.order ?? undefined,
    exclude: question.exclude.map(({event, between}) => ({
      event,
      between: between === null ? undefined : [...between],
    })),
  }) satisfies FixedQuestionOf<'funnel'>;

/** What a saved funnel follows. */
export const followedBy = (question: FunnelQuestion) => pathOf(fitting(question));

/** The page of a saved funnel, which has neither days nor a zone: those of a page without a choice. */
export const addressOfFollowed = (question: SavedFunnelAnswer['question']): string =>
  addressOf({questions: [{...question, range: '-30d', timezone: utc, percentiles: false}]}).search;

/** The members that say who is in the funnel. */
const walkedBy = (question: FunnelQuestion, span: Span): FixedQuestionOf<'funnel'> => ({
  ...pathOf(question),
  users: usersOf(question),
  hold: question.hold ?? undefined,
  in_range: question.paths ?? undefined,
  ...timesOf(span),
});

const breakdownOf = ({
  by: breakdown,
  by_at: at,
  by_limit: limit,
}: FunnelQuestion): FixedQuestionOf<'funnel'>['breakdown'] =>
  breakdownBy(breakdown, limit ?? variantsMax)?.map((entry) => ({...entry, at: at === null ? undefined : placeOf(at)}));

const placeOf = (at: string): number | 'first' | 'last' => (at === 'first' || at === 'last' ? at : Number(at));

/** Values with a funnel of their own. */
const variantsMax = 6;

export function funnelQuestion(question: FunnelQuestion, span: Span): FixedQuestionOf<'funnel'> {
  const asked = fitting(question);
  return {...walkedBy(asked, span), breakdown: breakdownOf(asked)};
}

/** Asks for the funnel's users by the bucket of their entry, and by the time that they took. */
export const funnelTimesQuestion = (
  question: FunnelQuestion,
  span: Span,
  interval: Interval,
): FixedQuestionOf<'funnel'> => ({
  ...walkedBy(fitting(question), span),
  histogram: 'clock',
  percentiles: true,
  interval,
});

export type Outcome = 'reached' | 'dropped';

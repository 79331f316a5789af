// The numbers of a digest: those of the whole range that the page of the report has, beside those of the range before.
//   FG1. No row of a breakdown, no path and no condition is among them: these may name people, and chats name nobody (src/webhooks/chat.ts CH1).
import type {ReportKind, ReportQuestion} from '../asks/address.js';
import type {QuestionOf} from '../asks/question/kinds.js';

export interface Figure {
  readonly name: string;
  /** Null: nothing was there to measure. */
  readonly value: number | null;
  /** Over the range before. */
  readonly previous: number | null;
  /** It is a share, 0 to 1. */
  readonly is_share?: true;
}

type Read = Omit<Figure, 'previous'>;
interface Total {
  readonly total?: number;
  readonly total_value?: number | null;
}
interface Counted extends Total {
  readonly series?: readonly Total[];
  readonly formulas?: readonly (Total & {readonly as: string})[];
}
interface Entered {
  readonly total: number;
  readonly steps: readonly {readonly count: number}[];
  readonly conversion_rate: number;
}
interface Retained {
  readonly overall: readonly {readonly rate: number | null}[];
}
type Stages = Readonly<Record<'new' | 'returning' | 'resurrecting' | 'dormant', number>>;

const measured = ({total, total_value = total}: Total): number | null => total_value ?? null;

/** The numbers of an answer, always in the same order. */
const readers: {readonly [K in ReportKind]: (answer: unknown, question: QuestionOf<K>) => readonly Read[]} = {
  counts: (answer, {events = [{}]}) => {
    const {series, formulas = [], ...whole} = answer as Counted;
    const named = (series ?? [whole]).map((one, at) => {
      const {as, event} = events[at] ?? {};
      return {name: as ?? event ?? 'All events', value: measured(one)};
    });
    return [...named, ...formulas.map((one) => ({name: one.as, value: measured(one)}))];
  },
  active: (answer) => [{name: 'Active users', value: measured(answer as Total)}],
  funnel: (answer) => {
    const {total, steps, conversion_rate: rate} = answer as Entered;
    return [
      {name: 'Entered', value: total},
      {name: 'Converted', value: steps.at(-1)?.count ?? 0},
      {name: 'Conversion', value: rate, is_share: true},
    ];
  },
  retention: (answer, {interval}) => {
    const {overall} = answer as Retained;
    return [{name: `Returned after 1 ${interval}`, value: overall[1]?.rate ?? null, is_share: true}];
  },
  lifecycle: (answer) => {
    const last = (answer as {readonly data: readonly Stages[]}).data.at(-1);
    return (['new', 'returning', 'resurrecting', 'dormant'] as const).map((stage) => ({
      name: `${stage[0]!.toUpperCase()}${stage.slice(1)}`,
      value: last?.[stage] ?? null,
    }));
  },
  stickiness: (answer) => [{name: 'Active users', value: measured(answer as Total)}],
  paths: (answer) => {
    const [first = []] = (answer as {readonly steps: readonly (readonly {readonly users: number}[])[]}).steps;
    return [{name: 'Users', value: first.reduce((sum, {users}) => sum + users, 0)}];
  },
};

/** `answer`, `previous`: as `POST /v1/query` has them. */
export function figuresOf(question: ReportQuestion, answer: unknown, previous: unknown): readonly Figure[] {
  const read = readers[question.report] as (answer: unknown, question: ReportQuestion) => readonly Read[];
  const before = previous === undefined ? [] : read(previous, question);
  return read(answer, question).map((one, at) => ({...one, previous: before[at]?.value ?? null}));
}

/** Change to the range before as a share of it; null where that is 0 or not known. */
export const changeOf = ({value, previous}: Figure): number | null =>
  value === null || previous === null || previous === 0 ? null : (value - previous) / previous;

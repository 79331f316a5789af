// What a kind of report is to a page, a tile of a board and a link: a folder beside this file exports one as `report`, and all.ts has
// a line for it.
//   RT1. A page, a tile and a link show the same `Result`: only what stands around it differs.
//   RT2. All that a `Result` shows follows from its question. A board may replace the days of a pinned one, and add conditions.
import type {ComponentChildren, FunctionComponent} from 'preact';
import {useEffect} from 'preact/hooks';
import type {Codec} from '../address/codec';
import type {Times} from '../address/page-question';
import {type Days, daysOf, type Interval, type Range} from '../address/range';
import type {Freshness} from '../service/freshness';

/** A question with the days that it asks for. */
export interface Asked<Question> {
  readonly question: Question;
  /** The current day of the question's zone. */
  readonly today: number;
  readonly days: Days & {readonly zone: string};
  /** The first day with data, where it is known. */
  readonly since: number | undefined;
}

export interface FieldsProps<Question> extends Pick<Asked<Question>, 'question' | 'days'> {
  readonly onChange: (changed: Partial<Question>) => void;
}

/** Head of a tile. */
export interface Tile {
  readonly title: string;
  /** Address of the report on its own page; undefined: it leads nowhere. */
  readonly address: string | undefined;
  /** Stands above the numbers. */
  readonly before: ComponentChildren;
}

export interface ResultProps<Question> extends Asked<Question> {
  /** Absent: the report is shown whole, with all its cards. */
  readonly tile?: Tile;
  /** For the head of the first card. */
  readonly tools?: ComponentChildren;
  /** Asks for these days, which were drawn on a chart. */
  readonly onRange?: (range: Range) => void;
  readonly onFresh: (freshness: Freshness | undefined) => void;
}

/** Part of a question and its words; an empty text is left out. */
export type WordRow = readonly [what: string, text: string];

export interface Report<Question> {
  readonly codec: Codec<Question>;
  /** Its numbers stand beside those of a range before: it is a chart over time, in which days are marked. */
  readonly isCompared: boolean;
  readonly times: (question: Question) => Times;
  /** The question with other days. */
  readonly over: (question: Question, times: Partial<Times>) => Question;
  /** Whether the question names what it is about. Others are not asked. */
  readonly isAsked: (question: Question) => boolean;
  /** The question as the title of a tile. */
  readonly title: (question: Question) => string;
  /** The question in words, without its days; the last row says how it is counted. */
  readonly words: (question: Question) => readonly WordRow[];
  /** Length of its buckets; undefined, or absent, where nobody chooses one. */
  readonly interval?: (question: Question, days: Days) => Interval | undefined;
  /** Lengths to choose from; absent: all. */
  readonly offered?: readonly Interval[];
  /** What a page asks before anybody chose. `names` of events, the most frequent one first. */
  readonly suggest?: (names: readonly string[]) => Partial<Question> | undefined;
  /** What the page says while nothing is asked. `dates`: the days in words. */
  readonly unasked?: {readonly title: string; readonly text: (dates: string) => string};
  readonly Fields: FunctionComponent<FieldsProps<Question>>;
  readonly Result: FunctionComponent<ResultProps<Question>>;
  /** Stands below the result on the page, also while nothing is asked. */
  readonly Foot?: FunctionComponent<{readonly question: Question}>;
}

// biome-ignore lint/suspicious/noExplicitAny: each report has a question of its own, and takes no other.
export type AnyReport = Report<any>;

export function askedOf<Question>(
  {times}: Pick<Report<Question>, 'times'>,
  question: Question,
  today: number,
  since: number | undefined,
): Asked<Question> {
  const {range, zone} = times(question);
  return {question, today, days: {...daysOf(range, today), zone}, since};
}

/** Says how fresh the numbers of a `Result` are. */
export function useFresh(
  {onFresh}: Partial<Pick<ResultProps<unknown>, 'onFresh'>>,
  freshness: Freshness | undefined,
): void {
  useEffect(() => onFresh?.(freshness), [freshness]);
}

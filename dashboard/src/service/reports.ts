// The answers to one question of a page, which may be several of the API. They are shown together, with their question.
//   RS1. What is shown changes at once, when all are answered: no card ever mixes two questions.
//   RS2. A question that fails is one report's fault; the others stand. What it said before stays, and its age tells.
//   RS3. Reports ask again when a publication is due; an answer that did not change changes nothing.
import {useSignal} from '@preact/signals';
import {useLayoutEffect, useState} from 'preact/hooks';
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import type {Fault} from './client';
import {type Freshness, freshnessOf, oldest} from './freshness';
import {publication} from './publication';
import type {QuestionAnswer, ReportMeta} from './question-batches';
import {askTogether} from './questions';

export interface Report<Value> {
  /** The question as a path of the API. */
  readonly path: string;
  readonly value: Value | undefined;
  readonly meta: ReportMeta | undefined;
  readonly fault: Fault | undefined;
}

export interface Shown<Question> {
  readonly question: Question;
  /** Reports in the order of what was asked. */
  readonly reports: readonly Report<unknown>[];
  readonly freshness: Freshness | undefined;
  /** The report of a question that was asked. */
  readonly of: <Value>(asked: FixedQuestion) => Report<Value>;
}

export interface Asking<Question> {
  /** Undefined until the first answers. */
  readonly shown: Shown<Question> | undefined;
  /** The reports that are shown answer another question; the answers to this one are on their way. */
  readonly isOther: boolean;
  readonly again: () => void;
}

/** Position of the log that the report is of; empty for none. */
export const positionOf = ({meta}: Pick<Report<unknown>, 'meta'>): string => meta?.log_position ?? '';

/** `asks` undefined: nothing can be asked yet. Asks before the page is painted, with all other parts of it. */
export function useReports<Question>(question: Question, asks: readonly FixedQuestion[] | undefined): Asking<Question> {
  const state = useSignal<{readonly key: string; readonly shown: Shown<Question>} | undefined>(undefined);
  const [tries, setTries] = useState(0);
  const key = asks?.map(flatOf).join('\n');
  const round = publication.value;
  useLayoutEffect(() => {
    if (asks === undefined || key === undefined) return undefined;
    const aborter = new AbortController();
    void askTogether(asks, aborter.signal).then((answers) => {
      if (answers === undefined || aborter.signal.aborted) return;
      const before = state.peek()?.shown;
      const reports = asks.map((one) => reportOf(before?.of(one) ?? unasked(flatOf(one)), answers.get(flatOf(one))!));
      const freshness = oldest(reports.map(({meta}) => freshnessOf(meta)));
      const known = new Map(reports.map((report) => [report.path, report]));
      const of = <Value>(asked: FixedQuestion): Report<Value> => {
        const path = flatOf(asked);
        return (known.get(path) ?? unasked(path)) as Report<Value>;
      };
      state.value = {key, shown: {question, reports, freshness, of}}; // RS1
    });
    return () => aborter.abort();
  }, [key, round, tries]);
  return {
    shown: state.value?.shown,
    isOther: state.value !== undefined && state.value.key !== key,
    again: () => setTries(tries + 1),
  };
}

const unasked = (path: string): Report<unknown> => ({path, value: undefined, meta: undefined, fault: undefined});

function reportOf(before: Report<unknown>, answer: QuestionAnswer): Report<unknown> {
  if (answer.kind === 'fault') return {...before, fault: answer.fault}; // RS2
  const {value, meta} = answer;
  const isSame = JSON.stringify(value) === JSON.stringify(before.value); // RS3
  return {path: before.path, value: isSame ? before.value : value, meta, fault: undefined};
}

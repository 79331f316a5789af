// The answers to one question of a page, which may be several requests. They are shown together, with their question.
//   RS1. What is shown changes at once, when all requests are answered: no card ever mixes two questions.
//   RS2. A request that fails is one report's fault; the others stand. What it said before stays, and its age tells.
//   RS3. Reports ask again when a publication is due; an answer that did not change (304) changes nothing.
//   RS4. All reports of a page are of the newest snapshots that one of them is of: those of older ones ask for these
//        (one-position.ts).
import {signal, useSignal} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import {type Fault, read} from './client';
import {type Freshness, freshnessOf, isNewer, oldest} from './freshness';
import {atOnePosition} from './one-position';
import {expectPublication, publication} from './publication';

export interface Report<Value> {
  readonly path: string;
  readonly value: Value | undefined;
  readonly headers: Headers | undefined;
  readonly fault: Fault | undefined;
}

export interface Shown<Question> {
  readonly question: Question;
  /** Reports in the order of the request. */
  readonly reports: readonly Report<unknown>[];
  readonly freshness: Freshness | undefined;
  /** The report of a path that was asked. */
  readonly of: <Value>(path: string) => Report<Value>;
}

export interface Asking<Question> {
  /** Undefined until the first answers. */
  readonly shown: Shown<Question> | undefined;
  /** The reports that are shown answer another question; the answers to this one are on their way. */
  readonly isOther: boolean;
  readonly again: () => void;
}

/** The newest position of the log that a report was of. RS4 */
const agreed = signal('');

/** Position of the log that the report is of; empty for none. */
export const positionOf = ({headers}: Pick<Report<unknown>, 'headers'>): string => freshnessOf(headers)?.position ?? '';

/** `paths` undefined: nothing can be asked yet. */
export function useReports<Question>(question: Question, paths: readonly string[] | undefined): Asking<Question> {
  const state = useSignal<{readonly key: string; readonly shown: Shown<Question>} | undefined>(undefined);
  const [tries, setTries] = useState(0);
  const key = paths?.join('\n');
  const latest = useRef(question);
  latest.current = question;
  const round = publication.value;
  const isAsking = useRef(false);
  const turn = useRef(0);
  const ask = (at?: string): (() => void) | undefined => {
    if (paths === undefined || key === undefined) return undefined;
    const aborter = new AbortController();
    const asked = latest.current;
    const before = state.peek()?.shown;
    isAsking.current = true;
    turn.current += 1;
    const own = turn.current;
    void readReports(
      paths.map((path) => before?.of(path) ?? unasked(path)),
      aborter.signal,
      at,
    ).then((reports) => {
      if (aborter.signal.aborted || own !== turn.current) return;
      isAsking.current = false;
      const freshness = oldest(reports.map(({headers}) => freshnessOf(headers)));
      if (freshness !== undefined) expectPublication(freshness.nextByMs); // RS3
      const known = new Map(reports.map((report) => [report.path, report]));
      const of = <Value>(path: string): Report<Value> => (known.get(path) ?? unasked(path)) as Report<Value>;
      state.value = {key, shown: {question: asked, reports, freshness, of}}; // RS1
    });
    return () => {
      aborter.abort();
      if (own === turn.current) isAsking.current = false;
    };
  };
  useEffect(() => ask(), [key, round, tries]);
  const newest = agreed.value;
  useEffect(() => {
    const shown = state.peek();
    const isOld = shown?.key === key && shown?.shown.reports.some((one) => isNewer(newest, positionOf(one)));
    return isOld && !isAsking.current ? ask(newest) : undefined; // RS4
  }, [newest]);
  return {
    shown: state.value?.shown,
    isOther: state.value !== undefined && state.value.key !== key,
    again: () => setTries(tries + 1),
  };
}

const unasked = (path: string): Report<unknown> => ({path, value: undefined, headers: undefined, fault: undefined});

/** Code of the service for snapshots that it does not hold. RS4 */
const gone = 'snapshot_gone';

/** RS4 */
const readReports = (
  before: readonly Report<unknown>[],
  signal: AbortSignal,
  at?: string,
): Promise<readonly Report<unknown>[]> =>
  atOnePosition(
    before,
    {
      read: (one, position) => readReport(one, signal, position),
      positionOf: (one) => (one.fault === undefined ? positionOf(one) : ''), // RS2
      isOver: () => signal.aborted,
      note: (position) => {
        if (isNewer(position, agreed.peek())) agreed.value = position;
        return agreed.peek();
      },
    },
    at,
  );

async function readReport(before: Report<unknown>, signal: AbortSignal, at?: string): Promise<Report<unknown>> {
  const {path} = before;
  const answer = await read<unknown>(path, signal, at).catch(() => undefined); // Aborted.
  if (answer === undefined) return before;
  if (answer.kind === 'fault') return answer.fault.code === gone ? before : {...before, fault: answer.fault}; // RS2
  return {path, value: answer.value, headers: answer.headers, fault: undefined};
}

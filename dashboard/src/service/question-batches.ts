// Questions of a page, gathered into requests, whose answers are of one position of the log.
//   QB1. A page asks once: questions of one turn are one request, and while parts of the page are loading, questions wait for theirs.
//   QB2. A round has one position, that of its first answers. What is asked later is asked at it, and what was answered at it is not
//        asked again. A round ends when a publication is due.
//   QB3. Where the service does not hold these snapshots any more, a new round begins: the whole page asks for the newest. Where that
//        happens again soon, the questions without an answer do: who puts two numbers into one row looks at their positions.
import {type FixedQuestion, flatOf} from '../../../src/asks/question/flat.js';
import type {Meta} from '../../../src/edge/answers/report-meta.js';
import type {Fault} from './fault.js';

/** What a report says about its freshness. A page that is shared is not told the rest. */
export type ReportMeta = Pick<Meta, 'as_of' | 'next_by' | 'incomplete_from'> &
  Partial<Pick<Meta, 'log_position' | 'retained_from'>>;

export type QuestionAnswer =
  | {readonly kind: 'value'; readonly value: unknown; readonly meta: ReportMeta}
  | {readonly kind: 'fault'; readonly fault: Fault};

/** By the flat form of the questions. */
export type QuestionAnswers = ReadonlyMap<string, QuestionAnswer>;

export interface SentAnswers {
  /** In the order of the questions. */
  readonly answers: readonly QuestionAnswer[];
  /** Undefined: all questions failed. */
  readonly position: string | undefined;
}

interface World {
  /** One request. `at`: the position of its answers; undefined: the newest. Rejects when it is aborted. */
  readonly send: (
    questions: readonly FixedQuestion[],
    at: string | undefined,
    signal: AbortSignal,
  ) => Promise<SentAnswers>;
  /** Ordinal of the present round. */
  readonly round: () => number;
  readonly beginRound: () => void;
  /** Runs in a later turn. */
  readonly soon: (run: () => void) => void;
  readonly nowMs: () => number;
}

interface Waiting {
  readonly questions: ReadonlyMap<string, FixedQuestion>;
  readonly signal: AbortSignal;
  readonly take: (answers: QuestionAnswers | undefined) => void;
}

interface Round {
  readonly number: number;
  position: string | undefined;
  readonly known: Map<string, QuestionAnswer>;
  /** The request whose answers say which position it is. */
  opening: Promise<unknown> | undefined;
}

const questionsMax = 30;
/** Between two rounds that begin since snapshots are gone. QB3 */
const restartMsMin = 10_000;
/** Code of the service for snapshots that it does not hold. */
const gone = 'snapshot_gone';

export class QuestionBatches {
  private round: Round;
  private restartedMs = Number.NEGATIVE_INFINITY;
  private waiting: Waiting[] = [];
  private holds = 0;
  private isSending = false;

  constructor(private readonly world: World) {
    this.round = roundOf(world.round());
  }

  /** Questions wait until what it returns is called. QB1 */
  hold(): () => void {
    this.holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holds -= 1;
      this.sendSoon();
    };
  }

  /** Undefined: a new round has begun, or `signal` was aborted. */
  ask(questions: readonly FixedQuestion[], signal: AbortSignal): Promise<QuestionAnswers | undefined> {
    const byKey = new Map(questions.map((question) => [flatOf(question), question]));
    return new Promise((take) => {
      this.waiting.push({questions: byKey, signal, take});
      this.sendSoon();
    });
  }

  private sendSoon(): void {
    if (this.holds > 0 || this.isSending || this.waiting.length === 0) return;
    this.isSending = true;
    this.world.soon(() => {
      this.isSending = false;
      if (this.holds > 0) return;
      const all = this.waiting;
      this.waiting = [];
      void this.answer(all);
    });
  }

  private async answer(all: readonly Waiting[]): Promise<void> {
    if (this.round.number !== this.world.round()) this.round = roundOf(this.world.round()); // QB2
    const {round} = this;
    if (round.position === undefined) await round.opening;
    const asked = new Map(all.flatMap(({questions, signal}) => (signal.aborted ? [] : [...questions])));
    for (const key of round.known.keys()) asked.delete(key);
    const asking = this.askAll(round, asked, leftBy(all)).catch(() => undefined); // Aborted: nobody waits.
    if (round.position === undefined) round.opening = asking;
    const answers = await asking;
    for (const [key, one] of answers ?? []) if (one.kind === 'value') round.known.set(key, one);
    const isOver = [...(answers?.values() ?? [])].some(isGone) && this.restart(round);
    for (const {questions, take} of all) take(isOver ? undefined : answersIn([...questions.keys()], round, answers));
  }

  /** @throws what an abort throws */
  private async askAll(
    round: Round,
    asked: ReadonlyMap<string, FixedQuestion>,
    signal: AbortSignal,
  ): Promise<QuestionAnswers> {
    const answers = await this.sendAll(round, [...asked], signal);
    const missed = [...asked].filter(([key]) => isGone(answers.get(key)!));
    if (missed.length === 0 || this.mayRestart(round)) return answers;
    return new Map([...answers, ...(await this.sendAll({...round, position: undefined}, missed, signal))]); // QB3
  }

  /** The first answers say which position is that of the round, unless it has one. */
  private async sendAll(
    round: Pick<Round, 'position'>,
    asked: readonly (readonly [string, FixedQuestion])[],
    signal: AbortSignal,
  ): Promise<QuestionAnswers> {
    const all = new Map<string, QuestionAnswer>();
    const others: Promise<void>[] = [];
    for (let at = 0; at < asked.length; at += questionsMax) {
      const part = asked.slice(at, at + questionsMax);
      const sending = this.world
        .send(
          part.map(([, question]) => question),
          round.position,
          signal,
        )
        .then(({answers, position}) => {
          round.position ??= position;
          for (const [i, [key]] of part.entries()) all.set(key, answers[i]!);
        });
      if (round.position === undefined) await sending;
      else others.push(sending);
    }
    await Promise.all(others);
    return all;
  }

  private mayRestart(round: Round): boolean {
    return round === this.round && this.world.nowMs() - this.restartedMs >= restartMsMin;
  }

  /** QB3. @returns whether a new round has begun. */
  private restart(round: Round): boolean {
    if (!this.mayRestart(round)) return false;
    this.restartedMs = this.world.nowMs();
    this.world.beginRound();
    return true;
  }
}

const roundOf = (number: number): Round => ({number, position: undefined, known: new Map(), opening: undefined});

const isGone = (one: QuestionAnswer): boolean => one.kind === 'fault' && one.fault.code === gone;

/** Undefined where one is missing: the request was aborted. */
function answersIn(
  keys: readonly string[],
  {known}: Round,
  answers: QuestionAnswers | undefined,
): QuestionAnswers | undefined {
  const all = keys.map((key) => [key, known.get(key) ?? answers?.get(key)] as const);
  return all.every((one): one is readonly [string, QuestionAnswer] => one[1] !== undefined) ? new Map(all) : undefined;
}

/** Aborted once everybody who waits has left. */
function leftBy(all: readonly Waiting[]): AbortSignal {
  const aborter = new AbortController();
  let left = all.length;
  const leave = (): void => {
    left -= 1;
    if (left === 0) aborter.abort();
  };
  for (const {signal} of all) {
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, {once: true});
  }
  return aborter.signal;
}

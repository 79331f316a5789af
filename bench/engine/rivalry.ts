// The same questions for the service and for a peer, in the same rounds, with equal answers.
//   V1. An answer that differs from ours ends the bench: a wrong answer has no speed.
//   V2. No question is repeated, not even in void rounds: no cache of answers helps a contender.
//   V3. The peer's fastest way of each round counts. Ways that are far slower in the warm-up are left out of the rounds.

import type {Timed} from '../peers/duckdb/peer.js';
import type {Formulation} from '../peers/duckdb/schema-words.js';
import type {Measure} from '../rounds.js';
import {spreadOf} from '../statistics.js';

export interface Asked {
  readonly numbers: readonly number[];
  readonly elapsedMs: number;
}

export interface Sample {
  /** Ms of one question: the median of those asked. */
  readonly elapsedMs: number;
  readonly slowestMs: number;
  /** The peer's fastest way, and ms of all ways that it tried; null for us. */
  readonly peer: {readonly way: string; readonly allMs: Readonly<Record<string, number>>} | null;
}

/** The peer, as the bench asks it. */
export interface Peer {
  run(sql: string): Promise<Timed>;
}

export interface RivalryOptions<Question> {
  /** A different question for every number. */
  questionOf(number: number): Question;
  askOurs(question: Question): Promise<Asked>;
  waysOf(question: Question): readonly Formulation[];
  /** Questions in one of our samples, and how many of them the peer answers, too. */
  readonly asks: number;
  readonly peerAsks: number;
}

/** A way that is slower than this factor in the warm-up cannot be the fastest. */
const contenderShare = 2;
/** A way that is slower than this factor in its first run gets no second one. */
const hopelessShare = 4;

export class Rivalry<Question> {
  #asked = 0;
  #answered: {question: Question; numbers: readonly number[]}[] = [];
  #contenders: ReadonlySet<string> | null = null;
  /** Ms of every way of the peer in the warm-up. */
  readonly tried: Record<string, number> = {};

  constructor(private readonly options: RivalryOptions<Question>) {}

  /** Our sample, which comes first in each round. V2 */
  readonly ours: Measure<Sample> = async () => {
    const times: number[] = [];
    this.#answered = [];
    while (times.length < this.options.asks) {
      const question = this.options.questionOf(this.#asked++);
      const {numbers, elapsedMs} = await this.options.askOurs(question);
      this.#answered.push({question, numbers});
      times.push(elapsedMs);
    }
    return {elapsedMs: spreadOf(times).median, slowestMs: Math.max(...times), peer: null};
  };

  peer(peer: Peer): Measure<Sample> {
    return async () => {
      this.#contenders ??= await this.#choose(peer);
      const allMs: Record<string, number> = {};
      const slowestMs: Record<string, number> = {};
      for (const name of this.#contenders) {
        const times: number[] = [];
        for (let nth = 0; nth < this.options.peerAsks; nth++) times.push(await this.#time(peer, name, nth));
        allMs[name] = spreadOf(times).median;
        slowestMs[name] = Math.max(...times);
      }
      const [way, elapsedMs] = fastestOf(allMs);
      return {elapsedMs, slowestMs: slowestMs[way]!, peer: {way, allMs}};
    };
  }

  /** Compares our last answer with one of the peer's ways, untimed. */
  async check(peer: Peer, name: string): Promise<void> {
    await this.#time(peer, name, 0);
  }

  /** Chooses the peer's ways for the rounds. V3 */
  async #choose(peer: Peer): Promise<ReadonlySet<string>> {
    const names = this.options.waysOf(this.#answered[0]!.question).map(nameOf);
    for (const name of names) this.tried[name] = await this.#time(peer, name, 0);
    const hopelessMs = hopelessShare * fastestOf(this.tried)[1];
    for (const name of names) {
      if (this.tried[name]! < hopelessMs) this.tried[name] = await this.#time(peer, name, 0);
    }
    const [, fastestMs] = fastestOf(this.tried);
    return new Set(names.filter((name) => this.tried[name]! <= contenderShare * fastestMs));
  }

  /** Asks the nth question of the last sample one way. V1 */
  async #time(peer: Peer, name: string, nth: number): Promise<number> {
    const {question, numbers: ours} = this.#answered[nth]!;
    const way = this.options.waysOf(question).find((each) => nameOf(each) === name);
    if (way === undefined) throw new Error(`${JSON.stringify(question)} cannot be asked by "${name}"`);
    const {rows, elapsedMs} = await peer.run(way.sql);
    const numbers = way.read(rows);
    const at = numbers.findIndex((number, index) => number !== ours[index]);
    if (at !== -1 || numbers.length !== ours.length) {
      throw new Error(
        `${JSON.stringify(question)}: ${name} answers ${numbers[at]} where we answer ${ours[at]} (${at} of ${ours.length})`,
      );
    }
    return elapsedMs;
  }
}

const nameOf = ({schema, name}: Formulation): string => `${schema}, ${name}`;

function fastestOf(times: Readonly<Record<string, number>>): readonly [name: string, ms: number] {
  return Object.entries(times).reduce(
    (best, each) => (each[1] < best[1] ? each : best),
    ['', Number.POSITIVE_INFINITY],
  );
}

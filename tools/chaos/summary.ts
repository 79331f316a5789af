// The output of a run: a line as soon as an invariant is broken, and a summary at the end, for people and as JSON.

import type {Broken, Invariant} from './broken.js';
import type {Options} from './options.js';
import type {RoundResult} from './run.js';

const detailsPerRoundMax = 5;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export class Summary {
  private readonly beganMs = performance.now();
  private readonly counts = new Map<Invariant, number>();
  private readonly slowest = {readyMs: 0, firstSuccessMs: 0, answerMs: 0};
  private rounds = 0;
  private events = 0;
  private sends = 0;
  private unknown = 0;
  private playedMs = 0;
  private account: Readonly<Record<string, number>> = {};
  private comparedMs = 0;

  constructor(private readonly options: Options) {}

  get isClean(): boolean {
    return this.counts.size === 0;
  }

  addRound(result: RoundResult): void {
    this.rounds += 1;
    this.events += result.events;
    this.sends += result.sends;
    this.unknown += result.unknown;
    this.playedMs += result.playedMs;
    this.comparedMs += result.comparedMs;
    this.slowest.readyMs = Math.max(this.slowest.readyMs, result.readyMs);
    this.slowest.firstSuccessMs = Math.max(this.slowest.firstSuccessMs, result.firstSuccessMs);
    this.slowest.answerMs = Math.max(this.slowest.answerMs, result.slowestMs);
    this.add(result.broken);
  }

  add(broken: readonly Broken[]): void {
    for (const {invariant} of broken) this.counts.set(invariant, (this.counts.get(invariant) ?? 0) + 1);
    for (const {invariant, detail} of broken.slice(0, detailsPerRoundMax)) {
      print(`  BROKEN ${invariant}: ${detail.slice(0, 1_000)}`);
    }
    if (broken.length > detailsPerRoundMax) print(`  and ${broken.length - detailsPerRoundMax} more`);
  }

  /** Counts of the nemesis. */
  setAccount(account: Readonly<Record<string, number>>): void {
    this.account = account;
  }

  /** Empty when the nemesis counted nothing. */
  accountLines(): string[] {
    return Object.entries(this.account).map(([what, count]) => `  ${what}: ${count}`);
  }

  line(): string {
    const count = (invariant: Invariant): number => this.counts.get(invariant) ?? 0;
    const others = [...this.counts].filter(([invariant]) => !['lost', 'double', 'invented'].includes(invariant));
    return [
      `${this.rounds} rounds, ${count('lost')} lost, ${count('double')} double, ${count('invented')} invented`,
      ...others.map(([invariant, times]) => `${times} ${invariant}`),
      `${this.events} events in ${this.sends} sends, ${this.unknown} never answered`,
    ].join(', ');
  }

  json(): string {
    const {nemesis, seed} = this.options;
    return JSON.stringify({
      nemesis,
      seed,
      rounds: this.rounds,
      seconds: Math.round((performance.now() - this.beganMs) / 1_000),
      playedSeconds: Math.round(this.playedMs / 1_000),
      comparedSeconds: Math.round(this.comparedMs / 1_000),
      events: this.events,
      sends: this.sends,
      unknown: this.unknown,
      broken: Object.fromEntries(this.counts),
      ...(Object.keys(this.account).length > 0 ? {account: this.account} : {}),
      slowestReadyMs: Math.round(this.slowest.readyMs),
      slowestFirstSuccessMs: Math.round(this.slowest.firstSuccessMs),
      slowestAnswerMs: Math.round(this.slowest.answerMs),
      node: process.version,
    });
  }
}

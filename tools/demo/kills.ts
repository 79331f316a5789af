// Every process of a deployment is killed in turn, while events arrive and somebody reads: how long each kind of request took at most,
// with its repetitions, until it was answered.
import {monotonicMs} from '../../src/clock.js';
import {HttpClient} from '../http-client.js';
import type {Killable} from './demo-cluster.js';
import type {Player} from './player.js';

interface Reader {
  readonly baseUrls: readonly string[];
  /** A secret key. */
  readonly key: string;
  /** Users that have events, so many that every partition has some. */
  readonly userIds: readonly string[];
  /** The first day that has events: `YYYY-MM-DD`. */
  readonly from: string;
  /** Rejects when the demo must end. */
  readonly sleep: (ms: number) => Promise<void>;
}

const readMsMax = 60_000;
const againMs = 50;

/** Asks for live reads of all users, and for a report, again and again. */
export class Reads {
  slowestLiveMs = 0;
  slowestReportMs = 0;
  private readonly clients: readonly HttpClient[];
  private turn = 0;

  constructor(private readonly reader: Reader) {
    this.clients = reader.baseUrls.map((baseUrl) => new HttpClient(baseUrl, {key: reader.key, silentMsMax: readMsMax}));
  }

  private get names(): string {
    return `/v1/names?limit=1000&from=${this.reader.from}`;
  }

  forget(): void {
    this.slowestLiveMs = 0;
    this.slowestReportMs = 0;
  }

  /** Resolves when each of them was answered. */
  async round(): Promise<void> {
    for (const userId of this.reader.userIds) {
      const {ms} = await this.answered(`/v1/events?limit=1&userId=${encodeURIComponent(userId)}`);
      this.slowestLiveMs = Math.max(this.slowestLiveMs, ms);
    }
    const {ms} = await this.answered(this.names);
    this.slowestReportMs = Math.max(this.slowestReportMs, ms);
  }

  /** Sum of the counts of all names, in reports. */
  async countOfEvents(): Promise<number> {
    const {text} = await this.answered(this.names);
    const {data} = JSON.parse(text) as {data: {count: number}[]};
    return data.reduce((sum, {count}) => sum + count, 0);
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** An answer 200, of any edge. @throws after a minute, and at any other refusal than 429 and 5xx. */
  private async answered(path: string): Promise<{ms: number; text: string}> {
    const startMs = monotonicMs();
    for (;;) {
      const answer = await this.clients[this.turn++ % this.clients.length]!.get(path).catch((error: Error) => error);
      const ms = monotonicMs() - startMs;
      const status = answer instanceof Error ? 503 : answer.status;
      if (!(answer instanceof Error) && status === 200) return {ms, text: answer.text};
      const told = answer instanceof Error ? answer.message : `${status} ${answer.text}`;
      if ((status < 500 && status !== 429) || ms > readMsMax) throw new Error(`${path}: ${told}`);
      await this.reader.sleep(againMs);
    }
  }
}

interface Deployment {
  readonly processes: readonly Killable[];
  readonly player: Pick<Player, 'played' | 'slowestMs'>;
  readonly reads: Pick<Reads, 'slowestLiveMs' | 'slowestReportMs' | 'forget' | 'round'>;
  readonly sleep: Reader['sleep'];
  readonly say: (line: string) => void;
}

const widths = [18, 15, 13, 11, 19];
const row = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('');
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Kills each, waits until everything is answered, and starts it again. The caller has events sent meanwhile. */
export async function killInTurn({processes, player, reads, sleep, say}: Deployment): Promise<void> {
  say(row(['kill -9 of', 'slowest write', 'live read', 'report', 'ready again after']));
  for (const process of processes) {
    player.slowestMs = 0;
    reads.forget();
    await process.kill();
    const {played} = player;
    await reads.round();
    while (player.played === played) await sleep(againMs);
    const startMs = monotonicMs();
    await process.startAgain();
    const readyMs = monotonicMs() - startMs;
    await reads.round();
    const times = [player.slowestMs, reads.slowestLiveMs, reads.slowestReportMs, readyMs];
    say(row([process.name, ...times.map(seconds)]));
  }
}

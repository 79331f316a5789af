// Reads answers from a service that may still be catching up: retries after 503 and lost connections.

import {setTimeout as delay} from 'node:timers/promises';
import {covers, isBefore, type Place, readPositions} from '../../src/log-position.js';
import {withoutMeta} from '../report-meta.js';
import {type Answer, Http} from './http.js';

export interface EventRow {
  readonly id: string;
  readonly event: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly properties: Record<string, unknown>;
  readonly timestamp: string;
  readonly received_at: string;
  readonly context?: object;
  readonly messageId?: string;
  readonly joined?: true;
}

interface HistoryPage {
  readonly data: EventRow[];
  readonly next_cursor: string | null;
}

type Parameters = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const answerMsMax = 180_000;
const askAgainMs = 30;

export function query(parameters: Parameters): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [String(value)]) encoded.append(name, one);
  }
  return encoded.toString();
}

export class Readback {
  private readonly http: Http;
  /** Newest position of the reports so far, by partition. */
  private readonly newest = new Map<number, Place>();
  /** Reports whose position was before that of an earlier one. */
  readonly wentBack: string[] = [];

  constructor(port: number, key: string) {
    this.http = new Http(port, key);
  }

  close(): void {
    this.http.close();
  }

  /** The first answer that is not 503. */
  async get(path: string): Promise<Answer> {
    const deadlineMs = performance.now() + answerMsMax;
    for (;;) {
      const answer = await this.http.send('GET', path);
      if (answer.kind === 'answer' && answer.status !== 503) return answer;
      if (performance.now() > deadlineMs) {
        throw new Error(`GET ${path}: ${answer.kind === 'lost' ? answer.why : answer.text} for ${answerMsMax} ms`);
      }
      await delay(askAgainMs);
    }
  }

  async json<T>(path: string): Promise<T> {
    const answer = await this.get(path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  async isReady(): Promise<boolean> {
    return (await this.whyNotReady()) === undefined;
  }

  /** What /readyz says instead of 200; undefined when the service is ready. */
  async whyNotReady(): Promise<string | undefined> {
    const answer = await this.http.send('GET', '/readyz');
    if (answer.kind !== 'answer') return 'no answer';
    return answer.status === 200 ? undefined : answer.text;
  }

  /** Every page of a history. */
  async history(parameters: Parameters): Promise<EventRow[]> {
    const rows: EventRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.json<HistoryPage>(`/v1/events?${query({...parameters, limit: 1_000, cursor})}`);
      for (const row of page.data) rows.push(row);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return rows;
  }

  /** A report that includes the log up to `covered` (`<p>:<generation>.<sequence>,…`). */
  async report(path: string, covered: string, msMax: number): Promise<unknown> {
    const deadlineMs = performance.now() + msMax;
    for (;;) {
      const {answer, header, positions} = await this.reported(path);
      if (covers(positions, readPositions(covered))) return JSON.parse(withoutMeta(answer.text));
      if (performance.now() > deadlineMs) {
        throw new Error(`GET ${path}: stands at ${header} and not at ${covered} after ${msMax} ms`);
      }
      await delay(askAgainMs);
    }
  }

  /** Positions of the published reports now, by partition. */
  async positions(): Promise<ReadonlyMap<number, Place>> {
    return (await this.reported('/v1/reports/events?event=any&from=2001-01-01&to=2001-01-01')).positions;
  }

  /** Of two questions at once neither is the later one: an answer is compared with what was known when it was asked for. */
  private async reported(path: string) {
    const known = new Map(this.newest);
    const answer = await this.get(path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`);
    const header = String(answer.headers['report-log-position']);
    const positions = readPositions(header);
    this.note(positions, known, header);
    return {answer, header, positions};
  }

  /** For a store that is created anew. */
  forgetPositions(): void {
    this.newest.clear();
  }

  private note(positions: ReadonlyMap<number, Place>, known: ReadonlyMap<number, Place>, header: string): void {
    for (const [partition, position] of positions) {
      const before = known.get(partition);
      if (before !== undefined && isBefore(position, before))
        this.wentBack.push(`${header} after partition ${partition} stood at ${before.generation}.${before.sequence}`);
      const newest = this.newest.get(partition);
      if (newest === undefined || isBefore(newest, position)) this.newest.set(partition, position);
    }
  }
}

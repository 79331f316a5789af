// Users with known answers: their events before and after the partitions changed their owner, and the deletion of one of them. A
// process that is asked about them later may fail (503, no connection), but must not answer wrongly.

import {setTimeout as delay} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import type {UserRef} from '../model/model.js';
import type {Broken} from './broken.js';
import {type Answer, Http} from './http.js';
import type {Thing} from './journal.js';
import {query, type Readback} from './readback.js';
import type {Sender} from './sender.js';
import type {ServiceOptions} from './supervised-service.js';
import {dateOfRound, type Workload} from './workload.js';

const usersCount = 4;
const eventsBefore = 8;
const eventsMeanwhile = 20;
const settleMsMax = 120_000;
const askAgainMs = 50;

/** The address of a service. */
type Place = Pick<ServiceOptions, 'port' | 'keys'>;

interface Deletion {
  readonly id: string;
  readonly status: string;
}

interface Known {
  readonly user: UserRef;
  /** Numbers of its events. */
  readonly events: number[];
  latest: number;
}

/** A question with the right 200 or 404; `seen` extracts the facts of an answer. */
interface Question {
  /** Default GET. A repeated deletion gets the receipt. */
  readonly method?: 'GET' | 'DELETE';
  readonly path: string;
  readonly status: 200 | 404;
  readonly expected: unknown;
  seen(answer: Answer): unknown;
}

export class Witness {
  private readonly name: string;
  private readonly known: readonly Known[];
  private readonly victim: Known;
  private deletionId = '';
  private written = 0;

  constructor(
    private readonly workload: Workload,
    private readonly sender: Sender,
    private readonly readback: Readback,
  ) {
    this.name = `witness-${workload.round}`;
    const users = Array.from({length: usersCount + 1}, (_, i): Known => {
      return {user: {kind: 'user', id: `${this.name}-${i}`}, events: [], latest: 0};
    });
    this.victim = users[0]!;
    this.known = users.slice(1);
  }

  /** Whether the service on this port is ready. */
  static async isReady({port, keys}: Place): Promise<boolean> {
    const http = new Http(port, keys.secret);
    const answer = await http.send('GET', '/readyz');
    http.close();
    return answer.kind === 'answer' && answer.status === 200;
  }

  async writeBefore(): Promise<void> {
    for (const known of [this.victim, ...this.known]) await this.write(known, eventsBefore);
  }

  /** With the deletion in between: the rest of the log has some of the events, not all. */
  async writeMeanwhile({port, keys}: Place): Promise<void> {
    const [first, ...others] = this.known;
    await this.write(first!, eventsMeanwhile);
    await this.settle([this.workload.deletion(this.victim.user.id)]);
    const http = new Http(port, keys.secret);
    await this.untilDeleted(http).finally(() => http.close());
    for (const known of others) await this.write(known, eventsMeanwhile);
    await this.until('a report counts all', async () => {
      const {data} = await this.readback.json<{data: {count: number}[]}>(this.reportPath());
      return data[0]?.count === this.written;
    });
  }

  private async write(known: Known, count: number): Promise<void> {
    const events = Array.from({length: count}, () => this.workload.namedEvent(known.user, this.name));
    await this.settle(events);
    known.events.push(...events.map(({n}) => n));
    const identify = this.workload.identify(known.user.id);
    await this.settle([identify]);
    known.latest = identify.n;
    if (known !== this.victim) this.written += count;
  }

  private async settle(things: readonly Thing[]): Promise<void> {
    await this.until('it is acknowledged', async () => {
      const {outcomes} = await this.sender.send(things);
      return outcomes.every((outcome) => outcome === 'acked');
    });
  }

  private async untilDeleted(http: Http): Promise<void> {
    await this.until('there is a receipt', async () => {
      const answer = await http.send('DELETE', this.victimPath);
      const {deletion} = answer.kind === 'lost' ? {} : (JSON.parse(answer.text) as {deletion?: Deletion});
      this.deletionId = deletion?.id ?? '';
      return deletion?.status === 'completed';
    });
  }

  private get victimPath(): string {
    return `/v1/users/${this.victim.user.id}`;
  }

  private async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const deadlineMs = performance.now() + settleMsMax;
    while (!(await isSo())) {
      if (performance.now() > deadlineMs) throw new Error(`${what}: not within ${settleMsMax} ms`);
      await delay(askAgainMs);
    }
  }

  private reportPath(): string {
    const date = dateOfRound(this.workload.round);
    return `/v1/reports/events?${query({event: this.name, from: date, to: date, interval: 'day'})}`;
  }

  askingEdge(edge: Place): Asking {
    return new Asking(new Http(edge.port, edge.keys.secret), 'the edge', this.questions());
  }

  /** Questions to an owner that has a successor. */
  askingOutlived(owner: Place): Asking {
    return new Asking(new Http(owner.port, owner.keys.secret), 'the woken owner', this.questions());
  }

  private questions(): Question[] {
    const {known, victim} = this;
    const ofDeletion = ({text}: Answer): unknown => JSON.parse(text).deletion?.status;
    return [
      ...known.flatMap(({user, events, latest}) => [
        {
          path: `/v1/events?${query({userId: user.id, limit: 1_000})}`,
          status: 200 as const,
          expected: events,
          seen: numbersOf,
        },
        {
          path: `/v1/users/${user.id}`,
          status: 200 as const,
          expected: [latest, events.length],
          seen: ({text}: Answer) => {
            const {traits, events} = JSON.parse(text);
            return [traits.latest, events.length];
          },
        },
      ]),
      {path: `/v1/events?${query({userId: victim.user.id})}`, status: 200, expected: [], seen: numbersOf},
      {path: this.victimPath, status: 404, expected: 404, seen: ({status}) => status},
      {method: 'DELETE', path: this.victimPath, status: 404, expected: 'completed', seen: ofDeletion},
      {path: `/v1/deletions/${this.deletionId}`, status: 200, expected: 'completed', seen: ofDeletion},
      {
        path: this.reportPath(),
        status: 200,
        expected: this.written,
        seen: ({text}) => JSON.parse(text).data[0]?.count,
      },
      {path: '/metrics', status: 200, expected: [], seen: ({text}) => text.match(/^millrace_alarm\{.*\} 1$/gm) ?? []},
    ];
  }
}

const numbersOf = ({text}: Answer): number[] =>
  (JSON.parse(text).data as {properties: {n: number}}[]).map(({properties}) => properties.n).sort((a, b) => a - b);

/** One process and the questions to it. */
export class Asking {
  readonly broken: Broken[] = [];
  answers = 0;
  /** Number of answers with facts about the users. */
  judged = 0;

  constructor(
    private readonly http: Http,
    private readonly who: string,
    private readonly questions: readonly Question[],
  ) {}

  /** Sends all questions at once: some are under way while the process wakes. */
  async askAll(): Promise<void> {
    await Promise.all(this.questions.map((question) => this.ask(question)));
  }

  private async ask({method = 'GET', path, status, expected, seen}: Question): Promise<void> {
    const answer = await this.http.send(method, path);
    if (answer.kind === 'lost') return;
    this.answers += 1;
    if (answer.status === 503) return;
    this.judged += 1;
    const said = answer.status === status ? seen(answer) : `${answer.status} ${answer.text}`;
    if (isDeepStrictEqual(said, expected)) return;
    const detail = `${this.who}, ${method} ${decodeURIComponent(path)}: ${JSON.stringify(said)}, expected ${JSON.stringify(expected)}`;
    this.broken.push({invariant: 'answer', detail});
  }

  close(): void {
    this.http.close();
  }
}

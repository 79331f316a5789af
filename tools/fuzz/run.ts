// One run: warm up, attack, and compare what is stored.
import {Random} from '../random.js';
import {writeKey} from '../service-process.js';
import {arm, bombs} from './bombs.js';
import {type FuzzAnswer, FuzzConnection, type Outcome} from './connection.js';
import {requestOf} from './generator.js';
import {Ledger} from './ledger.js';
import {bytesOf, type HostileRequest, setHeader} from './request.js';
import {event} from './templates.js';
import {wrongWith} from './verdict.js';

const connectionsCount = 32;
const warmUpBatch = 500;
const fenceEvents = 64;
const findingsKept = 40;

export interface Finding {
  readonly index: number;
  readonly what: string;
  readonly marks: readonly string[];
  /** The previous request on the same connection. */
  readonly after: number | undefined;
}

export class FuzzRun {
  readonly ledger = new Ledger();
  readonly findings: Finding[] = [];
  findingsCount = 0;
  /** Counts by status, or by how the connection ended. */
  readonly outcomes = new Map<string, number>();
  private readonly lastOf = new Map<FuzzConnection, number>();
  private readonly connections: readonly FuzzConnection[];

  constructor(
    private readonly port: number,
    private readonly seed: number,
  ) {
    this.connections = Array.from({length: connectionsCount}, () => new FuzzConnection(this.port));
  }

  /** Sends events in valid batches, and every bomb: columns, dictionaries, caches and heaps reach their lasting size. */
  async warmUp(events: number, bombRounds: number): Promise<void> {
    const random = new Random(this.seed);
    for (let sent = 0; sent < events; sent += warmUpBatch) {
      const batch = Array.from({length: warmUpBatch}, (_, i) => event(random, `warm-${sent + i}`));
      await this.play(this.connections[0], -1, batchOf(batch));
    }
    const armed = Array.from({length: bombRounds}, () => bombs).flat();
    await Promise.all(
      this.connections.map(async (connection) => {
        for (let bomb = armed.pop(); bomb !== undefined; bomb = armed.pop()) {
          const request = batchOf([]);
          arm(request, bomb);
          await this.play(connection, -1, request);
        }
      }),
    );
  }

  /** Sends the requests of [from, to) over all connections. */
  async attack(from: number, to: number): Promise<void> {
    let next = from;
    await Promise.all(
      this.connections.map(async (connection) => {
        while (next < to) {
          const index = next++;
          await this.play(connection, index, requestOf(this.seed, index));
        }
      }),
    );
  }

  async play(connection: FuzzConnection, index: number, request: HostileRequest): Promise<Outcome> {
    const bytes = bytesOf(request);
    const {leavesAfter} = request;
    const leaveAt = leavesAfter === undefined ? undefined : Math.floor(leavesAfter * bytes.length);
    const outcome = await connection.send(bytes, request.method === 'HEAD', leaveAt);
    if (isOpen(request)) connection.close();
    const name = outcome.kind === 'answer' ? String(outcome.status) : outcome.kind;
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
    this.ledger.note(request, outcome);
    const what = wrongWith(request, outcome);
    if (what !== undefined) this.find({index, what, marks: request.marks, after: this.lastOf.get(connection)});
    this.lastOf.set(connection, index);
    return outcome;
  }

  find(finding: Finding): void {
    this.findingsCount += 1;
    if (this.findings.length < findingsKept) this.findings.push(finding);
  }

  /** Writes events after everything that was sent, in every partition. @returns their log position. */
  async fence(): Promise<string> {
    const events = Array.from({length: fenceEvents}, (_, i) => ({event: 'fence', userId: `fence-${i}`}));
    const outcome = await this.play(this.connections[0], -1, batchOf(events));
    const position = (outcome as Partial<FuzzAnswer>).headers?.get('log-position');
    if (position === undefined) throw new Error('the fence was not taken');
    return position;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

/** Whether the end of the request is undefined, or it ends its connection. */
const isOpen = ({mangleHead, headers}: HostileRequest): boolean =>
  mangleHead !== undefined || headers.some(([name]) => /^(content-length|transfer-encoding|connection)$/i.test(name));

function batchOf(events: readonly object[]): HostileRequest {
  const request: HostileRequest = {
    method: 'POST',
    path: '/v1/events/batch',
    query: '',
    headers: [['Host', 'fuzz']],
    body: Buffer.from(JSON.stringify({events})),
    leavesAfter: undefined,
    mangleHead: undefined,
    marks: [],
  };
  setHeader(request, 'Authorization', `Bearer ${writeKey}`);
  setHeader(request, 'Content-Type', 'application/json');
  return request;
}

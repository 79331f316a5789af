// Counts of the edge's work. The hot path increments plain numbers in fixed places, which only a scrape reads.
//   T1. A count is named by route, method, status or code alone, each from a fixed set: no path, id or key can become a label,
//       and no client can make the number of labels grow.
//   T2. A request is counted before its answer leaves: a client that has the answer finds it counted.
import type {EventNotes} from '../../ingest/event-notes.js';
import {newIgnoredCounts} from '../../ingest/ignored-fields.js';
import type {PublishObserver} from '../../ingest/publisher.js';
import {kindsOfCalls} from '../compatible/translators.js';
import {type ErrorCode, statusOf} from '../failure.js';
import type {CountedRoute, ExchangeCounts, Outcomes} from '../http/exchange-counts.js';
import {templateOf} from '../route-template.js';
import {AckTimes} from './ack-times.js';
import {ArrivalTap} from './arrivals.js';
import {durationBounds, FixedHistogram, messageBytesBounds, messageEntriesBounds} from './fixed-histogram.js';
import {RefusalTap} from './refusal-tap.js';

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'other'] as const;
const statuses: readonly string[] = [
  ...['200', '201', '202', '207', '302', '304'],
  ...new Set(Object.values(statusOf).map((status) => status.slice(0, 3))),
  'other',
];

interface RequestCount {
  readonly route: string;
  readonly method: string;
  readonly status: string;
  readonly count: number;
}

interface Counted {
  readonly route: CountedRoute | undefined;
  readonly method: string;
  readonly status: string;
  readonly cell: number;
  readonly durations: FixedHistogram;
}

const noOutcomes = (): Outcomes => ({accepted: 0, refused: 0, unavailable: 0});

/** Routes by their paths (route.ts). */
interface CountedRoutes {
  readonly exact: ReadonlyMap<string, CountedRoute>;
  readonly bySegment: ReadonlyMap<string, CountedRoute>;
}

/** Every code from the start: a rate needs a first value. */
const noRefusals = (): Map<ErrorCode, number> =>
  new Map((Object.keys(statusOf) as ErrorCode[]).map((code) => [code, 0]));

export class Traffic implements PublishObserver, ExchangeCounts {
  readonly events: Outcomes = noOutcomes();
  readonly identifies: Outcomes = noOutcomes();
  /** Valid events whose time was corrected, or is ahead. */
  readonly clocks = {corrected: 0, ahead: 0};
  /** Ignored fields of events and identify calls, by `ignoredFieldLabels`. */
  readonly ignoredFields = newIgnoredCounts();
  /** Calls of other services' libraries of which something was left out, by vendor and kind. */
  readonly ignoredCalls = new Map(kindsOfCalls.map(({vendor, kind}) => [`${vendor} ${kind}`, 0]));
  /** What was refused to clients. */
  readonly refusals = noRefusals();
  /** What was refused to the dashboard's own pages: no client of the operator's is behind it. */
  readonly pageRefusals = noRefusals();
  /** Requests that have no answer yet. */
  open = 0;
  /** Requests without an answer: the client left, or the framing was broken. */
  unanswered = 0;
  readonly acks = new FixedHistogram(durationBounds);
  /** Times of acks, fine enough for percentiles. */
  readonly ackTimes = new AckTimes();
  /** Gets each message that the log has while a stream shows arrivals (dashboard/stream.ts). */
  readonly arrivals = new ArrivalTap();
  /** Refusals of writes, while a stream shows them. */
  readonly refusalTap = new RefusalTap();
  readonly messageBytes = new FixedHistogram(messageBytesBounds);
  readonly messageEntries = new FixedHistogram(messageEntriesBounds);
  readonly messages = {stored: 0, unavailable: 0, sentAgain: 0};
  /** The last two stand for routes of the dashboard, and for paths that do not exist. */
  private readonly templates: readonly string[];
  private readonly routeNumbers = new Map<CountedRoute, number>();
  private readonly requests: Float64Array;
  private readonly durations: readonly FixedHistogram[];
  /** The newest count and its place: answers to the entries of one log message are counted one after the other. */
  private newest: Counted = {route: undefined, method: '', status: '', cell: 0, durations: new FixedHistogram([])};

  constructor(routes: CountedRoutes) {
    const known = [
      ...routes.exact,
      ...[...routes.bySegment].map(([prefix, route]) => [templateOf(prefix, ':id'), route] as const),
    ];
    for (const [at, [, route]] of known.entries()) this.routeNumbers.set(route, at);
    this.templates = [...known.map(([template]) => template), 'dashboard', 'unknown'];
    this.requests = new Float64Array(this.templates.length * methods.length * statuses.length);
    this.durations = this.templates.map(() => new FixedHistogram(durationBounds));
  }

  /** `status` begins with its three digits; `ms` since the request arrived. T2 */
  answered(route: CountedRoute | undefined, method: string, status: string, ms: number): void {
    const {newest} = this;
    const isSame = status === newest.status && route === newest.route && method === newest.method;
    const {cell, durations} = isSame ? newest : this.find(route, method, status);
    this.requests[cell]! += 1;
    durations.observe(ms / 1_000);
  }

  private find(route: CountedRoute | undefined, method: string, status: string): Counted {
    const number = this.numberOf(route);
    const cell = (number * methods.length + methodNumber(method)) * statuses.length + statusNumber(status);
    this.newest = {route, method, status, cell, durations: this.durations[number]!};
    return this.newest;
  }

  private numberOf(route: CountedRoute | undefined): number {
    const last = this.templates.length - 1;
    if (route === undefined) return last;
    return route.isOfDashboard ? last - 1 : (this.routeNumbers.get(route) ?? last);
  }

  noteEvents({corrected, ahead, ignoredNames, ignoredCounts}: EventNotes): void {
    this.clocks.corrected += corrected;
    this.clocks.ahead += ahead;
    if (ignoredNames.length === 0) return;
    for (const [label, count] of ignoredCounts.entries()) this.ignoredFields[label]! += count;
  }

  /** Calls of other services' libraries of which something was left out, by kind. */
  noteIgnoredCalls(vendor: string, counts: Readonly<Record<string, number>>): void {
    for (const kind in counts)
      this.ignoredCalls.set(`${vendor} ${kind}`, (this.ignoredCalls.get(`${vendor} ${kind}`) ?? 0) + counts[kind]!);
  }

  noteAhead(): void {
    this.clocks.ahead += 1;
  }

  refused(code: ErrorCode, route: CountedRoute | undefined): void {
    const counts = route?.isOfDashboard === true ? this.pageRefusals : this.refusals;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }

  // ---- the log ----

  stored(entryCount: number, bytes: Uint8Array, ackMs: number): void {
    this.messages.stored += 1;
    this.acks.observe(ackMs / 1_000);
    this.ackTimes.observe(ackMs);
    this.messageBytes.observe(bytes.length);
    this.messageEntries.observe(entryCount);
    this.arrivals.stored(bytes, ackMs);
  }

  unavailable(): void {
    this.messages.unavailable += 1;
  }

  sentAgain(): void {
    this.messages.sentAgain += 1;
  }

  // ---- reading ----

  requestCounts(): RequestCount[] {
    return this.templates.flatMap((route, r) =>
      methods.flatMap((method, m) =>
        statuses.flatMap((status, s) => {
          const count = this.requests[(r * methods.length + m) * statuses.length + s]!;
          return count === 0 ? [] : [{route, method, status, count}];
        }),
      ),
    );
  }

  /** Number of requests of a route that had this status. */
  answeredCount(route: CountedRoute, method: string, status: string): number {
    const number = this.numberOf(route);
    const cell = (number * methods.length + methodNumber(method)) * statuses.length + statusNumber(status);
    return this.requests[cell]!;
  }

  /** Durations of the routes that had requests. */
  requestDurations(): {readonly route: string; readonly durations: FixedHistogram}[] {
    return this.templates
      .map((route, at) => ({route, durations: this.durations[at]!}))
      .filter(({durations}) => durations.read().count > 0);
  }
}

const methodNumbers: ReadonlyMap<string, number> = new Map(methods.map((method, at) => [method, at]));
const methodNumber = (method: string): number => methodNumbers.get(method) ?? methods.length - 1;

const statusNumbers = new Uint8Array(1_000).fill(statuses.length - 1);
for (const [at, status] of statuses.entries()) if (status !== 'other') statusNumbers[Number(status)] = at;

function statusNumber(status: string): number {
  const digit = (at: number): number => status.charCodeAt(at) - 48;
  return statusNumbers[digit(0) * 100 + digit(1) * 10 + digit(2)]!;
}

// The live side of the dashboard: the ring of the last 15 minutes, and the streams of current events. It takes a reading once a
// second even if no page is open: a page that opens shows the time before.
//   LV1. Without a stream a second costs reading counters and one question to each role. Readiness, arrivals and refusals are
//        read only while a stream shows them.

import {isName} from '../../ingest/validate.js';
import {mayAs} from '../../keys/dashboard-role.js';
import {unavailable} from '../failure.js';
import type {Front, Readiness} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {ArrivalSample} from '../metrics/arrivals.js';
import {gatherMeasures, type Measures, type ViewSources} from '../metrics/view.js';
import {where} from '../query/conditions.js';
import {optional, type TextForm, wholeNumber, withDefault} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {ReadEndpoint} from '../route.js';
import type {LoadAnswer} from './answers/load.js';
import type {Vitals} from './answers/stream.js';
import {type DashboardDoor, roleNotSufficient} from './door.js';
import {type LookSources, publishedOf, readingOf, stateOf} from './load-look.js';
import {columnNames, LoadRing} from './load-ring.js';
import {type Frame, Streams, type Topic, topicRoles, topics} from './stream.js';

interface LiveSources extends ViewSources, LookSources {
  readonly door: DashboardDoor;
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
  /** A random number from 0 to below `count`. */
  readonly chooses: (count: number) => number;
}

const lookEveryMs = 1_000;
/** An older answer of a role counts as unknown. */
const measuresMsMax = 2_500;
const minutesMax = 15;

const loadForm = {
  minutes: withDefault(wholeNumber(minutesMax), minutesMax, {description: 'Minutes up to now.'}),
};

const isTopic = (text: string): text is Topic => (topics as readonly string[]).includes(text);
const topicList: TextForm<readonly Topic[]> = {
  schema: {type: 'string'},
  expected: `some of ${topics.join(', ')}, with commas between them`,
  parse: (text) => {
    const asked = text.split(',');
    return asked.every(isTopic) ? asked : undefined;
  },
};
const text: TextForm<string> = {
  schema: {type: 'string'},
  expected: 'a name or an id',
  parse: (value) => (isName(value) ? value : undefined),
};
const streamForm = {
  topics: optional(topicList, {description: 'What the stream carries: vitals and published without it.'}),
  event: optional(text, {description: 'Only arrivals of this event.'}),
  user: optional(text, {description: 'Only arrivals of this user, or of this anonymous one.'}),
  where,
};

const streamType = 'text/event-stream; charset=utf-8';
const unbuffered = [['X-Accel-Buffering', 'no']] as const;
const schema = JSON.stringify(columnNames);
const noRoom = unavailable('too many streams are open: poll /dashboard/api/load instead');

export class Live {
  private readonly ring = new LoadRing();
  private readonly streams = new Streams();
  private sources: LiveSources | undefined;
  private looking: NodeJS.Timeout | undefined;
  private isAsking = false;
  private measures: {readonly value: Measures; readonly sinceMs: number} | undefined;
  private readiness: Readiness | undefined;

  start(sources: LiveSources): void {
    this.sources = sources;
    this.looking = setInterval(() => this.look(sources), lookEveryMs);
    this.ask(sources);
  }

  /** Ends every stream at once. */
  stop(): void {
    clearInterval(this.looking);
    this.streams.stop();
  }

  /** Takes the reading of one second. LV1 */
  private look(sources: LiveSources): void {
    const {front, wallMs, monotonicMs} = sources;
    const {refusalTap} = front.operations.traffic;
    const nowMs = monotonicMs();
    this.ring.add(readingOf(sources, this.newestMeasures(nowMs), wallMs()));
    const seen = refusalTap.isOpen ? refusalTap.take() : undefined;
    refusalTap.isOpen = this.streams.has('refusals');
    const frame: Frame = {
      vitals: this.streams.has('vitals') ? this.vitals(sources, nowMs) : undefined,
      published: this.streams.has('published')
        ? JSON.stringify(publishedOf(sources, this.newestMeasures(nowMs)))
        : undefined,
      refusals: seen === undefined || seen.refusals.length === 0 ? undefined : JSON.stringify({at: wallMs(), ...seen}),
      keys: front.kept.keys.ring.changes,
    };
    this.streams.send(frame, nowMs);
    this.ask(sources);
  }

  private vitals(sources: LiveSources, nowMs: number): string | undefined {
    const newest = this.ring.newest();
    if (newest === undefined || this.readiness === undefined) return undefined;
    const vitals: Vitals = {
      ...newest,
      state: stateOf(sources, this.newestMeasures(nowMs), this.readiness, sources.wallMs()),
      streams: this.streams.size,
    };
    return JSON.stringify(vitals);
  }

  /** Asks the roles now, so that the next second has their answers. */
  private ask(sources: LiveSources): void {
    if (this.isAsking) return;
    this.isAsking = true;
    const watched = this.streams.has('vitals') ? sources.front.operations.readiness() : undefined;
    void Promise.all([gatherMeasures(sources), watched])
      .then(
        ([value, readiness]) => {
          this.measures = {value, sinceMs: sources.monotonicMs()};
          this.readiness = readiness ?? this.readiness;
        },
        () => undefined, // Unknown, like answers older than `measuresMsMax`.
      )
      .finally(() => {
        this.isAsking = false;
      });
  }

  private newestMeasures(nowMs: number): Measures | undefined {
    const {measures} = this;
    return measures !== undefined && nowMs - measures.sinceMs <= measuresMsMax ? measures.value : undefined;
  }

  /** Rows of the ring, and the current state. */
  readonly readLoad: ReadEndpoint['handle'] = async (front, exchange) => {
    const {minutes} = readQuery(exchange.query, loadForm);
    const sources = this.sources!;
    const nowMs = sources.wallMs();
    this.readiness = await front.operations.readiness();
    const state = stateOf(sources, this.newestMeasures(sources.monotonicMs()), this.readiness, nowMs);
    const rows = this.ring.rows(nowMs - minutes * 60_000);
    const answer: LoadAnswer = {...rows, state, streams: this.streams.size};
    exchange.json('200 OK', JSON.stringify(answer));
  };

  readonly openStream: ReadEndpoint['handle'] = (front, exchange) => {
    const {topics: asked = ['vitals', 'published'], event, user, where} = readQuery(exchange.query, streamForm);
    const {role, id: sessionId} = exchange.caller.session!;
    const refused = asked.find((topic) => !mayAs(role, topicRoles[topic]));
    if (refused !== undefined) return exchange.fail(roleNotSufficient(topicRoles[refused]));
    if (exchange.method === 'HEAD') return exchange.answer('200 OK', streamType, '', unbuffered);
    const sample = asked.includes('arrivals')
      ? new ArrivalSample({event, user, where}, this.sources!.chooses)
      : undefined;
    const stream = this.streams.take({
      topics: asked,
      sessionId,
      session: () => this.sources!.door.sessionOf(exchange.page!),
      arrivals: sample && (() => sample.take()),
      schema,
      whenOver: () => sample && front.operations.traffic.arrivals.close(sample),
    });
    if (stream === undefined) return exchange.fail(noRoom);
    if (sample !== undefined) front.operations.traffic.arrivals.open(sample);
    this.begin(front, exchange, stream, asked);
  };

  private begin(front: Front, exchange: Exchange, stream: ReturnType<Streams['take']>, asked: readonly Topic[]): void {
    if (asked.includes('refusals')) front.operations.traffic.refusalTap.isOpen = true;
    exchange.stream(streamType, unbuffered, (answer) => stream!.begin(answer, this.sources!.monotonicMs()));
  }
}

// Pieces of the edge: what every request, and every odd one, goes through.

import {Counter, Histogram, Registry} from 'prom-client';
import {eventBytesMax} from '../../actors/limits.js';
import {CollectedBody} from '../../src/edge/collected-body.js';
import {durationBounds} from '../../src/edge/metrics/fixed-histogram.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';
import type {Route} from '../../src/edge/route.js';
import {compactBytesMin} from '../../src/ingest/compact-size.js';
import {eventSchema} from '../../src/ingest/schemas.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {canonical, dayMs, workloadEvents} from '../workload/events.js';
import type {Piece} from './piece.js';

/** As many as zod judges in the time of the other pieces. */
const judgedMax = 50_000;
const bodyBytes = 200 * 1_024;
const pieceBytes = 50 * 1_024;
/** An event of so many properties is refused for its size alone. */
const oddKeys = 60_000;

export function edgePieces(count: number): Piece[] {
  return [counted(count), judged(Math.min(count, judgedMax)), collected(Math.ceil(count / 1_000)), refused()];
}

/** What `/metrics` tells of requests. */
function counted(count: number): Piece {
  const routes = {exact: new Map<string, Route>([['/v1/events', {}]]), bySegment: new Map<string, Route>()};
  const route = routes.exact.get('/v1/events');
  const seconds = (i: number): number => (i % 50) / 1_000;
  return {
    quick: 'a request counted: plain arrays',
    plain: 'a request counted: prom-client',
    work: {
      quick: () => {
        const traffic = new Traffic(routes);
        for (let i = 0; i < count; i++) traffic.answered(route, 'POST', '200 OK', seconds(i) * 1_000);
        return traffic.requestCounts().map((each) => each.count);
      },
      plain: () => {
        const registers = [new Registry()];
        const labelNames = ['route', 'method', 'status'];
        let counts = 0;
        const requests = new Counter({name: 'requests', help: 'requests', labelNames, registers});
        const durations = new Histogram({
          name: 'durations',
          help: 'durations',
          labelNames: ['route'],
          buckets: durationBounds,
          registers,
        });
        for (let i = 0; i < count; i++) {
          requests.inc({route: '/v1/events', method: 'POST', status: '200'});
          durations.observe({route: '/v1/events'}, seconds(i));
          counts += 1;
        }
        return [counts];
      },
    },
    count,
  };
}

function judged(count: number): Piece {
  const nowMs = canonical.startMs + canonical.dayCount * dayMs;
  const events = Array.from(workloadEvents({...canonical, eventCount: count}), ({json}) => JSON.parse(json) as unknown);
  const schema = eventSchema(() => nowMs);
  const draft = new EventDraft();
  const accepted = (isEvent: (event: unknown) => boolean) => () =>
    events.reduce<number>((sum, event) => sum + Number(isEvent(event)), 0);
  return {
    quick: 'an event judged: by hand',
    plain: 'an event judged: zod',
    work: {
      quick: accepted((event) => readEvent(event, nowMs, draft) === undefined),
      plain: accepted((event) => schema.safeParse(event).success),
    },
    count,
  };
}

/** Bodies of batches, as they come: in pieces. */
function collected(count: number): Piece {
  const piece = new ArrayBuffer(pieceBytes);
  const bytes = new Uint8Array(piece);
  return {
    quick: 'a body of 200 KiB collected: buffers used again',
    plain: 'a body of 200 KiB collected: new buffers',
    work: {
      quick: () => {
        let length = 0;
        for (let i = 0; i < count; i++) {
          const body = new CollectedBody(bodyBytes);
          for (let at = 0; at < bodyBytes; at += pieceBytes) body.add(piece, bodyBytes);
          length += body.bytes().length;
          body.release();
        }
        return length;
      },
      plain: () => {
        let length = 0;
        for (let i = 0; i < count; i++) {
          const body = Buffer.allocUnsafeSlow(bodyBytes);
          for (let at = 0; at < bodyBytes; at += pieceBytes) body.set(bytes, at);
          length += body.length;
        }
        return length;
      },
    },
    count,
  };
}

function refused(): Piece {
  const keys = Array.from({length: oddKeys}, (_, i) => `"${i.toString(36)}":${i}`);
  const body = Buffer.from(`{"event":"odd","userId":"u","properties":{${keys.join()}}}`);
  return {
    quick: 'a single event that is too large: counted over',
    plain: 'a single event that is too large: parsed',
    work: {
      quick: () => String(compactBytesMin(body) > eventBytesMax),
      plain: () => String(JSON.stringify(JSON.parse(body.toString('utf8'))).length > eventBytesMax),
    },
    count: body.length,
  };
}

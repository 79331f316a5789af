// Pieces of the edge: what every request, and every odd one, goes through.

import {Counter, Histogram, Registry} from 'prom-client';
import {eventBytesMax} from '../../actors/limits.js';
import {CollectedBody} from '../../src/edge/admission/collected-body.js';
import {durationBounds} from '../../src/edge/metrics/fixed-histogram.js';
import {Traffic} from '../../src/edge/metrics/traffic.js';
import type {Route} from '../../src/edge/route.js';
import {compactBytesMin} from '../../src/ingest/compact-size.js';
import {eventSchema} from '../../src/ingest/schemas.js';
import {EventDraft, readEvent} from '../../src/ingest/validate.js';
import {canonical, dayMs, workloadEvents} from '../workload/events.js';
import {type Piece, sumOf, told} from './piece.js';

/** As many as zod judges in the time of the other pieces. */
const judgedMax = 50_000;
const bodyBytes = 200 * 1_024;
const pieceBytes = 50 * 1_024;
const noBytes = new Uint8Array();
/** An event of so many properties is refused for its size alone. */
const oddKeys = 60_000;

export function edgePieces(count: number): Piece[] {
  return [counted(count), judged(Math.min(count, judgedMax)), collected(Math.ceil(count / 1_000)), refused()];
}

/** What `/metrics` tells of requests. */
function counted(count: number): Piece {
  const routes = {exact: new Map<string, Route>([['/v1/events', {}]]), bySegment: new Map<string, Route>()};
  const route = routes.exact.get('/v1/events');
  const ms = (i: number): number => i % 50;
  return {
    quick: 'a request counted: plain arrays',
    plain: 'a request counted: prom-client',
    work: {
      quick: () => {
        const traffic = new Traffic(routes);
        for (let i = 0; i < count; i++) traffic.answered(route, 'POST', '200 OK', ms(i));
        const requests = traffic
          .requestCounts()
          .map(({route: of, method, status, count: n}) => [of, method, status, n]);
        const durations = traffic.requestDurations().map(({route: of, durations: histogram}) => {
          const {cumulative, sum, count: n} = histogram.read();
          return [of, ...cumulative, sum, n];
        });
        return told(() => [...requests, ...durations]);
      },
      plain: async () => {
        const registers = [new Registry()];
        const labelNames = ['route', 'method', 'status'];
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
          durations.observe({route: '/v1/events'}, ms(i) / 1_000);
        }
        const [counted, observed] = await Promise.all([requests.get(), durations.get()]);
        return told(() => [
          ...counted.values.map(({labels: {route: of, method, status}, value}) => [of, method, status, value]),
          ...[observed.values[0]?.labels.route, observed.values.map(({value}) => value)],
        ]);
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
      quick: accepted((event) => readEvent(event, {receivedMs: nowMs}, draft) === undefined),
      plain: accepted((event) => schema.safeParse(event).success),
    },
    count,
  };
}

/** Bodies of batches, as they come: in pieces. */
function collected(count: number): Piece {
  const pieces = Array.from({length: bodyBytes / pieceBytes}, (_, at) =>
    Uint8Array.from({length: pieceBytes}, (__, i) => i * (at + 1)),
  );
  return {
    quick: 'a body of 200 KiB collected: buffers used again',
    plain: 'a body of 200 KiB collected: new buffers',
    work: {
      quick: () => {
        let last: Uint8Array = noBytes;
        for (let i = 0; i < count; i++) {
          const body = new CollectedBody(bodyBytes);
          for (const {buffer} of pieces) body.add(buffer, bodyBytes);
          if (i === count - 1) last = Uint8Array.from(body.bytes());
          body.release();
        }
        return told(() => [last.length, sumOf(last)]);
      },
      plain: () => {
        let last: Uint8Array = noBytes;
        for (let i = 0; i < count; i++) {
          const body = Buffer.allocUnsafeSlow(bodyBytes);
          for (const [at, piece] of pieces.entries()) body.set(piece, at * pieceBytes);
          if (i === count - 1) last = Uint8Array.from(body);
        }
        return told(() => [last.length, sumOf(last)]);
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

// GET /v1: which key asks, what it may do, and within which limits.
import {batchBytesMax, batchEventsMax, eventBytesMax} from '../../../actors/limits.js';
import {refuseKind} from '../admission/authentication.js';
import type {CallerAnswer} from '../answers/caller.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {noParameters, readQuery} from '../query/query.js';
import {shownOptions} from './keys.js';

/** Null: the limit is off. */
const limitOf = (units: number): number | null => (units === 0 ? null : units);

export function readCaller(front: Front, exchange: Exchange): void {
  readQuery(exchange.query, noParameters);
  const {id, kind, options} = exchange.caller.key!;
  const opens = (access: 'write' | 'read' | 'secret'): boolean => refuseKind(access, kind) === undefined;
  const {eventsPerSecond, readsPerMinute, deletesPerSecond} = front.operations.limits;
  const prefix = pathPrefix(front.operations, exchange);
  const answer: CallerAnswer = {
    key: {
      id,
      name: front.kept.keys.ring.get(id)!.name,
      kind: kind as CallerAnswer['key']['kind'],
      ...shownOptions(options),
    },
    may: {
      track: opens('write'),
      identify: opens('write') && options?.mayIdentify !== false,
      read: opens('read'),
      manage: opens('secret'),
    },
    limits: {
      events_per_second: limitOf(eventsPerSecond),
      reads_per_minute: limitOf(readsPerMinute),
      deletions_per_second: limitOf(deletesPerSecond),
      event_bytes: eventBytesMax,
      batch_events: batchEventsMax,
      batch_bytes: batchBytesMax,
    },
    links: {docs: `${prefix}/docs`, openapi: `${prefix}/openapi.json`, dashboard: `${prefix}/dashboard`},
  };
  exchange.json('200 OK', JSON.stringify(answer));
}

// Peer A: what a good team would build instead. Fastify 5 and PostgreSQL behind the same routes, with group commit: a 200
// is an event that is committed and on disk.

import Fastify, {type FastifyReply, type FastifyRequest} from 'fastify';
import {Client} from 'pg';
import {wallMs} from '../../../src/clock.js';
import {type EventFault, eventRow} from './event-row.js';
import {GroupWriter} from './group-writer.js';
import {countsByDay, dailyActiveUsers, schema} from './reports.js';

/** In the environment, as JSON. */
export interface PeerSettings {
  readonly connection: {readonly host: string; readonly user: string; readonly database: string};
  readonly writeKey: string;
  readonly secretKey: string;
}

const settings = JSON.parse(process.env.PEER_SETTINGS!) as PeerSettings;
const writerConnections = 2;
const batchEventsMax = 1_000;
const bodyBytesMax = 10 * 1024 * 1024;

async function connected(): Promise<Client> {
  const client = new Client(settings.connection);
  await client.connect();
  return client;
}

const reader = await connected();
await reader.query(schema);
const writer = new GroupWriter(await Promise.all(Array.from({length: writerConnections}, connected)));
const keys = new Map([
  [`Bearer ${settings.writeKey}`, 'write'],
  [`Bearer ${settings.secretKey}`, 'secret'],
]);

// Fastify's own parser looks for "__proto__" before JSON.parse; nothing here copies objects, so that can be left out.
const app = Fastify({
  logger: false,
  bodyLimit: bodyBytesMax,
  onProtoPoisoning: 'ignore',
  onConstructorPoisoning: 'ignore',
  exposeHeadRoutes: false,
});

app.addHook('onRequest', (request, reply, done) => {
  const kind = keys.get(request.headers.authorization ?? '');
  const isReport = request.method === 'GET';
  if (kind === undefined) refuse(reply, 401, {code: 'invalid_key', message: 'unknown key'});
  else if (isReport && kind !== 'secret')
    refuse(reply, 403, {code: 'insufficient_permissions', message: 'a secret key'});
  else done();
});

app.post('/v1/events', (request, reply) => {
  const row = eventRow(request.body, wallMs());
  if (typeof row !== 'string') {
    refuse(reply, 400, {code: 'invalid_event', ...row});
    return;
  }
  writer.append(row, (error) => (error === null ? accept(reply, '{"status":"ok","received":1}') : fail(reply)));
});

app.post('/v1/events/batch', (request, reply) => {
  const events = (request.body as {events?: unknown} | null)?.events;
  if (!Array.isArray(events) || events.length === 0) {
    refuse(reply, 400, {code: 'invalid_request', message: 'events must be an array of at least one event'});
    return;
  }
  if (events.length > batchEventsMax) {
    refuse(reply, 413, {code: 'batch_too_large', message: `a batch has at most ${batchEventsMax} events`});
    return;
  }
  const nowMs = wallMs();
  const rows: string[] = [];
  const errors: object[] = [];
  for (let index = 0; index < events.length; index++) {
    const row = eventRow(events[index], nowMs);
    if (typeof row === 'string') rows.push(row);
    else errors.push({index, code: 'invalid_event', ...row});
  }
  const status = errors.length === 0 ? 'ok' : rows.length > 0 ? 'partial' : 'rejected';
  const body = JSON.stringify({status, received: rows.length, rejected: errors.length, errors});
  if (rows.length === 0) {
    reply.code(400).type('application/json; charset=utf-8').send(body);
    return;
  }
  writer.append(rows.join(''), (error) => {
    if (error === null) accept(reply.code(errors.length === 0 ? 200 : 207), body);
    else fail(reply);
  });
});

interface ReportQuery {
  readonly Querystring: Readonly<Record<'event' | 'from' | 'to', string>>;
}

app.get('/v1/reports/events', ({query}: FastifyRequest<ReportQuery>) =>
  countsByDay(reader, query.event, query.from, query.to),
);
app.get('/v1/reports/users', ({query}: FastifyRequest<ReportQuery>) => dailyActiveUsers(reader, query.from, query.to));

function accept(reply: FastifyReply, body: string): void {
  reply.type('application/json; charset=utf-8').send(body);
}

function refuse(
  reply: FastifyReply,
  status: number,
  error: Partial<EventFault> & {code: string; message: string},
): void {
  reply.code(status).send({error});
}

function fail(reply: FastifyReply): void {
  const error = {code: 'unavailable', message: 'the database did not take the events'};
  reply.code(503).header('retry-after', '1').send({error});
}

const address = await app.listen({host: '127.0.0.1', port: 0});
process.send!({port: Number(new URL(address).port)});
// The benchmark that forked us is gone.
process.on('disconnect', () => process.exit(0));

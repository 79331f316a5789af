// Connections to NATS: one way to make them, for the embedded server and for an external one.

import {readFileSync} from 'node:fs';
import {
  AuthorizationError,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  TimeoutError,
} from 'nats';
import {StartFault} from '../../start-fault.js';
import type {NatsAddress} from '../../worker-messages.js';

// The embedded server is back 30 ms after a crash: a long wait would turn that into a visible outage.
const reconnectWaitMs = 50;
const reconnectJitterMs = 50;
// The client notices a server that dies between its greeting and its first PONG by this deadline alone: with the 5 s that
// stood here a server that was killed twice in a row kept writes at 503 for 5 s after it was back.
const handshakeMsMax = 2_000;
/** On a busy machine a start must not end because a handshake took longer than that, or than the server waits for a login. */
const firstHandshakesMax = 5;
// A half-open connection to another machine is noticed after three silent pings.
const pingEveryMs = 10_000;
const pingsUnansweredMax = 3;

/**
 * Fails when no server answers now; from then on it reconnects for ever (the client's default gives up after 10 times).
 * `name` shows on the server's monitoring pages; it never holds an id of a user.
 */
export function connectNats(address: NatsAddress, name: string): Promise<NatsConnection> {
  return connect({
    name,
    ...splitLogin(address),
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWaitMs,
    reconnectJitter: reconnectJitterMs,
    waitOnFirstConnect: false,
    // Credentials that are refused while a cluster rolls over are not a reason to stay away.
    ignoreAuthErrorAbort: true,
    // Else the client takes a stack for every request, in case it fails: a fifteenth of a profile of asking partitions.
    noAsyncTraces: true,
    timeout: handshakeMsMax,
    pingInterval: pingEveryMs,
    maxPingOut: pingsUnansweredMax,
  });
}

/** A connection of a start, which may lose its server between two of them: why there is none, in one line for the operator. */
export async function connectFirst(address: NatsAddress, name: string): Promise<NatsConnection> {
  for (let handshakes = 1; ; handshakes++) {
    try {
      return await connectNats(address, name);
    } catch (cause) {
      if (cause instanceof StartFault) throw cause;
      if (isTooSlow(cause) && handshakes < firstHandshakesMax) continue;
      throw noConnection(address, cause as Error);
    }
  }
}

const isTooSlow = (cause: unknown): boolean =>
  cause instanceof TimeoutError ||
  (cause instanceof AuthorizationError && /authentication timeout/i.test(cause.message));

function noConnection({servers}: NatsAddress, cause: Error): StartFault {
  const at = publicServers(servers);
  const isRefused = cause instanceof AuthorizationError && !isTooSlow(cause);
  return new StartFault(
    isRefused
      ? `the NATS server at ${at} refuses the login (NATS_URL, NATS_TOKEN or NATS_CREDS): ${cause.message}`
      : `no NATS server answers at ${at}: ${cause.message}`,
    {cause},
  );
}

/** Whether the server that it leads to now is one of several. */
export const isOfCluster = (nc: NatsConnection): boolean => nc.info?.cluster !== undefined;

/** The client ignores `user:password@` and `token@` in addresses: they are handed over as options. */
function splitLogin({servers, token, credsPath}: NatsAddress): ConnectionOptions {
  const urls = servers.map(parseServer);
  const options: ConnectionOptions = {servers: urls.map(({host}) => host)};
  if (urls.some(({isTls}) => isTls)) options.tls = {};
  const {user, password} = urls[0]!;
  if (credsPath !== undefined) options.authenticator = credsAuthenticator(readCreds(credsPath));
  else if (token !== undefined) options.token = token;
  else if (password !== '') Object.assign(options, {user, pass: password});
  else if (user !== '') options.token = user;
  return options;
}

function readCreds(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new StartFault(`NATS_CREDS cannot be read: ${(cause as Error).message}`, {cause});
  }
}

function parseServer(server: string): {host: string; user: string; password: string; isTls: boolean} {
  const scheme = /^([a-z]+):\/\//.exec(server)?.[1];
  // Parsed as http: the URL parser knows ports and user names only in schemes that it knows.
  const url = new URL(`http://${server.slice(scheme === undefined ? 0 : scheme.length + 3)}`);
  return {
    host: `${url.hostname}:${url.port === '' ? defaultPort(server) : url.port}`,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    isTls: scheme === 'tls',
  };
}

// The URL parser drops `:80`, since that is what http means without a port.
const defaultPort = (server: string): number => (/:80\/?$/.test(server) ? 80 : 4222);

/** Addresses as they may be shown: without names, passwords and tokens. */
const publicServers = (servers: readonly string[]): string =>
  servers.map((server) => parseServer(server).host).join(',');

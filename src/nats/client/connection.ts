// Connections to NATS, embedded and external.

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

// The embedded server is back 30 ms after a crash: a longer wait would make that a visible outage.
const reconnectWaitMs = 50;
const reconnectJitterMs = 50;
// No other deadline notices a server that dies between its greeting and its first PONG. With 5 s, a server that was killed
// twice in a row kept writes at 503 for 5 s after it was back.
const handshakeMsMax = 2_000;
/** A start on a busy machine must not end because a handshake took longer, or longer than the server waits for a login. */
const firstHandshakesMax = 5;
// Three silent pings reveal a half-open connection to another machine.
const pingEveryMs = 10_000;
const pingsUnansweredMax = 3;

/**
 * Rejects when no server answers now; a connection then reconnects for ever (the client's default gives up after 10 times).
 * `name` is shown on the server's monitoring pages; it never has an id of a user.
 */
export function connectNats(
  address: NatsAddress,
  name: string,
  more: Pick<ConnectionOptions, 'ignoreClusterUpdates'> = {},
): Promise<NatsConnection> {
  return connect({
    ...more,
    name,
    ...splitLogin(address),
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectWaitMs,
    reconnectJitter: reconnectJitterMs,
    waitOnFirstConnect: false,
    // Credentials may be refused while a cluster changes them: the client tries again.
    ignoreAuthErrorAbort: true,
    // Traces capture a stack for every request: a fifteenth of the CPU of questions.
    noAsyncTraces: true,
    timeout: handshakeMsMax,
    pingInterval: pingEveryMs,
    maxPingOut: pingsUnansweredMax,
  });
}

/** The connection of a start. Rejects with one line for the operator. */
export async function connectFirst(address: NatsAddress, name: string): Promise<NatsConnection> {
  for (let handshakes = 1; ; handshakes++) {
    try {
      // A cluster's servers name each other before they ask for a login: a client that they all refuse would try them for ever.
      await (await connectNats(address, name, {ignoreClusterUpdates: true})).close();
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

/** Whether the connected server is one of several. */
export const isOfCluster = (nc: NatsConnection): boolean => nc.info?.cluster !== undefined;

/** The client ignores `user:password@` and `token@` in addresses: they are passed as options. */
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
  // Parsed as http: the URL parser reads ports and user names only in schemes that it knows.
  const url = new URL(`http://${server.slice(scheme === undefined ? 0 : scheme.length + 3)}`);
  return {
    host: `${url.hostname}:${url.port === '' ? defaultPort(server) : url.port}`,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    isTls: scheme === 'tls',
  };
}

// The URL parser drops `:80`, the default of http.
const defaultPort = (server: string): number => (/:80\/?$/.test(server) ? 80 : 4222);

/** Addresses for logs: without names, passwords and tokens. */
const publicServers = (servers: readonly string[]): string =>
  servers.map((server) => parseServer(server).host).join(',');

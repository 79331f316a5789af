// The choice of the HTTP server on this machine.
import type {Logger} from '../../observe.js';
import {nodeTransport} from './node-server.js';
import type {Transport} from './transport.js';
import {loadUws} from './uws.js';

/** uWebSockets.js where it has a binary; otherwise node:http, with a warning that says what would change that. */
export async function loadTransport(logger: Pick<Logger, 'warn'>): Promise<Transport> {
  try {
    return await loadUws();
  } catch (error) {
    const reason = reasonOf(error as AggregateError);
    logger.warn({reason}, `HTTP is served by node:http, which takes more CPU: ${cureOf(reason)}`);
    return nodeTransport;
  }
}

/** The reason in one line: what the system's loader misses, if it says so, which follows the package's own words. */
export function reasonOf({errors}: AggregateError): string {
  const lines = errors.flatMap(({message}: Error) => message.split('\n'));
  return lines.find((line) => line.includes('GLIBC')) ?? lines[0] ?? 'unknown';
}

/** The remedy for `reason`. */
export function cureOf(reason: string): string {
  const [, glibc] = /GLIBC_(\d+\.\d+)/.exec(reason) ?? [];
  if (glibc !== undefined)
    return `the native HTTP server needs glibc ${glibc} (Debian 13, Ubuntu 24.04), or Node 20 or 22`;
  return 'uWebSockets.js has no binary for this platform, or it was not installed (npm ci)';
}

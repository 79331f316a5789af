// The choice of the HTTP server on this machine.
import type {Logger} from '../../observe.js';
import {nodeTransport} from './node-server.js';
import type {Transport} from './transport.js';
import {loadUws} from './uws.js';

/** uWebSockets.js where it has a binary; otherwise node:http, with a warning that says what would change that. */
export function loadTransport(logger: Pick<Logger, 'warn'>): Transport {
  try {
    return loadUws();
  } catch (error) {
    const reason = reasonOf(error as AggregateError);
    logger.warn({reason}, `HTTP is served by node:http, which takes more CPU: ${cureOf(reason)}`);
    return nodeTransport;
  }
}

/**
 * The reason in one line. The package's own message names versions of Node, whatever is missing; the reason of the system's or
 * Node's loader follows it.
 */
export function reasonOf({errors}: AggregateError): string {
  const lines = errors.flatMap(({message}: Error) => message.split('\n'));
  const said = (words: string): string | undefined => lines.find((line) => line.includes(words));
  return said('GLIBC') ?? said('Cannot find module') ?? lines[0] ?? 'unknown';
}

/** The remedy for `reason`. */
export function cureOf(reason: string): string {
  const [, glibc] = /GLIBC_(\d+\.\d+)/.exec(reason) ?? [];
  if (glibc !== undefined)
    return `the native HTTP server needs glibc ${glibc} (Debian 13, Ubuntu 24.04), or Node 20 or 22`;
  const [, missing] = /Cannot find module '(@uwsjs\/[^'/]+|uWebSockets[^']*)/.exec(reason) ?? [];
  if (missing !== undefined)
    return `the package ${missing} is not installed: where there is one for this platform and Node, the next npm start installs it`;
  return 'uWebSockets.js has no binary for this platform';
}

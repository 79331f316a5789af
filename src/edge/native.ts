// The native HTTP server. It comes as one binary per platform and Node version inside its package.
import type {TemplatedApp, us_listen_socket} from 'uWebSockets.js';
import {StartFault} from '../start-fault.js';

export type Native = typeof import('uWebSockets.js');

/** A form of `App.listen` that its types leave out. */
interface ListenWithOptions {
  listen(host: string, port: number, options: number, cb: (socket: us_listen_socket | false) => void): unknown;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT. Without it two processes can have one port, and each gets some of its connections. */
const exclusivePort = 1;

/** @returns false when the port is taken. */
export function listenAlone(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    (app as unknown as ListenWithOptions).listen(host, port, exclusivePort, resolve);
  });
}

// Request line and headers together. A name of 256 characters, percent-encoded, takes 3 KiB; 50 funnel steps of them do
// not fit the 4 KiB that the binary assumes unless it is told otherwise before it loads.
const headersBytesMax = 32 * 1024;

/** Refuses to start with a sentence that says why when there is no binary for this machine. */
export async function loadNative(): Promise<Native> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headersBytesMax);
  try {
    return await import('uWebSockets.js');
  } catch (cause) {
    const here = `${process.platform}-${process.arch}, Node ${process.versions.node}`;
    throw new StartFault(`the HTTP server (uWebSockets.js) has no working binary for ${here}: run on Node 20 or 22`, {
      cause,
    });
  }
}

// The native HTTP server, uWebSockets.js: its package has one binary for each platform and major version of Node. The newer of
// two versions has no binary for Node 20, the older none for Node 24; the newer one needs glibc 2.38.

import type {TemplatedApp, us_listen_socket} from 'uWebSockets.js';
import {createRequire} from 'node:module';
import {type Handle, type HttpApp, headersBytesMax, type Transport} from './transport.js';

type Native = typeof import('uWebSockets.js');

/** A form of `App.listen` that its types leave out. */
interface ListenWithOptions {
  listen(host: string, port: number, options: number, cb: (socket: us_listen_socket | false) => void): unknown;
}

/** LIBUS_LISTEN_EXCLUSIVE_PORT. Without it two processes can share a port, and each gets some of its connections. */
const exclusivePort = 1;

/** @throws the errors of both packages when neither has a binary that works here. */
export function loadUws(): Transport {
  // The binary assumes 4 KiB unless this is set before it loads.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headersBytesMax);
  const native = requireNative();
  return {name: 'uWebSockets.js', newApp: () => new UwsApp(native)};
}

/**
 * `require`, not `import`: when a CommonJS package throws while it is imported, Node 20 rejects the import and then also ends
 * the process with the same error.
 */
function requireNative(): Native {
  const require = createRequire(import.meta.url);
  try {
    return require('uWebSockets.js-newer');
  } catch (newer) {
    try {
      return require('uWebSockets.js');
    } catch (older) {
      throw new AggregateError([newer, older], 'uWebSockets.js has no binary that works here');
    }
  }
}

class UwsApp implements HttpApp {
  private readonly native: Native;
  private readonly app: TemplatedApp;
  private socket: us_listen_socket | undefined;

  constructor(native: Native) {
    this.native = native;
    this.app = native.App();
  }

  post(path: string, handle: Handle): void {
    this.app.post(path, handle);
  }

  any(handle: Handle): void {
    this.app.any('/*', handle);
  }

  onConnection(change: (by: 1 | -1, close: () => void) => void): void {
    this.app.filter((res, by) => change(Number(by) > 0 ? 1 : -1, () => res.close()));
  }

  listen(host: string, port: number): Promise<number | undefined> {
    return new Promise((resolve) => {
      (this.app as unknown as ListenWithOptions).listen(host, port, exclusivePort, (socket) => {
        if (!socket) return resolve(undefined);
        this.socket = socket;
        resolve(this.native.us_socket_local_port(socket));
      });
    });
  }

  stopListening(): void {
    if (this.socket !== undefined) this.native.us_listen_socket_close(this.socket);
    this.socket = undefined;
  }

  close(): void {
    this.app.close();
  }
}

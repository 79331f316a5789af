// The HTTP servers that this machine can run: what the edge promises holds over each of them. With TEST_HTTP=node every service
// has node:http, and it is the only one.
import {nodeTransport} from '../../src/edge/http/node-server.js';
import type {Transport} from '../../src/edge/http/transport.js';
import {loadUws} from '../../src/edge/http/uws.js';

export const transports: readonly Transport[] = [
  ...(process.env.TEST_HTTP === 'node' ? [] : loadedUws()),
  nodeTransport,
];

function loadedUws(): Transport[] {
  try {
    return [loadUws()];
  } catch (error) {
    process.stderr.write(`SKIPPED: uWebSockets.js has no binary here: ${(error as Error).message}\n`);
    return [];
  }
}

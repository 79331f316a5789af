// The native HTTP server. It comes as one binary per platform and Node version inside its package.
import {StartFault} from '../start-fault.js';

export type Native = typeof import('uWebSockets.js');

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

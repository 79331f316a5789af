// A port that is free now, and that no connection gets while its service is down between two starts.
//   F1. Below the range of ports for outgoing connections: one of those could take it at that moment, and the next start would
//       fail.
//   F2. Another one at each call, and different ones in each process for up to 16 calls: it is tried and released before use.

import {createServer} from 'node:net';

const first = 20_000;
// The tests of proxies take 12.
const portsPerProcess = 16;
const processes = 750;
let given = 0;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + (((process.pid % processes) * portsPerProcess + given++) % (processes * portsPerProcess));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

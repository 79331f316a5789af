// A port that nobody listens on now, and that no connection gets while a service that has it is down between two starts.
//   F1. Below the range from which the system takes the ports of outgoing connections: one of these could otherwise come to
//       own it just then, and the next start would fail.
//   F2. Another one at each call, and others in each process for up to 16 calls: it is tried and released before it is used.

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

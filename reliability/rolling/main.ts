// `npm run rolling -- --restarts N [--kill]`: the service is stopped and started again on its port and data, over and
// over, under clients that retry. In the end no request has failed, every acknowledged event is there once, and nothing else.
//   --kill: by SIGKILL; otherwise by SIGTERM, and each generation ends with code 0.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import {freePort} from '../chaos/free-port.js';
import {Http} from '../chaos/http.js';
import {Readback} from '../chaos/readback.js';
import {ServiceProcess, secretKey} from '../service-process.js';
import {RetryingClient} from './client.js';

const {values} = parseArgs({
  options: {restarts: {type: 'string', default: '10'}, kill: {type: 'boolean', default: false}},
});
const restarts = Number(values.restarts);
if (!Number.isSafeInteger(restarts) || restarts < 1) {
  process.stderr.write('usage: npm run rolling -- [--restarts N] [--kill]\n');
  process.exit(2);
}
const signal = values.kill ? 'SIGKILL' : 'SIGTERM';
const clientsCount = 6;
/** Between two restarts, so that each generation has work. */
const eventsPerGeneration = 300;
const generationMsMax = 60_000;

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-rolling-'));
const port = await freePort();
const start = (): Promise<ServiceProcess> =>
  ServiceProcess.start(dataDir, {PORT: String(port), REPORT_REFRESH_SECONDS: '1', MEMORY_CACHE_MIB: '32'});

let service = await start();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => void service.end('SIGKILL').then(() => process.exit(130)));
}
const https = Array.from({length: clientsCount}, () => new Http(port, secretKey));
const clients = https.map((http, i) => new RetryingClient(http, `rolling-${i}`));
const failures: string[] = [];
try {
  const runs = clients.map((client) => client.run());
  await roll();
  for (const client of clients) client.stop();
  await Promise.all(runs);
  report(await storedCounts());
} finally {
  for (const http of https) http.close();
  await service.end('SIGKILL');
  for (const folder of [dataDir, `${dataDir}-deletions`])
    rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 100});
}

async function roll(): Promise<void> {
  for (let restart = 0; restart < restarts; restart++) {
    await generation();
    const code = await service.end(signal);
    if (signal === 'SIGTERM' && code !== 0) failures.push(`a generation ended with code ${code}`);
    service = await start();
  }
  await generation();
}

/** Resolves when the clients have come on. */
async function generation(): Promise<void> {
  const count = (): number => clients.reduce((sum, {acknowledged}) => sum + acknowledged.length, 0);
  const goal = count() + eventsPerGeneration;
  const endMs = performance.now() + generationMsMax;
  while (count() < goal && performance.now() < endMs) await pause(10);
  if (count() < goal) failures.push(`no ${eventsPerGeneration} events in ${generationMsMax} ms`);
}

async function storedCounts(): Promise<Map<string, number>> {
  const readback = new Readback(port, secretKey);
  const counts = new Map<string, number>();
  for (const {messageId = ''} of await readback.history({})) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
  readback.close();
  return counts;
}

function report(stored: ReadonlyMap<string, number>): void {
  for (const client of clients) failures.push(...client.failures);
  const acknowledged = new Set(clients.flatMap((client) => client.acknowledged));
  const lost = [...acknowledged].filter((id) => !stored.has(id));
  const double = [...stored].filter(([, count]) => count > 1);
  // A client stops with its last request answered: nothing is stored that was not acknowledged.
  const invented = [...stored.keys()].filter((id) => !acknowledged.has(id));
  const sum = (what: 'requests' | 'retries'): number => clients.reduce((total, client) => total + client[what], 0);
  const slowestMs = Math.round(Math.max(...clients.map((client) => client.slowestMs)));
  console.log(
    `${restarts} restarts by ${signal}: ${sum('requests')} requests, ${sum('retries')} retries, slowest ${slowestMs} ms`,
  );
  for (const failure of failures.slice(0, 20)) console.log(`       ${failure}`);
  console.log(
    `${acknowledged.size} events acknowledged, ${failures.length} failed, ${lost.length} lost, ${double.length} double, ${invented.length} invented`,
  );
  if (failures.length + lost.length + double.length + invented.length > 0) process.exitCode = 1;
}

// A store of more events than a workload of their number could be prepared for: copies of two million events, spread evenly
// over the workload's days, sent through the service.
//   CS1. A folder counts as filled once its note exists, which is written last.

import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import type {Say} from '../bench.js';
import {Connection} from '../load/connection.js';
import {copyOf, type PreparedRequests, prepareRequests} from '../load/requests.js';
import {type BenchService, startService, writeKey} from '../machine/service.js';
import {settled} from '../machine/settle.js';
import type {BenchOptions} from '../options.js';
import type {Owned} from '../owned.js';
import {whole} from '../table.js';
import {dayMs, type WorkloadOptions} from '../workload/events.js';

const preparedEventsMax = 2_000_000;
const batchEventsMax = 1_000;
const connections = 12;
/** Pause after a refusal: the service asks for it while its log is far ahead of its folding. */
const refusedPauseMs = 500;
/** Snapshots as often as a service under load takes them for its tail. */
const fillRefreshSeconds = 30;
const toldEvents = 10_000_000;

/** Fills `folder/data` unless it is filled. There are at least `workload.eventCount` events. @returns DATA_DIR of the service */
export async function openCopies(
  folder: string,
  workload: WorkloadOptions,
  options: BenchOptions,
  owned: Owned,
  say: Say,
): Promise<string> {
  const [dataDir, notePath] = [join(folder, 'data'), join(folder, 'filled.json')];
  const note = JSON.stringify({workload, partitions: options.partitions});
  if (existsSync(notePath)) {
    if (readFileSync(notePath, 'utf8') !== note) throw new Error(`${folder} holds other events: remove it`);
    say(`using the events of ${folder}`);
    return dataDir;
  }
  rmSync(dataDir, {recursive: true, force: true}); // A run that was interrupted may have left it.
  const env = {
    PARTITIONS: String(options.partitions),
    REPORT_REFRESH_SECONDS: String(options.isSmall ? 1 : fillRefreshSeconds),
  };
  const service = owned.add(await startService({env, profileFolder: null, dataDir}));
  await sendCopies(service, workload, say);
  await settled(service, options);
  await service.stop();
  writeFileSync(notePath, note); // CS1
  return dataDir;
}

async function sendCopies(service: BenchService, workload: WorkloadOptions, say: Say): Promise<void> {
  const {startMs, dayCount, eventCount} = workload;
  const perCopy = Math.min(preparedEventsMax, eventCount);
  const batchEvents = Math.min(batchEventsMax, perCopy);
  const prepared = prepareRequests({...workload, eventCount: perCopy}, batchEvents, writeKey, 'of their moment');
  const requests = Math.ceil(eventCount / perCopy) * prepared.buffers.length;
  const everyMs = Math.floor((dayCount * dayMs) / requests);
  let [next, told] = [0, 0];
  const sendAll = async (connection: Connection): Promise<void> => {
    while (next < requests) {
      const request = next++;
      const timeMs = startMs + batchEvents + request * everyMs;
      await sendOne(connection, prepared, request, timeMs);
      if (next * batchEvents - told < toldEvents) continue;
      told = next * batchEvents;
      say(`${whole(told)} events sent`);
    }
    connection.close();
  };
  const opened = Array.from({length: connections}, () => Connection.open(service.host, service.port));
  await Promise.all((await Promise.all(opened)).map(sendAll));
}

async function sendOne(
  connection: Connection,
  prepared: PreparedRequests,
  request: number,
  timeMs: number,
): Promise<void> {
  for (;;) {
    const answered = new Promise<number>((resolve, reject) => {
      connection.listen({answered: ({status}) => resolve(status), failed: (_, error) => reject(error)});
    });
    connection.send(copyOf(prepared, request % prepared.buffers.length, timeMs));
    const status = await answered;
    if (status === 200) return;
    if (!connection.hasRetryAfter) throw new Error(`a batch was refused: ${connection.lastRefusal}`);
    await pause(refusedPauseMs);
  }
}

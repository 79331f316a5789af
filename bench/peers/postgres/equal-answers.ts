// Before anything is timed: ours and the peer get the same events and must answer the same questions alike. A system that
// is fast and wrong is not a peer.

import {setTimeout as pause} from 'node:timers/promises';
import {wallMs} from '../../../src/clock.js';
import {HttpAsker} from '../../engine/http-ask.js';
import type {LoadProcess} from '../../load/load-process.js';
import type {BenchService} from '../../machine/service.js';
import {dayMs, type WorkloadOptions} from '../../workload/events.js';
import type {Peer} from './peer.js';

const askedEvents = ['page_viewed', 'search_performed', 'refund_requested'];
const coverPollMs = 100;
/** Some refreshes of the slowest setting anybody benches with. */
const coverMsMax = 600_000;

interface Answer {
  readonly data: readonly {readonly date: string; readonly count: number}[];
  readonly total: number;
}

/**
 * Sends every request that was prepared under `name` (made of `workload`) once to each, and compares counts of three events
 * by day and the daily active users. Both must be fresh. Returns the number of answers that were equal; throws at the first
 * that is not.
 */
export async function requireEqualAnswers(
  load: LoadProcess,
  name: string,
  workload: WorkloadOptions,
  service: BenchService,
  peer: Peer,
): Promise<number> {
  for (const {host, port} of [service, peer]) {
    const result = await load.run(name, {host, port, connections: 2, seconds: null});
    if (result.refusals > 0) throw new Error(`${result.refusals} requests were refused: ${result.firstRefusal}`);
  }
  await untilCovered(service);
  const paths = pathsOf(workload);
  const askers = [service, peer].map(({baseUrl}) => new HttpAsker(baseUrl));
  for (const path of paths) {
    const [ours, theirs] = await Promise.all(askers.map((asker) => answerOf(asker, path)));
    if (ours !== theirs) throw new Error(`${path}\nours: ${ours}\npeer: ${theirs}`);
  }
  for (const asker of askers) asker.close();
  return paths.length;
}

async function untilCovered(service: BenchService): Promise<void> {
  const sentMs = wallMs();
  while (!(await service.covers(sentMs))) {
    if (wallMs() - sentMs > coverMsMax) throw new Error('the reports do not include what was stored');
    await pause(coverPollMs);
  }
}

function pathsOf({startMs, dayCount}: WorkloadOptions): string[] {
  const date = (day: number): string => new Date(startMs + day * dayMs).toISOString().slice(0, 10);
  const range = `interval=day&from=${date(0)}&to=${date(dayCount - 1)}`;
  return [
    ...askedEvents.map((event) => `/v1/reports/events?event=${event}&${range}`),
    `/v1/reports/users?metric=dau&${range}`,
  ];
}

/** What is compared, as text. An answer that counts nothing would be equal for the wrong reason. */
async function answerOf(asker: HttpAsker, path: string): Promise<string> {
  const {data, total} = (await asker.ask(path)).body as Answer;
  if (total === 0) throw new Error(`${path} counts nothing`);
  return JSON.stringify({data: data.map(({date, count}) => [date, count]), total});
}

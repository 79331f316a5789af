// One seed: a random workload against the real service and against the model, with restarts; every answer must be equal.
import {dayMs} from '../../tools/model/calendar.js';
import {Driver} from './driver.js';
import {Workload} from './workload.js';

export type Restart = 'stop' | 'kill';

export interface Run {
  readonly seed: number;
  readonly restarts: readonly Restart[];
  readonly batchEventsMax: number;
  readonly env: Readonly<Record<string, string>>;
  /** A deployment of many processes gets the same requests, and must answer the same. */
  readonly isShared?: boolean;
  /** From the first restart on, RETENTION_DAYS of the last days; before, events are up to three weeks old. Absent: for ever. */
  readonly retentionDays?: number;
}

export interface Lengths {
  /** Steps between two comparisons of everything; a restart lies in the middle of a stretch. */
  readonly steps: number;
  readonly queries: number;
}

const unlimited = {
  RATE_LIMIT_READS_PER_MINUTE: '0',
  RATE_LIMIT_EVENTS_PER_SECOND: '0',
  RATE_LIMIT_DELETES_PER_SECOND: '0',
};

/** @throws Error at the first difference */
export async function play(
  {seed, restarts, batchEventsMax, env, isShared = false, retentionDays}: Run,
  {steps: stepsPerStretch, queries}: Lengths,
): Promise<void> {
  const nowMs = Date.now();
  const past = retentionDays === undefined ? undefined : ([nowMs - 20 * dayMs, nowMs - 8 * dayMs] as const);
  const workload = new Workload(seed, nowMs, batchEventsMax, past);
  const driver = await Driver.start({...unlimited, ...env}, workload, isShared);
  try {
    for (const restart of restarts) {
      await steps(driver, stepsPerStretch);
      await driver.compareEverything(queries);
      await steps(driver, stepsPerStretch / 2);
      if (retentionDays !== undefined) await driver.allJoined(); // What expires on its way gives its person no times.
      await driver.restart(restart, retentionDays === undefined ? {} : {RETENTION_DAYS: String(retentionDays)});
      if (retentionDays !== undefined) await driver.expire(retentionDays);
      await driver.compareEverything(queries);
    }
    await driver.stop();
  } catch (error) {
    await driver.abandon();
    throw error;
  }
}

async function steps(driver: Driver, count: number): Promise<void> {
  for (let left = count; left > 0; left--) await driver.step();
}

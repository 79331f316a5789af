// One start on a damaged store, and whether it behaved.
//   SD1. Within a minute it serves, or it ends or halts with a line that says why.
//   SD2. An answer that is not 200 is 503. A 200 has the numbers of the whole store, or of an earlier moment while the service
//        says that it is not ready.
//   SD3. Keys and definitions are there, or an alarm says that they are lost.
import {cpSync, rmSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';
import {ask, HttpClient} from '../../http-client.js';
import {ServiceProcess, secretKey, writeKey} from '../../service-process.js';
import {type Injury, injure} from './injuries.js';
import {type Answers, knownIds, storeEnvironment, type WholeStore} from './whole-store.js';

export type Outcome = 'served' | 'served with an alarm' | 'halted' | 'refused';

export interface Verdict {
  readonly outcome: Outcome | undefined;
  /** What must not be: a hang, a wrong number, an end without a line. */
  readonly faults: readonly string[];
  readonly output: string;
  /** Reasons and warnings of `/readyz`. */
  readonly said: readonly string[];
  readonly isTaken: boolean;
}

interface Readiness {
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

const settledMsMax = 60_000;
const pollMs = 100;
const silentMsMax = 15_000;
/** A service that lags behind its log or its snapshots is on its way. */
const isOnItsWay = (reason: string): boolean =>
  /recovering|has not published|behind its log|snapshot is \d+ s old|not reported the generation|not loaded a snapshot|do not answer|does not answer|no connection/.test(
    reason,
  );

/** Copies the store to `dataDir`, damages it, starts a service on it, and stops that. `patience`: factor of the minute. */
export async function startDamaged(store: WholeStore, dataDir: string, injury: Injury, patience = 1): Promise<Verdict> {
  rmSync(dataDir, {recursive: true, force: true});
  cpSync(store.dataDir, dataDir, {recursive: true});
  injure(dataDir, injury);
  const service = new ServiceProcess({dataDir, env: storeEnvironment});
  try {
    return await judge(service, store, patience * settledMsMax);
  } finally {
    await Promise.race([service.end('SIGTERM'), pause(settledMsMax / 2, undefined, {ref: false})]);
    if (service.isRunning) await service.end('SIGKILL');
  }
}

async function judge(service: ServiceProcess, {answers, ids}: WholeStore, msMax: number): Promise<Verdict> {
  const deadlineMs = performance.now() + msMax;
  const verdict = (rest: Partial<Verdict>): Verdict => ({
    ...{outcome: undefined, faults: [], said: [], isTaken: false},
    ...rest,
    output: service.output(),
  });
  let baseUrl: string;
  try {
    baseUrl = (await service.ready({awaits: 'listening', msMax})).baseUrl;
  } catch (error) {
    const {message} = error as Error;
    if (!message.startsWith('the service ended while starting'))
      return verdict({faults: [`it hangs before it listens: ${message.split('\n', 1)[0]}`]});
    return verdict(ended(service));
  }
  const client = new HttpClient(baseUrl, {key: secretKey, silentMsMax});
  try {
    const ready = await untilSettled(service, baseUrl, deadlineMs);
    if (!service.isRunning) {
      return verdict(ended(service));
    }
    const said = [...(ready?.reasons ?? []), ...(ready?.warnings ?? [])];
    const faults = await wrongAnswers(client, answers, (ready?.reasons.length ?? 1) === 0);
    const found = await knownIds(baseUrl);
    const isAlarmed = said.some((line) => /^records are lost|cannot be read, and the service runs without/.test(line));
    if (ids.some((id) => !found.includes(id)) && !isAlarmed) faults.push('keys or definitions are gone without a word');
    const taken = await ask(`${baseUrl}/v1/events`, {
      method: 'POST',
      key: writeKey,
      json: {event: 'late', userId: 'user-1'},
      silentMsMax,
    });
    if (taken.status !== 200 && taken.status !== 503) faults.push(`an event is answered ${taken.status}`);
    const lines = service
      .output()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line));
    if (ready === undefined || ready.reasons.some(isOnItsWay)) {
      const isHalted = ready?.reasons.some((reason) => reason.includes('is halted')) === true;
      if (!isHalted) faults.push(`it is not ready: ${said.join('; ')}${lines.length === 0 ? ', without a line' : ''}`);
    }
    if (ready !== undefined && ready.reasons.length > 0 && lines.length === 0) faults.push('it halts without a line');
    const outcome = said.length === 0 ? (lines.length === 0 ? 'served' : 'served with an alarm') : outcomeOf(ready);
    return verdict({outcome, faults, said, isTaken: taken.status === 200});
  } catch (error) {
    return verdict({faults: [`a request has no answer: ${(error as Error).message}`]});
  } finally {
    client.close();
  }
}

const ended = (service: ServiceProcess): Partial<Verdict> =>
  /^millrace: .+/m.test(service.output()) ? {outcome: 'refused'} : {faults: ['it ended without a line']};

const outcomeOf = (ready: Readiness | undefined): Outcome =>
  ready !== undefined && ready.reasons.length === 0 ? 'served with an alarm' : 'halted';

/** What `/readyz` says once the service is ready, or not ready for a reason that stays; undefined: nothing. */
async function untilSettled(
  service: ServiceProcess,
  baseUrl: string,
  deadlineMs: number,
): Promise<Readiness | undefined> {
  let newest: Readiness | undefined;
  while (service.isRunning && performance.now() < deadlineMs) {
    newest = await ask(`${baseUrl}/readyz`, {silentMsMax})
      .then((answer) => answer.json<Readiness & Record<string, unknown>>())
      .catch(() => undefined);
    const reasons = newest?.reasons;
    const halts = reasons?.some((reason) => reason.includes('is halted'));
    if (reasons !== undefined && (halts || !reasons.some(isOnItsWay))) return newest;
    await pause(pollMs);
  }
  return newest;
}

async function wrongAnswers(client: HttpClient, answers: Answers, isReady: boolean): Promise<string[]> {
  const faults: string[] = [];
  for (const [question, text] of answers) {
    const answer = await client.send('GET', question);
    if (answer.status === 200) {
      // Before it is ready, a partition that is rebuilt from its log shows earlier snapshots.
      if (isReady && answer.text !== text) faults.push(`wrong answer to ${question}: ${answer.text}, not ${text}`);
      if (!isReady && answer.text !== text) faults.push(`answered while it halts: ${question}: ${answer.text}`);
    } else if (answer.status !== 503) faults.push(`${question}: ${answer.status}`);
  }
  return faults;
}

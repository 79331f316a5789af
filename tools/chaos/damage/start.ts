// One start on a damaged store, and whether it behaved.
//   SD1. Until it listens it says something at least once a minute. Within a minute from then on it serves, or it halts with a line
//        that says why; or it ends with such a line.
//   SD2. An answer that is not 200 is 503. A 200 has the numbers of the whole store.
//   SD3. Keys and definitions are there, or an alarm says that they are lost.
//   SD4. What was deleted or revoked does not come back.
//   SD5. An event that is answered 200 is there at once, or what asks for it is 503. The service stops when it is told to.
import {cpSync, rmSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';
import {ask, HttpClient} from '../../http-client.js';
import {withoutMeta} from '../../report-meta.js';
import {type Addresses, type ServiceProcess, secretKey, writeKey} from '../../service-process.js';
import {type Injury, injure} from './injuries.js';
import {type Answers, knownDeliveries, knownIds, serviceOn, type WholeStore} from './whole-store.js';

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
const startMinutesMax = 3;
const pollMs = 100;
const silentMsMax = 60_000;
/** A service that lags behind its log or its snapshots is on its way. */
const isOnItsWay = (reason: string): boolean =>
  /recovering|has not published|behind its log|snapshot is \d+ s old|not reported the generation|not loaded a snapshot|do not answer|does not answer|no connection/.test(
    reason,
  );

/** Copies the store to `folder`, damages it, starts a service on it, and stops that. `patience`: factor of the minute. */
export async function startDamaged(store: WholeStore, folder: string, injury: Injury, patience = 1): Promise<Verdict> {
  rmSync(folder, {recursive: true, force: true});
  cpSync(store.folder, folder, {recursive: true});
  injure(folder, injury);
  const service = serviceOn(folder);
  try {
    const verdict = await judge(service, store, patience * settledMsMax);
    await Promise.race([service.end('SIGTERM'), pause(patience * settledMsMax, undefined, {ref: false})]);
    if (!service.isRunning) return verdict;
    return {...verdict, faults: [...verdict.faults, 'it does not stop'], output: service.output()};
  } finally {
    await service.end('SIGKILL');
  }
}

async function judge(service: ServiceProcess, store: WholeStore, msMax: number): Promise<Verdict> {
  const {answers, ids, deliveries} = store;
  const verdict = (rest: Partial<Verdict>): Verdict => ({
    ...{outcome: undefined, faults: [], said: [], isTaken: false},
    ...rest,
    output: service.output(),
  });
  const listening = await untilListens(service, msMax);
  if (listening === 'ended') return verdict(ended(service));
  if ('hangs' in listening) return verdict({faults: [listening.hangs]});
  const {baseUrl} = listening;
  const deadlineMs = performance.now() + msMax;
  const client = new HttpClient(baseUrl, {key: secretKey, silentMsMax});
  try {
    const ready = await untilSettled(service, baseUrl, deadlineMs);
    if (!service.isRunning) {
      return verdict(ended(service));
    }
    const said = [...(ready?.reasons ?? []), ...(ready?.warnings ?? [])];
    const faults = await wrongAnswers(client, answers, (ready?.reasons.length ?? 1) === 0, deadlineMs);
    const found = await knownIds(baseUrl);
    const isAlarmed = said.some((line) => /^records are lost|cannot be read, and the service runs without/.test(line));
    if (ids.some((id) => !found.includes(id)) && !isAlarmed) faults.push('keys or definitions are gone without a word');
    const letters = await knownDeliveries(baseUrl);
    if (deliveries.some((one) => !letters.includes(one)) && !isAlarmed)
      faults.push('deliveries are gone without a word');
    faults.push(...(await comeBack(baseUrl, store)));
    const isTaken = await takesEvent(baseUrl, client, faults);
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
    return verdict({outcome, faults, said, isTaken});
  } catch (error) {
    return verdict({faults: [`a request has no answer: ${(error as Error).message}`]});
  } finally {
    client.close();
  }
}

/** Waits for as long as the service says something once a minute, at most `startMinutesMax`. */
async function untilListens(
  service: ServiceProcess,
  silentMsMax: number,
): Promise<Addresses | 'ended' | {readonly hangs: string}> {
  let said = 0;
  let saidMs = performance.now();
  let hangs: string | undefined;
  const watch = setInterval(() => {
    const {length} = service.output();
    if (length > said) [said, saidMs] = [length, performance.now()];
    if (performance.now() - saidMs < silentMsMax) return;
    hangs = `it hangs: it says nothing for ${silentMsMax / 1_000} s before it listens`;
    void service.end('SIGKILL');
  }, pollMs);
  try {
    return await service.ready({awaits: 'listening', msMax: startMinutesMax * silentMsMax});
  } catch (error) {
    if (hangs !== undefined) return {hangs};
    const {message} = error as Error;
    return message.startsWith('the service ended while starting')
      ? 'ended'
      : {hangs: `it hangs before it listens: ${message.split('\n', 1)[0]}`};
  } finally {
    clearInterval(watch);
  }
}

/** What must be unknown, and is not. SD4 */
async function comeBack(baseUrl: string, {unknown, revokedKey}: WholeStore): Promise<string[]> {
  const faults: string[] = [];
  const asked = [...unknown.map((path) => ({path, key: secretKey})), {path: '/v1/names', key: revokedKey}];
  for (const {path, key} of asked) {
    const {status, text} = await ask(`${baseUrl}${path}`, {key, silentMsMax});
    if (![401, 404, 503].includes(status)) faults.push(`it is back: ${path}: ${status} ${text}`);
  }
  return faults;
}

/** Whether it takes an event. SD5 */
async function takesEvent(baseUrl: string, client: HttpClient, faults: string[]): Promise<boolean> {
  const json = {event: 'late', userId: 'user-late'};
  const taken = await ask(`${baseUrl}/v1/events`, {method: 'POST', key: writeKey, json, silentMsMax});
  if (taken.status === 503) return false;
  if (taken.status !== 200) faults.push(`an event is answered ${taken.status}`);
  const {status, text} = await client.send('GET', '/v1/events?userId=user-late');
  const isThere = status === 200 && JSON.parse(text).data.length === 1;
  if (!isThere && status !== 503) faults.push(`an event that was taken is not there: ${status} ${text}`);
  return taken.status === 200;
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

async function wrongAnswers(
  client: HttpClient,
  answers: Answers,
  isReady: boolean,
  deadlineMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [question, text] of answers) {
    let answer = await client.send('GET', question);
    // Where a log is folded again, its devices join again: until then a listing of all events may have an event twice.
    while (isReady && isListing(question) && withoutMeta(answer.text) !== text && performance.now() < deadlineMs) {
      await pause(pollMs);
      answer = await client.send('GET', question);
    }
    if (answer.status === 200) {
      if (isReady && withoutMeta(answer.text) !== text)
        faults.push(`wrong answer to ${question}: ${answer.text}, not ${text}`);
      if (!isReady && withoutMeta(answer.text) !== text)
        faults.push(`answered while it halts: ${question}: ${answer.text}`);
    } else if (answer.status !== 503) faults.push(`${question}: ${answer.status}`);
  }
  return faults;
}

const isListing = (question: string): boolean => question.startsWith('/v1/events?event=');

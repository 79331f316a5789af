// `node tools/run/first-event.mjs URL`: does the service at URL serve? The pipeline asks a container so. Needs nothing installed.
//   It waits until the service is ready, sends one event twice and another one after it, and waits for a report with the other.
//   That report also covers what one user sent before: it must count the first event once.
// BOOTSTRAP_WRITE_KEY and BOOTSTRAP_SECRET_KEY are the keys that the service was started with.

import {setTimeout as sleep} from 'node:timers/promises';
import {runScript, SetupFault} from '../../scripts/project.mjs';

/** A first start may still create its streams, and a report comes with the next refresh. */
const waitMsMax = 120_000;
const betweenMs = 250;

/** Repeats `ask` until it returns a value. @throws SetupFault with the last error, or what it last returned instead. */
async function until(what, ask) {
  const deadlineMs = Date.now() + waitMsMax;
  for (let last = 'no answer'; ; await sleep(betweenMs)) {
    try {
      const {done, seen} = await ask();
      if (done) return;
      last = seen;
    } catch (error) {
      last = error.cause?.message ?? error.message; // fetch has the reason in `cause`.
    }
    if (Date.now() > deadlineMs) throw new SetupFault(`${what}: not within ${waitMsMax / 1_000} s: ${last}`);
  }
}

await runScript(async () => {
  const [base] = process.argv.slice(2);
  const {BOOTSTRAP_WRITE_KEY: writeKey, BOOTSTRAP_SECRET_KEY: secretKey} = process.env;
  if (base === undefined || writeKey === undefined || secretKey === undefined)
    throw new SetupFault('usage: BOOTSTRAP_WRITE_KEY=… BOOTSTRAP_SECRET_KEY=… node tools/run/first-event.mjs URL');

  const track = async (event) => {
    const response = await fetch(`${base}/v1/events`, {
      method: 'POST',
      headers: {authorization: `Bearer ${writeKey}`, 'content-type': 'application/json'},
      body: JSON.stringify({event, userId: 'ada', messageId: event, timestamp: '2026-05-01T12:00:00Z'}),
    });
    if (response.status !== 200)
      throw new SetupFault(`${event} was answered ${response.status}: ${await response.text()}`);
  };
  const totalOf = async (event) => {
    const path = `/v1/reports/events?event=${event}&from=2026-05-01&to=2026-05-01`;
    const response = await fetch(base + path, {headers: {authorization: `Bearer ${secretKey}`}});
    const seen = await response.text();
    return {total: response.status === 200 ? JSON.parse(seen).total : undefined, seen};
  };

  await until('the service is ready', async () => {
    const response = await fetch(`${base}/readyz`);
    return {done: response.status === 200, seen: await response.text()};
  });
  await track('first');
  await track('first');
  await track('last');
  await until('the last event is in a report', async () => {
    const {total, seen} = await totalOf('last');
    return {done: total === 1, seen};
  });
  const {total, seen} = await totalOf('first');
  if (total !== 1) throw new SetupFault(`the first event, which was sent twice, is not counted once: ${seen}`);
  console.log('ready; an event that was sent twice is counted once');
});

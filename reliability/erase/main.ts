// `npm run test:erase`: deletes users out of a store and looks for them in every byte under DATA_DIR.
//   1. The search first shows that it finds the markers: a search that finds nothing ever would prove nothing.
//   2. After the receipts no marker is found, before and after a restart, and no answer knows the users.
//   3. Every report, and the newest history, equal those of a second store in which the users never were.
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {type Found, searchDisk} from '../disk-search.js';
import {ServiceProcess} from '../service-process.js';
import {type Marked, markedEvent, markedUsers, othersEvent, type TrackedEvent} from './population.js';
import {Store} from './store.js';

const {values} = parseArgs({
  options: {
    users: {type: 'string', default: '20'},
    events: {type: 'string', default: '20000'},
    atOnce: {type: 'string', default: '4'},
    /** Seconds that a deletion may take. */
    within: {type: 'string', default: '5'},
  },
});
const [userCount, eventCount, atOnce] = [Number(values.users), Number(values.events), Number(values.atOnce)];
const eventsPerMarked = 40;
const staying = Math.max(10, Math.floor(eventCount / 20));

let failed = 0;
function check(claim: string, holds: boolean, detail = ''): void {
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${claim}${detail === '' ? '' : ` (${detail})`}`);
  if (!holds) failed += 1;
}

const formsOf = (found: readonly Found[]): string => [...new Set(found.map(({form}) => form))].sort().join(', ');

/** All events in one order: marked ones are spread evenly among the others. */
function* run(marked: readonly Marked[]): Generator<{event: TrackedEvent; isMarked: boolean}> {
  const every = Math.max(1, Math.floor(eventCount / Math.max(1, marked.length * eventsPerMarked)));
  let next = 0;
  for (let i = 0; i < eventCount; i++) {
    yield {event: othersEvent(i, staying), isMarked: false};
    if (i % every === 0 && next < marked.length * eventsPerMarked) {
      yield {event: markedEvent(marked[next % marked.length], Math.floor(next / marked.length)), isMarked: true};
      next += 1;
    }
  }
}

async function fill(store: Store, marked: readonly Marked[], withMarked: boolean): Promise<void> {
  for (const {event, isMarked} of run(marked)) if (withMarked || !isMarked) await store.send(event);
  await store.flush();
  if (!withMarked) return;
  for (const {userId, marker} of marked)
    await store.identify(userId, {name: `trait ${marker}`, [`trait ${marker}`]: null});
}

async function eraseAll(store: Store, marked: readonly Marked[]): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < marked.length; at += atOnce) {
    const erased = await Promise.all(marked.slice(at, at + atOnce).map(({userId}) => store.erase(userId)));
    times.push(...erased.map(({ms}) => ms));
    if (at === 0) console.log(`       a receipt: ${erased[0].deletion.verified.join('; ')}`);
  }
  return times.sort((a, b) => a - b);
}

async function checkGone(store: Store, folder: string, marked: readonly Marked[], when: string): Promise<void> {
  const found = searchDisk(
    folder,
    marked.map(({marker}) => marker),
  );
  const where = found.slice(0, 5).map(({file, form}) => `${form} in ${file}`);
  check(
    `${when}: no byte of ${marked.length} users in any file under DATA_DIR, or of the journal of deletions`,
    found.length === 0,
    where.join(', '),
  );
  const statuses = await Promise.all(
    marked
      .slice(0, 50)
      .map(async ({userId}) => (await store.request(`/v1/users/${encodeURIComponent(userId)}`)).status),
  );
  check(
    `${when}: their profiles are 404`,
    statuses.every((status) => status === 404),
  );
}

async function main(): Promise<void> {
  // With the journal of deletions, which lies beside DATA_DIR.
  const folder = mkdtempSync(join(tmpdir(), 'millrace-erase-'));
  const otherFolder = mkdtempSync(join(tmpdir(), 'millrace-never-'));
  const dataDir = join(folder, 'data');
  const marked = markedUsers(userCount);
  const env = {REPORT_REFRESH_SECONDS: '2'};
  let service = await ServiceProcess.start(dataDir, env);
  const other = await ServiceProcess.start(join(otherFolder, 'data'), env);
  try {
    let store = new Store(service);
    const never = new Store(other);
    console.log(`       ${eventCount} events of ${staying} users, and ${userCount} users to be deleted`);
    await Promise.all([fill(store, marked, true), fill(never, marked, false)]);
    await store.reports();
    const before = searchDisk(
      folder,
      marked.map(({marker}) => marker),
    );
    const seen = new Set(before.map(({marker}) => marker));
    check('before: the search finds every marker', seen.size === userCount, formsOf(before));
    const times = await eraseAll(store, marked);
    const percentile = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
    console.log(`       receipt after: p50 ${Math.round(percentile(0.5))} ms, p99 ${Math.round(percentile(0.99))} ms`);
    check(`every deletion is completed within ${values.within} s`, percentile(0.99) <= Number(values.within) * 1_000);
    await checkGone(store, folder, marked, 'after the receipts');
    await service.end('SIGKILL');
    service = await ServiceProcess.start(dataDir, env);
    store = new Store(service);
    await checkGone(store, folder, marked, 'after kill -9 and a restart');
    const [ours, theirs] = [await store.reports(), await never.reports()];
    check('every report equals that of a store that never had them', ours.join('\n') === theirs.join('\n'));
    const [history, neverHistory] = [await store.newest(1_000), await never.newest(1_000)];
    check('so does the newest history', JSON.stringify(history) === JSON.stringify(neverHistory));
  } finally {
    await Promise.all([service.end('SIGTERM'), other.end('SIGTERM')]);
    rmSync(folder, {recursive: true, force: true});
    rmSync(otherFolder, {recursive: true, force: true});
  }
  console.log(failed === 0 ? 'erased: nothing found' : `${failed} checks FAILED`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();

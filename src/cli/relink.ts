// `npm run relink`: links the ids of events that were stored while IDENTITY_JOIN was off (docs/api/people.md, Identity).
//   read the history -> the pairs of ids in it -> POST /admin/v1/links
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../clock.js';
import {AdminClient, AdminFault} from './admin-client.js';
import {count} from './import/progress.js';
import {findService} from './import/service-address.js';
import {ArgumentFault, type RelinkArguments, readArguments, usage} from './relink/command.js';
import {HistoryPages} from './relink/history-pages.js';
import {type Double, type Pair, StoredPairs} from './relink/stored-pairs.js';

const exitDone = 0;
const exitFailed = 1;
const exitCountsTwice = 2;

/** Links of one request: the limit of the route. */
const linksAtOnce = 100;
const sayAgainMs = 10_000;
/** Events that move while the history is read may be listed twice: those are read again. */
const looksMax = 5;
const lookAgainMs = 5_000;
const doublesShownMax = 20;

interface Answer {
  readonly stored: number;
  readonly unknown: number;
}

// The environment: this program reads it only here.
const dataDir = process.env.DATA_DIR || './data';

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2));
  if (given === null) {
    process.stdout.write(usage);
    return exitDone;
  }
  if (!given.isCheck) await send([]); // Fails at once if joining is off, not after hours of reading.
  const address = await findService({url: null, key: null, dataDir, keyName: 'relink', keyKind: 'read'});
  try {
    return await relink(new HistoryPages(address.baseUrl, address.key), given);
  } finally {
    await address.release().catch((error: Error) => void process.stderr.write(`${error.message}\n`));
  }
}

async function relink(history: HistoryPages, {isCheck, range}: RelinkArguments): Promise<number> {
  const stored = new StoredPairs();
  let saidMs = monotonicMs();
  for await (const event of history.events(range)) {
    stored.take(event);
    if (monotonicMs() - saidMs < sayAgainMs) continue;
    saidMs = monotonicMs();
    process.stderr.write(`${count(stored.events)} events are read, back to ${event.timestamp}.\n`);
  }
  const read = `${count(stored.events)} events are read. `;
  const pairs = `${count(stored.count)} pairs of a userId and an anonymousId`;
  if (isCheck) process.stdout.write(`${read}They have ${pairs}.\n`);
  else {
    const {stored: linked, unknown} = await link(stored.pairs());
    const gone = unknown === 0 ? '' : `, and ${count(unknown)} are of users who were deleted meanwhile`;
    process.stdout.write(`${read}Of ${pairs} ${count(linked)} are linked${gone}.\n`);
  }
  return sayDoubles(await stillThere(history, stored.doubles));
}

async function link(pairs: Iterable<Pair>): Promise<Answer> {
  let [stored, unknown] = [0, 0];
  const add = async (links: readonly Pair[]): Promise<void> => {
    const answer = await send(links);
    stored += answer.stored;
    unknown += answer.unknown;
  };
  let links: Pair[] = [];
  for (const pair of pairs) {
    links.push(pair);
    if (links.length < linksAtOnce) continue;
    await add(links);
    links = [];
  }
  if (links.length > 0) await add(links);
  return {stored, unknown};
}

const send = (links: readonly Pair[]): Promise<Answer> =>
  AdminClient.of(dataDir).ask<Answer>('POST', '/admin/v1/links', {links});

async function stillThere(history: HistoryPages, doubles: readonly Double[]): Promise<readonly Double[]> {
  let left = doubles;
  for (let looks = 0; left.length > 0 && looks < looksMax; looks++) {
    await pause(lookAgainMs);
    const found: Double[] = [];
    for (const double of left) if (await isListedTwice(history, double)) found.push(double);
    left = found;
  }
  return left;
}

async function isListedTwice(history: HistoryPages, {id, timestamp}: Double): Promise<boolean> {
  let times = 0;
  for await (const event of history.events({from: timestamp, to: timestamp})) if (event.id === id) times += 1;
  return times > 1;
}

function sayDoubles(doubles: readonly Double[]): number {
  if (doubles.length === 0) return exitDone;
  process.stderr.write(
    `${count(doubles.length)} events count twice: a log lost its tail with the record of their join.\n`,
  );
  for (const {id, timestamp} of doubles.slice(0, doublesShownMax)) process.stderr.write(`  ${id} of ${timestamp}\n`);
  return exitCountsTwice;
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    const isExpected = error instanceof ArgumentFault || error instanceof AdminFault;
    process.stderr.write(`${isExpected ? error.message : ((error as Error).stack ?? String(error))}\n`);
    if (error instanceof ArgumentFault) process.stderr.write(`\n${usage}`);
    process.exitCode = exitFailed;
  },
);

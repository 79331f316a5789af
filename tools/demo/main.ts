// `npm run demo`: a service, 30 days of a shop's life in it, and the shop's events from now on.
import {setTimeout as pause} from 'node:timers/promises';
import {findService} from '../../src/cli/import/service-address.js';
import {monotonicMs, wallMs} from '../../src/clock.js';
import {onStopSignals} from '../../src/stop-signals.js';
import {Shop} from '../shop/shop.js';
import {firstVisitEvents} from '../shop/visit.js';
import {type DemoArguments, readDemoArguments, usage} from './arguments.js';
import {DemoService} from './demo-service.js';
import {Player} from './player.js';
import {Tape} from './tape.js';

const dayMs = 86_400_000;
const liveEveryMs = 200;
const progressEveryMs = 3_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const shown = (number: number): string => number.toLocaleString('en');

async function main(): Promise<number> {
  let asked: DemoArguments | null;
  try {
    asked = readDemoArguments(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\n`);
    return 2;
  }
  if (asked === null) {
    process.stdout.write(usage);
    return 0;
  }
  const ending = new AbortController();
  let isAsked = false;
  onStopSignals(
    () => {
      isAsked = true;
      ending.abort();
    },
    () => process.exit(1),
  );
  const service = new DemoService(process.env);
  void service.ended.then(() => ending.abort());
  try {
    await run(service, asked, ending.signal);
    return 0;
  } catch (error) {
    if (isAsked) return 0;
    const why = service.isRunning ? (error as Error).message : `the service ended (${await service.ended})`;
    process.stderr.write(`demo: ${why}\n`);
    return 1;
  } finally {
    await service.end();
  }
}

/** Runs until it is ended. */
async function run(service: DemoService, {people, days, rate, seed}: DemoArguments, ended: AbortSignal): Promise<void> {
  await service.ready();
  const {baseUrl, key} = await findService({url: null, key: null, dataDir: service.dataDir, keyName: 'demo'});
  const sleep = (ms: number): Promise<void> => pause(ms, undefined, {signal: ended});
  const player = new Player({baseUrl, key, sleep});
  const nowMs = wallMs();
  const sale = {fromMs: nowMs, peoplePerDay: Math.round((rate * dayMs) / 1_000 / firstVisitEvents)};
  const startMs = Math.floor(nowMs / dayMs) * dayMs - days * dayMs;
  const tape = new Tape(new Shop({seed, people, days, startMs, sale}).entries());
  try {
    say(`Playing ${days} days of a shop with ${shown(people)} visitors into it …`);
    for (let day = 0, saidMs = monotonicMs(); day <= days; day++) {
      await player.play(tape.until(Math.min(startMs + (day + 1) * dayMs, nowMs)));
      if (monotonicMs() - saidMs < progressEveryMs) continue;
      say(`  day ${Math.min(day + 1, days)} of ${days}`);
      saidMs = monotonicMs();
    }
    const seconds = (wallMs() - nowMs) / 1_000;
    say(`${shown(player.played)} events and identifies are in, after ${seconds.toFixed(1)} s.`);
    say(
      rate === 0
        ? 'The shop goes on: from now on it is live, with an event every few seconds.'
        : `A sale begins: from now on it is live, with about ${rate} more events a second.`,
    );
    say(`The service: ${baseUrl}  Ctrl-C ends it, and removes ${service.folder}`);
    say(`Another link that signs in: DATA_DIR=${service.dataDir} npm run dashboard`);
    for (;;) {
      await player.play(tape.until(wallMs()));
      await sleep(liveEveryMs);
    }
  } finally {
    player.close();
  }
}

process.exitCode = await main();

// The disk is full: DATA_DIR is a small tmpfs that is filled to the last byte and, some time later, has room again.
//   The service may say that it needs a restart; then it gets one, and the journal records it.

import {closeSync, mkdirSync, openSync, rmSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import {runIfPermitted, unmount} from '../commands.js';
import {brokenNoticedMs, type Nemesis, outage, type Stage} from '../nemesis.js';

const diskMib = 256;
const fullMsMin = 200;
const fullMsMax = 4_000;
const recoversMsMax = 15_000;
const pollMs = 50;

export class Enospc implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  readonly mayEndService = true;
  private mounted: string | undefined;

  async prepare(folder: string) {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    runIfPermitted('mount', '-t', 'tmpfs', '-o', `size=${diskMib}m`, 'tmpfs', dataDir);
    this.mounted = dataDir;
    return {dataDir, env: {}};
  }

  async strike(stage: Stage, random: Random): Promise<void> {
    const ballast = join(this.mounted!, 'ballast');
    fill(ballast);
    const fullMs = random.between(fullMsMin, fullMsMax);
    await outage(stage, `full disk for ${fullMs} ms`, brokenNoticedMs, async () => {
      await delay(fullMs);
      rmSync(ballast);
    });
    if (await recovers(stage)) return;
    stage.journal.write({line: 'strike', name: 'restart after a full disk'});
    process.stdout.write('  the disk has room again, but the service needs a restart\n');
    await stage.service.kill();
    stage.service.start();
  }

  async finish(): Promise<void> {
    if (this.mounted !== undefined) await unmount(this.mounted);
  }
}

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let bytes = 1_048_576; bytes >= 1; bytes = Math.floor(bytes / 2)) writeUntilFull(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

async function recovers({readback, service}: Stage): Promise<boolean> {
  const deadlineMs = performance.now() + recoversMsMax;
  while (performance.now() < deadlineMs) {
    if (await readback.isReady()) return true;
    service.revive();
    await delay(pollMs);
  }
  return false;
}

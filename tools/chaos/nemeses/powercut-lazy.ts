// An external nats-server with its default sync interval loses its power: its store is on a disk that loses unsynced bytes.
// Service and server are killed at the same moment. Acknowledged events may then be missing, as the class in /healthz says.
// These rules hold instead:
//   L1. /healthz had said the weaker class.
//   L2. The service notices a log that no longer has the message at a published report's position: it says so in its process
//       log, and its positions begin a new generation (or it does not start, and says why in a line).
//   L3. What is left is consistent: history, reports, profiles (losses.ts); nothing is there twice, nothing is invented.
//   L4. Retries with a message id bring lost events back, exactly once. Losses are counted and reported.
//   The server's own interval (2 minutes) never passes between two cuts. The kernel may write any file back at any moment: seeded
//   syncs of all or of some files play that.

import {closeSync, fsyncSync, openSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Random} from '../../random.js';
import type {Broken} from '../broken.js';
import {DiskImage} from '../disk-image.js';
import {freePort} from '../free-port.js';
import {type LogState, readLogs} from '../log-states.js';
import {NatsProcess} from '../nats-process.js';
import type {Nemesis, Stage} from '../nemesis.js';
import {type LogLine, ServiceLog} from '../service-log.js';

const readyMsMax = 60_000;
const pollMs = 25;
const afterSyncMsMax = 900;
const errorLevel = 50;
const partitions = 4;

export class PowercutLazy implements Nemesis {
  readonly strikes = {min: 1, max: 1};
  private disk: DiskImage | undefined;
  private nats: NatsProcess | undefined;
  private folder = '';
  private broken: Broken[] = [];
  private readonly counts = {
    cuts: 0,
    'cuts after which the service said that messages are lost': 0,
    'cuts after which the service refused to start': 0,
    'cuts that took what a published report had counted': 0,
  };

  async prepare(folder: string) {
    this.folder = folder;
    this.disk = DiskImage.make(folder, join(folder, 'disk'));
    this.nats = await this.startNats(await freePort());
    process.stdout.write('nats-server syncs at its default interval (2 min); some files are written back by chance\n');
    return {
      dataDir: join(folder, 'data'),
      env: {NATS_URL: `nats://127.0.0.1:${this.nats.port}`, PARTITIONS: `${partitions}`},
    };
  }

  private get storeDir(): string {
    return join(this.disk!.path, 'nats');
  }

  private startNats(port: number): Promise<NatsProcess> {
    return NatsProcess.start({folder: join(this.folder, 'nats'), storeDir: this.storeDir}, port, 'default');
  }

  async strike(stage: Stage, random: Random): Promise<void> {
    const {service, readback, losses} = stage;
    this.counts.cuts += 1;
    await this.checkClass(stage);
    await this.writeBack(random);
    const published = await readback.positions();
    const before = await readLogs(this.nats!.port, published);
    await Promise.all([this.nats!.kill(), service.kill()]);
    await this.disk!.cutPower();
    this.nats = await this.startNats(this.nats!.port);
    const log = new ServiceLog(service.options.logPath);
    losses.startedAgain();
    service.start();
    const refusal = await this.untilUp(stage);
    if (refusal !== undefined) await this.beginAnew(stage, refusal);
    // Not before: a stream whose description is damaged has its messages again once it is created anew.
    else await this.checkNoticed(stage, before, await readLogs(this.nats.port, published), log.next());
    log.close();
  }

  /** L1 */
  private async checkClass({readback}: Stage): Promise<void> {
    const {durability} = await readback.json<{durability: string}>('/healthz');
    if (durability === 'process-crash') return;
    this.broken.push({invariant: 'durability', detail: `/healthz says ${durability} of a server that syncs lazily`});
  }

  /** What the kernel may do at any moment: everything, random files, or nothing reaches the disk. */
  private async writeBack(random: Random): Promise<void> {
    const share = random.pick([0, 0.2, 0.6, 0.9, 1]);
    await delay(random.between(0, afterSyncMsMax));
    for (const path of filesOf(this.storeDir)) if (random.chance(share)) sync(path);
    await delay(random.between(0, afterSyncMsMax));
  }

  /** Undefined when it is ready; otherwise the reason why it does not start. */
  private async untilUp({service, readback, patience}: Stage): Promise<string | undefined> {
    const waitMsMax = patience * readyMsMax;
    const deadlineMs = performance.now() + waitMsMax;
    while (!(await readback.isReady())) {
      if (!service.isRunning) {
        // As after any refusal of the service: an operator reads the line and decides.
        service.ownEnds.pop();
        return service.lastWords();
      }
      if (performance.now() > deadlineMs) throw new Error(`neither ready nor ended after ${waitMsMax} ms`);
      await delay(pollMs);
    }
    return undefined;
  }

  private async beginAnew(stage: Stage, line: string): Promise<void> {
    const {service, readback, losses} = stage;
    this.counts['cuts after which the service refused to start'] += 1;
    // Another thread may have printed after it.
    const refusal = line.split(' | ').find((words) => words.startsWith('millrace: '));
    process.stdout.write(`  cut ${this.counts.cuts}: does not start: ${(refusal ?? line).slice(0, 700)}\n`);
    if (refusal === undefined) this.broken.push({invariant: 'recovery', detail: `no clear line: ${line}`});
    await this.nats!.kill();
    rmSync(this.storeDir, {recursive: true, force: true});
    rmSync(service.options.dataDir, {recursive: true, force: true});
    this.nats = await this.startNats(this.nats!.port);
    readback.forgetPositions();
    losses.startedAgain(); // Events that the ended start had acknowledged are lost, too.
    service.start();
    const again = await this.untilUp(stage);
    if (again !== undefined) throw new Error(`does not start on an empty disk: ${again}`);
  }

  /** L2 */
  private async checkNoticed(
    {readback}: Stage,
    before: LogState[],
    after: LogState[],
    lines: readonly LogLine[],
  ): Promise<void> {
    const alarms = lines.filter(({level = 0, msg = ''}) => level >= errorLevel && /lost|missing/.test(msg));
    if (alarms.length > 0) this.counts['cuts after which the service said that messages are lost'] += 1;
    const now = await readback.positions();
    let hasLost = false;
    for (const [partition, {position, mark, last}] of before.entries()) {
      const isLost = after[partition]!.mark !== mark;
      const alarm = alarms.find((line) => line.partition === partition);
      const words = `partition ${partition}: ${last} messages, published ${position?.generation}.${position?.sequence}, now ${after[partition]!.last} messages, ${isLost ? 'lost' : 'kept'}`;
      process.stdout.write(`  cut ${this.counts.cuts}: ${words}${alarm === undefined ? '' : `: "${alarm.msg}"`}\n`);
      if (!isLost) continue;
      hasLost = true;
      if (alarm === undefined) this.broken.push({invariant: 'durability', detail: `L2 no word about a loss: ${words}`});
      if ((now.get(partition)?.generation ?? 0) <= (position?.generation ?? 0)) {
        this.broken.push({invariant: 'durability', detail: `L2 no new generation: ${words}`});
      }
    }
    if (hasLost) this.counts['cuts that took what a published report had counted'] += 1;
  }

  async check(): Promise<Broken[]> {
    const {broken} = this;
    this.broken = [];
    return broken;
  }

  account({losses}: Stage): Readonly<Record<string, number>> {
    return {...this.counts, ...losses.counts};
  }

  readonly mayLose = true;

  async finish(): Promise<void> {
    await this.nats?.stop();
    await this.disk?.unmount();
  }
}

/** Regular files, and the folders themselves: a name is durable once its folder is. */
function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, {recursive: true, withFileTypes: true});
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function sync(path: string): void {
  try {
    const file = openSync(path, 'r');
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    // nats-server removed it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

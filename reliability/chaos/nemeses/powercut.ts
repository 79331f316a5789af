// The power goes: DATA_DIR is an ext4 file system in an image. Service and nats-server are killed, the image is copied as
// the device has it (what only the page cache of that file system knows is not in it), and all goes on from the copy.
//   Long commit intervals: nothing but an fsync brings anything to the device while the copy is made.

import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {run, runIfPermitted, unmount} from '../commands.js';
import type {Nemesis, Stage} from '../nemesis.js';

const imageMib = 768;
const mountOptions = 'loop,commit=900,noatime';

export class Powercut implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private folder = '';
  private dataDir = '';
  private cuts = 0;
  private isMounted = false;

  async prepare(folder: string) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    mkdirSync(this.dataDir);
    runIfPermitted('truncate', '-s', `${imageMib}M`, this.image(0));
    runIfPermitted('mkfs.ext4', '-q', '-F', this.image(0));
    runIfPermitted('mount', '-o', mountOptions, this.image(0), this.dataDir);
    this.isMounted = true;
    return {dataDir: this.dataDir, env: {}};
  }

  private image(cut: number): string {
    return join(this.folder, `disk-${cut}.img`);
  }

  async strike({service}: Stage): Promise<void> {
    const [before, after] = [this.image(this.cuts), this.image(this.cuts + 1)];
    this.cuts += 1;
    await service.killAll();
    run('cp', '--sparse=always', before, after);
    await unmount(this.dataDir);
    this.isMounted = false;
    rmSync(before);
    run('mount', '-o', mountOptions, after, this.dataDir);
    this.isMounted = true;
    service.start();
  }

  async finish(): Promise<void> {
    if (this.isMounted) await unmount(this.dataDir);
  }
}

// DATA_DIR is on a disk that loses its power, and unsynced bytes with it (disk-image.ts). Service and nats-server are killed at
// the same moment, and the run continues with what the device has.

import {join} from 'node:path';
import {DiskImage} from '../disk-image.js';
import type {Nemesis, Stage} from '../nemesis.js';

export class Powercut implements Nemesis {
  readonly strikes = {min: 1, max: 2};
  private disk: DiskImage | undefined;

  async prepare(folder: string) {
    const dataDir = join(folder, 'data');
    this.disk = DiskImage.make(folder, dataDir);
    return {dataDir, env: {}};
  }

  async strike({service}: Stage): Promise<void> {
    await service.killAll();
    await this.disk!.cutPower();
    service.start();
  }

  async finish(): Promise<void> {
    await this.disk?.unmount();
  }
}

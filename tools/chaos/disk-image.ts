// A disk that can lose its power: an ext4 file system in an image. The image is copied as the device has it, without the page
// cache of that file system, and the run continues on the copy.
//   Long commit intervals: only an fsync writes to the device during the copy.

import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {run, runIfPermitted, unmount} from './commands.js';

const imageMib = 768;
const mountOptions = 'loop,commit=900,noatime';

export class DiskImage {
  private cuts = 0;
  private isMounted = false;

  private constructor(
    private readonly folder: string,
    /** The mount point. */
    readonly path: string,
  ) {}

  /** @throws NotPermitted */
  static make(folder: string, path: string): DiskImage {
    const disk = new DiskImage(folder, path);
    mkdirSync(path);
    runIfPermitted('truncate', '-s', `${imageMib}M`, disk.image());
    runIfPermitted('mkfs.ext4', '-q', '-F', disk.image());
    runIfPermitted('mount', '-o', mountOptions, disk.image(), path);
    disk.isMounted = true;
    return disk;
  }

  private image(): string {
    return join(this.folder, `disk-${this.cuts}.img`);
  }

  /** No process may have a file of it open. */
  async cutPower(): Promise<void> {
    const before = this.image();
    this.cuts += 1;
    run('cp', '--sparse=always', before, this.image());
    await this.unmount();
    rmSync(before);
    run('mount', '-o', mountOptions, this.image(), this.path);
    this.isMounted = true;
  }

  async unmount(): Promise<void> {
    if (this.isMounted) await unmount(this.path);
    this.isMounted = false;
  }
}

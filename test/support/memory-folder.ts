// Where the tests of a run have their stores: in memory, where the machine has the room. Their many syncs would take turns on one disk,
// for a quarter of the whole time.
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync} from 'node:fs';
import {freemem} from 'node:os';
import {join} from 'node:path';

const memoryDisk = '/dev/shm';
/** Stores of three files at a time, and what their programs use. */
const bytesMin = 8 * 1024 ** 3;
const prefix = 'millrace-tests-';

/** A new folder in memory, which the caller removes. Undefined: there is no disk in memory that is large enough and runs programs. */
export function memoryFolder(): string | undefined {
  const [, options = ''] = new RegExp(`^\\S+ ${memoryDisk} tmpfs (\\S+)`, 'm').exec(readMounts()) ?? [];
  if (!options.startsWith('rw') || options.includes('noexec')) return undefined;
  const {bavail, bsize} = statfsSync(memoryDisk);
  if (bavail * bsize < bytesMin || freemem() < bytesMin) return undefined;
  for (const name of readdirSync(memoryDisk)) {
    const pid = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    // A run that was killed left it behind.
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(memoryDisk, name), {recursive: true, force: true});
  }
  const folder = join(memoryDisk, `${prefix}${process.pid}`);
  mkdirSync(folder, {recursive: true});
  return folder;
}

const readMounts = (): string => (existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '');

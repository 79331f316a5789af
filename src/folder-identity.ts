// Identity of the folder in which a file was written: a copy of the folder has the same files, and must not act on them.

import {statSync} from 'node:fs';

/** Device and inode: equal over symbolic links and bind mounts, and different for every copy. */
export function folderIdentity(path: string): string {
  const {dev, ino} = statSync(path, {bigint: true});
  return `${dev}:${ino}`;
}

// Position notes of a backup's partitions (partition/snapshot/position-note.ts). A start of the backup begins another
// generation of positions, because the original continued in its own.

import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {NotedPosition} from '../../partition/snapshot/position-note.js';

/** A partition without a note has published nothing. */
export function markRestored(target: string): void {
  const folder = join(target, 'positions');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const note = JSON.parse(readFileSync(path, 'utf8')) as NotedPosition;
    writeFileSync(path, `${JSON.stringify({...note, isRestored: true} satisfies NotedPosition)}\n`, {
      mode: 0o600,
      flush: true,
    });
  }
}

// Lists what the build takes in that is not our own: modules of packages, and files of theirs that it copies. scripts/notices.mjs
// reads the list.
import {writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Plugin} from 'vite';

/** `ofPages` writes the list; `ofWorkers` only collects: workers are builds of their own. */
export function takenIn(root: string, out: string): {readonly ofPages: Plugin; readonly ofWorkers: () => Plugin} {
  const taken = new Set<string>();
  const isOthers = (id: string): boolean => id.startsWith('\0') || id.includes('node_modules/');
  const collecting: Plugin = {
    name: 'taken-in',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        const ids =
          file.type === 'chunk' ? Object.keys(file.modules) : file.originalFileNames.map((name) => resolve(root, name));
        for (const id of ids.filter(isOthers)) taken.add(id);
      }
    },
  };
  const writing: Plugin = {
    ...collecting,
    closeBundle() {
      const fromRoot = [...taken].map((id) => (id.startsWith('\0') ? id : id.slice(id.indexOf('node_modules/'))));
      writeFileSync(join(out, 'taken-in.json'), `${JSON.stringify(fromRoot.sort(), undefined, 2)}\n`);
    },
  };
  return {ofPages: writing, ofWorkers: () => collecting};
}

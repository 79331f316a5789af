// The journal of revocations: `revocations.ndjson` in DELETIONS_DIR, outside of DATA_DIR. Without it a backup that is older than a
// revocation would bring the key, the token of a person or the link back.
//   RJ1. A line names a key, a person's token or a link by its id, which opens nothing.
//   RJ2. The bucket has a revocation before the journal does, and the journal has it before the answer. A journal that cannot be
//        written stops no revocation: the log says what a restored backup would bring back.
//   RJ3. A start repeats what the data lacks before it listens. A line is kept for 400 days, as those of deletions are.
//   RJ4. A backup does not know which sessions ended after it: if one was restored, all of them end.
import {existsSync, mkdirSync} from 'node:fs';
import {open, readFile, rename} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {jsonOrUndefined} from './json.js';
import type {KeptStore} from './kept/kept-store.js';
import {sharesOf} from './kept/share.js';
import type {RevocationJournal, Revoked} from './keys/revocation-journal.js';
import type {KeyStore} from './keys/store.js';
import type {Logger} from './observe.js';

type Line = Revoked & {readonly timeMs: number};

export const revocationsName = 'revocations.ndjson';
const dayMs = 86_400_000;
/** RJ3 */
const keptMs = 400 * dayMs;
const ownerOnly = 0o600;

export class RevocationFile implements RevocationJournal {
  private readonly path: string;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly wallMs: () => number,
    private readonly log: Pick<Logger, 'error' | 'warn'>,
  ) {
    this.path = join(folder, revocationsName);
  }

  add(revoked: Revoked): Promise<void> {
    const line: Line = {...revoked, timeMs: this.wallMs()};
    this.writing = this.writing
      .then(() => this.write('a', [line]))
      .catch((err: unknown) =>
        this.log.error(
          {err, ...revoked},
          'the journal of revocations cannot be written: a restored backup would bring this back',
        ),
      );
    return this.writing;
  }

  /** `flag`: `a` adds to the file, `w` replaces it. */
  private async write(flag: 'a' | 'w', lines: readonly Line[]): Promise<void> {
    const isNew = !existsSync(this.path);
    mkdirSync(this.folder, {recursive: true, mode: 0o700});
    const path = flag === 'w' ? `${this.path}.draft` : this.path;
    const file = await open(path, flag, ownerOnly);
    try {
      // After a line that a crash cut short.
      const start = flag === 'a' && !isNew ? '\n' : '';
      await file.appendFile(start + lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await file.sync();
    } finally {
      await file.close();
    }
    if (flag === 'w') await rename(path, this.path);
    if (flag === 'a' && !isNew) return;
    for (const folder of [this.folder, dirname(this.folder)]) {
      const synced = await open(folder, 'r');
      await synced.sync();
      await synced.close();
    }
  }

  /** The lines, without those that a crash cut short. Old ones are removed from the file. */
  private async read(): Promise<readonly Line[]> {
    if (!existsSync(this.path)) return [];
    const texts = (await readFile(this.path, 'utf8')).split('\n').filter((text) => text !== '');
    const lines = texts.flatMap((text) => lineIn(text) ?? []);
    const unreadable = texts.length - lines.length;
    if (unreadable > 0)
      this.log.error(
        {lines: unreadable},
        'lines of the journal of revocations cannot be read: a crash truncated them, or they are damaged',
      );
    const kept = lines.filter(({timeMs}) => timeMs >= this.wallMs() - keptMs);
    if (kept.length < lines.length) await this.write('w', kept);
    return kept;
  }

  /** Repeats what the data lacks. RJ3. `isRestored`: the data is a backup that was restored. RJ4. Rejects with a `BucketFault`. */
  async repeat(keys: KeyStore, store: KeptStore, isRestored: boolean): Promise<void> {
    const repeated = {keys: 0, links: 0};
    let endedMs = 0;
    for (const line of await this.read()) {
      if (line.what === 'sessions') endedMs = Math.max(endedMs, line.atMs);
      else if (line.what === 'share') {
        if ((await sharesOf(store).remove(line.id)) !== undefined) repeated.links += 1;
      } else if (keys.ring.get(line.id)?.revokedMs === null) {
        await keys.revoke(line.id);
        repeated.keys += 1;
      }
    }
    const isBehind = repeated.keys + repeated.links > 0 || endedMs > keys.signIn.notBeforeMs;
    if (!isBehind && !isRestored) return;
    await keys.signIn.endSessions();
    this.log.warn(
      repeated,
      'a backup was restored: what was revoked since is revoked again, and all sessions of the dashboard are ended',
    );
  }
}

function lineIn(text: string): Line | undefined {
  const line = jsonOrUndefined(text) as Partial<Record<'what' | 'id' | 'atMs' | 'timeMs', unknown>> | null | undefined;
  const {what, id, atMs, timeMs} = line ?? {};
  const isWhole =
    what === 'sessions' ? typeof atMs === 'number' : (what === 'key' || what === 'share') && typeof id === 'string';
  return isWhole && typeof timeMs === 'number' ? (line as Line) : undefined;
}

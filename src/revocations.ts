// The journal of revocations: `revocations.ndjson` in DELETIONS_DIR, outside of DATA_DIR. Without it a backup that is older than a
// revocation would bring the key, the token of a person or the link back.
//   RJ1. A line names a key, a person's token or a link by its id, which opens nothing.
//   RJ2. The bucket has a revocation before the journal does, and the journal has it before the answer. A journal that cannot be
//        written stops no revocation: the log says what a restored backup would bring back.
//   RJ3. A start repeats what the data lacks before it listens.
//   RJ4. A backup does not know which sessions ended after it: if one was restored, all of them end.
import type {JournalLines} from './journal-lines.js';
import {jsonOrUndefined} from './json.js';
import type {KeptStore} from './kept/kept-store.js';
import {sharesOf} from './kept/share.js';
import type {RevocationJournal, Revoked} from './keys/revocation-journal.js';
import type {KeyStore} from './keys/store.js';
import type {Logger} from './observe.js';

type Line = Revoked & {readonly timeMs: number};

export const revocationsName = 'revocations.ndjson';

export class RevocationRecords implements RevocationJournal {
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly lines: JournalLines,
    private readonly wallMs: () => number,
    private readonly log: Pick<Logger, 'error' | 'warn'>,
  ) {}

  add(revoked: Revoked): Promise<void> {
    const line: Line = {...revoked, timeMs: this.wallMs()};
    this.writing = this.writing
      .then(() => this.lines.add([JSON.stringify(line)]))
      .catch((err: unknown) =>
        this.log.error(
          {err, ...revoked},
          'the journal of revocations cannot be written: a restored backup would bring this back',
        ),
      );
    return this.writing;
  }

  /** The lines, without those that a crash cut short. */
  private async read(): Promise<readonly Line[]> {
    const texts = await this.lines.read();
    const lines = texts.flatMap((text) => lineIn(text) ?? []);
    const unreadable = texts.length - lines.length;
    if (unreadable > 0)
      this.log.error(
        {lines: unreadable},
        'lines of the journal of revocations cannot be read: a crash truncated them, or they are damaged',
      );
    return lines;
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

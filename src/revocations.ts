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
    const lines = await this.read();
    const idsOf = (kind: 'key' | 'share', isBack: (id: string) => boolean): string[] => [
      ...new Set(lines.flatMap((line) => (line.what === kind && isBack(line.id) ? [line.id] : []))),
    ];
    const keyIds = idsOf('key', (id) => keys.ring.get(id)?.revokedMs === null);
    const shareIds = idsOf('share', (id) => sharesOf(store).get(id) !== undefined);
    const isBehind =
      keyIds.length + shareIds.length > 0 ||
      lines.some((line) => line.what === 'sessions' && line.atMs > keys.signIn.notBeforeMs);
    if (!isBehind && !isRestored) return;
    await keys.signIn.endSessions(); // First: a start that is ended from here on finds the others again. RJ3
    for (const id of keyIds) await keys.revoke(id);
    for (const id of shareIds) await sharesOf(store).remove(id);
    const repeated = {keys: keyIds.length, links: shareIds.length};
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

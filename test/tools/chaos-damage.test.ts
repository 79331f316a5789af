// Damage of a closed store in its short form: one start each on a flipped bit in definitions, keys and the newest manifest. The
// long form, in every kind of file: `npm run chaos -- damage --starts N --seed S` (docs/guarantees.md).
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {filesByKind, firstBlock, type Injury, turnsOf} from '../../tools/chaos/damage/injuries.js';
import {startDamaged, type Verdict} from '../../tools/chaos/damage/start.js';
import {fillStore, type WholeStore} from '../../tools/chaos/damage/whole-store.js';
import {hasOwnNats} from '../support/service.js';

describe.skipIf(!hasOwnNats)('a start on a damaged store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'damaged-store-'));
  let store: WholeStore;

  beforeAll(async () => {
    store = await fillStore(join(folder, 'whole'), {isOld: true}); // With deletions, which the journal has.
  });
  afterAll(() => rmSync(folder, {recursive: true, force: true}));

  /** Flips a bit of the newest message of a subject, `after` bytes behind the subject's end: in its headers or data. */
  function flip(stream: string, subject: string, after = 40): Injury {
    const path = firstBlock(stream);
    const at = readFileSync(join(store.folder, path)).lastIndexOf(subject);
    expect(at).toBeGreaterThan(0);
    return {how: 'flip', path, byte: at + subject.length + after, bit: 0};
  }

  const start = (injury: Injury): Promise<Verdict> => startDamaged(store, join(folder, 'damaged'), injury, 3);

  test('hooks: the service starts without the definition, with an alarm', async () => {
    const {outcome, faults, said, output, isTaken} = await start(flip('KV_hooks', '$KV.hooks.fn_'));
    expect(faults).toEqual([]);
    expect({outcome, isTaken}).toEqual({outcome: 'served with an alarm', isTaken: true});
    expect(said).toEqual([
      expect.stringMatching(/^1 definitions \(KV_hooks\) cannot be read.*: fn_\w+; restore a backup/),
    ]);
    expect(output).toContain('"alarm":"definitions_lost"');
  });

  test('keys: the start ends with a sentence that says the cure', async () => {
    const {outcome, faults, output} = await start(flip('KV_keys', '$KV.keys.key_'));
    expect(faults).toEqual([]);
    expect(outcome).toBe('refused');
    expect(output).toMatch(/^millrace: the bucket of keys is damaged: 1 of its records .* Restore a backup\. /m);
  });

  test('the newest manifest: its partition starts halted, reports are 503, events are taken', async () => {
    const {outcome, faults, said, isTaken} = await start(flip('KV_manifests', '$KV.manifests.p1', 100));
    expect(faults).toEqual([]);
    expect({outcome, isTaken}).toEqual({outcome: 'halted', isTaken: true});
    expect(said).toContain('partition 1 is halted');
  });

  test('manifests from before a deletion, whose log is gone: it listens all the same, and says who is halted', async () => {
    const path = firstBlock('KV_manifests');
    const {outcome, faults, said, isTaken} = await start({how: 'cut', path, bytes: 3_000});
    expect(faults).toEqual([]);
    expect({outcome, isTaken}).toEqual({outcome: 'halted', isTaken: true});
    expect(said).toContain('partition 1 is halted');
  });

  test('a message that waits for a webhook: an alarm says that it is lost', async () => {
    const {outcome, faults, said} = await start(flip('OUT', 'out.wh_', 40));
    expect(faults).toEqual([]);
    expect(outcome).toBe('served with an alarm');
    expect(said).toEqual([
      expect.stringMatching(/^records are lost: messages that waited for webhooks \(OUT\) that cannot/),
    ]);
  });

  test('every kind of file is flipped, cut and removed in turn', () => {
    const kinds = filesByKind(store.folder);
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining([
        'OUT n.blk',
        'DEAD n.blk',
        'RECORD n.blk',
        'LOG-n n.blk',
        'deletions/revocations.ndjson',
      ]),
    );
    const turn = turnsOf([store.folder], 1);
    const met = new Map([...kinds.keys()].map((kind) => [kind, new Set<string>()]));
    const kindOf = (path: string): string =>
      [...kinds].find(([, files]) => files.some((file) => file.path === path || file.path.startsWith(`${path}/`)))![0];
    const ways = 5;
    for (let start = 0; start < ways * kinds.size; start++) {
      const {how, path} = turn(start).injury;
      // A removed stream counts for the first kind of file in it.
      met.get(kindOf(path))!.add(how);
    }
    for (const [kind, how] of met) expect([kind, [...how].sort()]).toEqual([kind, ['cut', 'flip', 'remove']]);
  });
});

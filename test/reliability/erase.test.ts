// The search for deleted users in every byte under DATA_DIR, in its short form.
import {execFile} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {gzipSync} from 'node:zlib';
import {expect, onTestFinished, test} from 'vitest';
import {searchDisk} from '../../reliability/disk-search.js';

const program = fileURLToPath(new URL('../../dist/reliability/erase/main.js', import.meta.url));
const marker = '0123456789abcdef-marker';

test.each([
  ['raw', Buffer.from(`before ${marker} behind`)],
  ['hex', Buffer.from(Buffer.from(marker).toString('hex'))],
  ['utf16le', Buffer.from(marker, 'utf16le')],
  ['base64+0', Buffer.from(Buffer.from(marker).toString('base64'))],
  ['base64+1', Buffer.from(Buffer.from(`x${marker}`).toString('base64'))],
  ['base64+2', Buffer.from(Buffer.from(`xy${marker}`).toString('base64'))],
  ['json', Buffer.from([...marker].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join(''))],
  ['gzip raw', Buffer.concat([Buffer.from('junk'), gzipSync(`in a member ${marker}`), Buffer.from('junk')])],
])('the search finds a marker as %s', (form, bytes) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-search-'));
  onTestFinished(() => rmSync(folder, {recursive: true}));
  writeFileSync(join(folder, 'file'), Buffer.concat([Buffer.alloc(100), bytes, Buffer.alloc(100)]));
  expect(searchDisk(folder, [marker]).map((found) => found.form)).toContain(form);
  expect(searchDisk(folder, ['another marker of 30 letters!!'])).toEqual([]);
});

test('deleted users are in no file and no answer, as if they had never been', async () => {
  // How fast it is belongs to the long form: other work may slow this machine.
  const args = [program, '--users', '3', '--events', '2000', '--within', '120'];
  const run = promisify(execFile)(process.execPath, args);
  const printed = await run.then(
    ({stdout}) => stdout,
    (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
  );
  expect(printed).toMatch(/erased: nothing found/);
});

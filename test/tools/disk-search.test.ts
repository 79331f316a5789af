// The search for texts in every byte under a folder: each form in which a text can be there.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {expect, onTestFinished, test} from 'vitest';
import {searchDisk} from '../../tools/disk-search.js';

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

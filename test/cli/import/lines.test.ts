import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import * as fc from 'fast-check';
import {afterAll, expect, test} from 'vitest';
import {identifyFile} from '../../../src/cli/import/file-identity.js';
import {lineBytesMax} from '../../../src/cli/import/line.js';
import {LineSplitter, openLines} from '../../../src/cli/import/lines.js';

const folder = mkdtempSync(join(tmpdir(), 'millrace-lines-'));
afterAll(() => rmSync(folder, {recursive: true}));

function fileOf(content: string | Buffer): string {
  const path = join(folder, `file-${Math.random()}`);
  writeFileSync(path, content);
  return path;
}

async function readAll(path: string): Promise<(string | null)[]> {
  const read: (string | null)[] = [];
  for await (const lines of (await openLines(path)).chunks()) {
    for (const line of lines) {
      read.push(line.bytes?.toString() ?? null);
      expect(line.number).toBe(read.length);
    }
  }
  return read;
}

test.each([
  ['an empty file has no lines', '', []],
  ['the last line needs no line end', 'a\nb', ['a', 'b']],
  ['a final line end makes no line of its own', 'a\nb\n', ['a', 'b']],
  ['blank lines are lines', 'a\n\nb\n', ['a', '', 'b']],
  ['carriage returns belong to the line end', 'a\r\nb\r\n', ['a', 'b']],
  ['a byte order mark is no content', '\ufeffa\n\ufeffb\n', ['a', '\ufeffb']],
])('lines: %s', async (_, content, lines) => {
  expect(await readAll(fileOf(content))).toEqual(lines);
});

test('lines: gzip is recognised by content, not by name, and may have several members', async () => {
  expect(await readAll(fileOf(Buffer.concat([gzipSync('a\nb'), gzipSync('c\nd\n')])))).toEqual(['a', 'bc', 'd']);
});

test('lines: a line past the bound is reported by its number, and reading goes on behind it', async () => {
  const long = 'x'.repeat(lineBytesMax + 1);
  const longest = 'y'.repeat(lineBytesMax);
  expect(await readAll(fileOf(`a\n${long}\n${longest}\nb\n`))).toEqual(['a', null, longest, 'b']);
});

test('lines: a file that breaks off says after which line', async () => {
  const whole = gzipSync(Array.from({length: 200_000}, (_, n) => `line ${n * 7919}`).join('\n'));
  const path = fileOf(whole.subarray(0, whole.length - 100_000));
  await expect(readAll(path)).rejects.toThrow(/^reading stopped after line \d+: unexpected end of file$/);
});

test('lines: chunk borders change nothing', () => {
  const texts = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '', 'é'), {maxLength: 30});
  fc.assert(
    fc.property(texts, fc.array(fc.nat(60), {maxLength: 6}), (pieces, cuts) => {
      const content = Buffer.from(pieces.join(''));
      const whole = new LineSplitter();
      const expected = [...whole.take(content), ...whole.end()];
      const cut = new LineSplitter();
      const borders = [0, ...cuts.filter((at) => at < content.length).sort((a, b) => a - b), content.length];
      const lines = borders.slice(1).flatMap((end, n) => cut.take(content.subarray(borders[n], end)));
      expect([...lines, ...cut.end()]).toEqual(expected);
    }),
  );
});

test('identity: a gzip copy has the same head, another file has not', async () => {
  const [plain, packed, other] = await Promise.all(
    [fileOf('a\nb\n'), fileOf(gzipSync('a\nb\n')), fileOf('a\nc\n')].map((path) => identifyFile(path)),
  );
  expect(packed!.headSha256).toBe(plain!.headSha256);
  expect(other!.headSha256).not.toBe(plain!.headSha256);
});

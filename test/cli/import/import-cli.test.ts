// The whole program as its user runs it: a child process, a file, and a service that misbehaves.

import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {writeServiceNote} from '../../../src/data-dir.js';
import {type Mood, MoodyService, moodyAdminToken, moodyWriteKey, type SentEvent} from './moody-service.js';

const program = fileURLToPath(new URL('../../../dist/service/cli/import.js', import.meta.url));

let service: MoodyService;
let folder: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  service = await MoodyService.start();
  folder = mkdtempSync(join(tmpdir(), 'millrace-import-'));
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
  rmSync(folder, {recursive: true});
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {PATH: process.env.PATH, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      resolve({code, out, err});
    });
  });
  return {child, ended};
}

function importFile(path: string, ...options: string[]): Promise<Ended> {
  return start([path, '--url', service.baseUrl, '--key', moodyWriteKey, ...options]).ended;
}

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function eventLine(n: number, extra: object = {}): string {
  return JSON.stringify({event: 'e', userId: `u${n % 13}`, timestamp: '2024-01-01T00:00:00Z', n, ...extra});
}

const eventLines = (length: number): string[] => Array.from({length}, (_, n) => eventLine(n));
const numbersOf = (log: readonly SentEvent[]): number[] => log.map((event) => event.n as number).sort((a, b) => a - b);
const upTo = (length: number): number[] => Array.from({length}, (_, n) => n);
const statePathOf = (path: string): string => `${path}.import-state.json`;

test('every event arrives once, in full batches, and the summary counts them', async () => {
  const path = write('events.ndjson', eventLines(2_500).join('\n'));
  const {code, out} = await importFile(path, '--batch', '500');
  expect([code, numbersOf(service.log)]).toEqual([0, upTo(2_500)]);
  expect(Math.max(...service.batchSizes)).toBeLessThanOrEqual(500);
  expect(out).toMatch(/^Imported events\.ndjson into http:/);
  expect(out).toMatch(/accepted {3}2,500\n/);
  expect(out).toMatch(/duplicate {2}0 within the file/);
  expect(out).toMatch(/refused {4}0\nWhat the service had before [^\n]+\n$/);
  expect(existsSync(statePathOf(path))).toBe(false);
});

test("one user's events keep the order of the file, whatever goes wrong on the way", async () => {
  service.moods.push(
    'overloaded',
    'takes_half',
    'stores_and_hangs_up',
    'well',
    'hangs_up',
    'takes_half',
    'rate_limited',
  );
  const path = write('events.ndjson', eventLines(1_000).join('\n'));
  const {code} = await importFile(path, '--batch', '50');
  expect([code, numbersOf(service.log)]).toEqual([0, upTo(1_000)]);
  for (const user of new Set(service.log.map((event) => event.userId))) {
    const seen = service.log.filter((event) => event.userId === user).map((event) => event.n as number);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  }
});

test('importing the same content again counts nothing twice, gzipped and renamed or not', async () => {
  const content = eventLines(100).join('\n');
  await importFile(write('events.ndjson', content));
  const {code, out} = await importFile(write('copy.gz', gzipSync(content)));
  expect([code, service.log.length, service.acknowledged]).toEqual([0, 100, 200]);
  expect(out).toMatch(/accepted {3}100\n/);
});

test('a finished file is refused with its date, wherever it is, and --again sends it', async () => {
  const path = write('events.ndjson', eventLines(10).join('\n'));
  expect((await importFile(path)).code).toBe(0);
  const {code, err} = await importFile(write('copy.ndjson', eventLines(10).join('\n')));
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^copy\.ndjson was imported before, at 20\d\d-\d\d-\d\dT[\d:.]+Z: --again imports it once more\.\n$/,
    ),
  ]);
  expect(service.acknowledged).toBe(10);
  expect((await importFile(path, '--again')).code).toBe(0);
  expect([service.log.length, service.acknowledged]).toEqual([10, 20]);

  // Of several files the others are sent, by path.
  write('day-1.ndjson', eventLine(10));
  write('day-2.ndjson', eventLine(11));
  const folderOfFiles = await importFile(folder);
  expect([folderOfFiles.code, numbersOf(service.log)]).toEqual([0, upTo(12)]);
  expect(folderOfFiles.err).toMatch(/^copy\.ndjson was imported before.*\nevents\.ndjson was imported before/s);
  expect(folderOfFiles.out).toMatch(/^Imported day-1\.ndjson.*\nImported day-2\.ndjson/s);
});

test('a file that was interrupted is not finished: the same command goes on', async () => {
  const path = write('events.ndjson', eventLines(10).join('\n'));
  service.moods.push('revoked_key');
  expect((await importFile(path)).code).toBe(1);
  const {code, out} = await importFile(path);
  expect([code, out]).toEqual([0, expect.stringMatching(/accepted {3}10\n/)]);
});

test('a file that grew or was mended counts only what is new', async () => {
  const lines = eventLines(50);
  await importFile(write('events.ndjson', [...lines, '{"event":7,"userId":"u"}'].join('\n')));
  await importFile(write('events.ndjson', [...lines, eventLine(50), eventLine(51)].join('\n')));
  expect(numbersOf(service.log)).toEqual(upTo(52));
});

test('refused lines are named with line, code, field and reason, the others are stored, and the exit code is 2', async () => {
  const lines = [eventLine(0), '', '{"event":5,"userId":"u"}', '{broken', eventLine(1), '[]', `{"n":[[[[1]]]]}`];
  const {code, out} = await importFile(write('events.ndjson', lines.join('\n')));
  expect([code, numbersOf(service.log)]).toEqual([2, [0, 1]]);
  expect(out.slice(out.indexOf('  refused'))).toBe(
    [
      '  refused    4',
      '    line 3: invalid_event (event): event must be a string',
      '    line 4: invalid_json: the line is not valid JSON',
      '    line 6: invalid_event: the line is not a JSON object',
      '    line 7: invalid_json: the reason of invalid_json',
      'What the service had before this import is accepted again and counted once; it does not say how much that was.',
      '',
    ].join('\n'),
  );
});

test('of many refused lines the first 20 are shown and all are counted by reason', async () => {
  const lines = Array.from({length: 60}, (_, n) => (n % 3 === 0 ? '{"event":5}' : '{broken'));
  const {code, out} = await importFile(write('events.ndjson', lines.join('\n')), '--batch', '7');
  expect(code).toBe(2);
  expect([...out.matchAll(/^ {4}line (\d+):/gm)].map(([, line]) => Number(line))).toEqual(upTo(20).map((n) => n + 1));
  expect(out).toMatch(/all 60 by reason:\n +40 {2}invalid_json\n +20 {2}invalid_event \(event\)\n/);
});

test('killed in the middle, the next run goes on where the first one was', async () => {
  const lines = Array.from({length: 6_000}, (_, n) => eventLine(n, {messageId: `m${n % 5_990}`, userId: 'ada'}));
  const path = write('events.ndjson', lines.join('\n'));
  const first = start([path, '--url', service.baseUrl, '--key', moodyWriteKey, '--batch', '100', '--concurrency', '1']);
  // The state is written at most once a second, so the batches are held back until it moved.
  service.onBatch = async () => {
    if (service.batchSizes.length > 20) await untilResumable(path);
    if (service.batchSizes.length > 40) first.child.kill('SIGKILL');
  };
  await first.ended;
  service.onBatch = () => {};
  const sentBefore = service.batchSizes.length;
  const second = await importFile(path, '--batch', '100', '--concurrency', '1');
  expect(second.err).toMatch(/^Resuming after line [\d,]+ /);
  expect(second.code).toBe(0);
  expect(service.batchSizes.length - sentBefore).toBeLessThan(60);
  expect(numbersOf(service.log)).toEqual(upTo(5_990));
  expect(second.out).toMatch(/accepted {3}6,000\n {2}duplicate {2}10 within the file/);
  expect(existsSync(statePathOf(path))).toBe(false);
});

function untilResumable(path: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const {line} = JSON.parse(readFileSync(statePathOf(path), 'utf8')) as {line: number};
      if (line === 0) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
}

test('Ctrl-C keeps the place, revokes the temporary key, and a later run finishes', async () => {
  const path = write('events.ndjson', eventLines(3_000).join('\n'));
  writeServiceNote(folder, {
    baseUrl: service.baseUrl,
    adminUrl: service.baseUrl,
    token: moodyAdminToken,
    deployment: 'd',
    pid: 1,
  });
  const first = start([path, '--batch', '50'], {DATA_DIR: folder});
  service.onBatch = () => {
    if (service.batchSizes.length === 30) first.child.kill('SIGINT');
  };
  const {code, err} = await first.ended;
  expect(code).toBe(1);
  expect(err).toMatch(/Interrupted\.\n[\d,]+ lines are settled; the same command resumes after them, and .* once\.\n$/);
  expect(existsSync(statePathOf(path))).toBe(true);
  expect(service.log.length).toBeLessThan(3_000);

  const second = await start([path, '--batch', '50'], {DATA_DIR: folder}).ended;
  expect([second.code, numbersOf(service.log)]).toEqual([0, upTo(3_000)]);
  expect(second.out).toMatch(/accepted {3}3,000\n/);
  const temporary = [...service.keys].filter(([key]) => key.endsWith('_import'));
  expect(temporary.map(([, {isRevoked}]) => isRevoked)).toEqual([true, true]);
});

test('a temporary key that could not be revoked is named, and what was sent is sent', async () => {
  const path = write('events.ndjson', eventLines(10).join('\n'));
  writeServiceNote(folder, {
    baseUrl: service.baseUrl,
    adminUrl: service.baseUrl,
    token: moodyAdminToken,
    deployment: 'd',
    pid: 1,
  });
  service.keepsKeys = true;
  const {code, err} = await start([path], {DATA_DIR: folder}).ended;
  expect([code, numbersOf(service.log)]).toEqual([0, upTo(10)]);
  expect(err).toMatch(/^The temporary API key still works; revoke it: npm run keys -- revoke k1 \(.*503.*\)\n$/);
});

test('the place of another file, or of another service, is not believed', async () => {
  const path = write('events.ndjson', eventLines(10).join('\n'));
  const state = {
    formatVersion: 3,
    file: {bytes: 1, headSha256: ''},
    target: '',
    reading: '[null,null,null]',
    line: 9,
    tally: {accepted: 9, repeated: 0, leftOut: 0, refused: 0, firstRefused: [], refusedByReason: {}},
  };
  for (const text of [JSON.stringify(state), '{"line":', 'null']) {
    writeFileSync(statePathOf(path), text);
    const {code, err, out} = await importFile(path, '--again');
    expect([code, err, service.log.length]).toEqual([0, '', 10]);
    expect(out).toMatch(/accepted {3}10\n/);
  }
});

test.each<[string, Mood, RegExp]>([
  ['a revoked key', 'revoked_key', /does not accept the events: status 401, invalid_key: .*\n0 lines are settled/],
  [
    'something that is not the service',
    'nonsense',
    /status 200 with a body that is not a batch outcome: \{"hello":"world"\}/,
  ],
])('%s ends the import at once, with exit code 1 and the place kept', async (_, mood, message) => {
  service.moods.push(mood);
  const path = write('events.ndjson', eventLines(10).join('\n'));
  const {code, err} = await importFile(path, '--concurrency', '1');
  expect([code, existsSync(statePathOf(path))]).toEqual([1, true]);
  expect(err).toMatch(message);
});

test.each<[string, string[], RegExp]>([
  ['no file', [], /^Name the file to import\.\n\nUsage:/],
  ['one place for two files', ['a', 'b', '--state', 'c'], /^--state is for one file\./],
  [
    'a service that is not known',
    ['a', '--from', 'heap'],
    /^--from must be one of segment, mixpanel, .*csv, not "heap"/,
  ],
  ['daily totals', ['a', '--from', 'plausible'], /^Plausible exports visitors and counts per day, no events/],
  [
    'a zone for times that have one',
    ['a', '--from', 'ga4', '--timezone', 'UTC'],
    /^--timezone is for times without a zone: --from mixpanel, /,
  ],
  [
    'a place that is no zone',
    ['a', '--from', 'csv', '--timezone', 'Mars'],
    /^--timezone must be as Europe\/Berlin or \+02:00, not "Mars"/,
  ],
  [
    'a member that an event has not',
    ['a', '--from', 'csv', '--map', 'user=id'],
    /^--map must be MEMBER=COLUMN, of event, userId, .*, not "user=id"/,
  ],
  ['an unknown option', ['a', '--fast'], /^Unknown option '--fast'/],
  ['too large a batch', ['a', '--batch', '1001'], /^--batch must be a whole number from 1 to 1000, not "1001"\./],
  ['no such file', ['missing.ndjson'], /^there is no file /],
  ['no service on DATA_DIR', ['here'], /^No service runs on .*data \(no service\.json there\)\. Start one/],
])('%s: one clear sentence, exit code 1', async (_, args, message) => {
  write('here', eventLine(0));
  const {code, err} = await start(args).ended;
  expect(code).toBe(1);
  expect(err).toMatch(message);
});

test('a service that is gone is noticed at once, and nothing is kept', async () => {
  const path = write('events', eventLine(0));
  const args = [path, '--url', service.baseUrl, '--key', moodyWriteKey];
  await service.stop();
  const {code, err} = await start(args).ended;
  service = await MoodyService.start();
  expect([code, existsSync(statePathOf(path))]).toEqual([1, false]);
  expect(err).toMatch(/^No service answers at http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\.\n$/);
});

test('without a key and without an admin token the import says what it needs', async () => {
  const {code, err} = await start([write('events', eventLine(0)), '--url', service.baseUrl]).ended;
  expect(code).toBe(1);
  expect(err).toMatch(
    /^Give a write key for http:\/\/127\.0\.0\.1:\d+: --key sk_write_\.\.\., MILLRACE_KEY or MILLRACE_KEY_FILE/,
  );
});

test('a place that cannot be kept is known before the first event leaves', async () => {
  const state = join(folder, 'missing', 'state.json');
  const {code, err} = await importFile(write('events', eventLine(0)), '--state', state);
  expect([code, service.log.length]).toEqual([1, 0]);
  expect(err).toMatch(/^The progress of the import cannot be stored \(--state chooses another file\): ENOENT/);
});

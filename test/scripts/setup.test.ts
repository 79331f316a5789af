import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {checkNode, checkOpenFiles} from '../../scripts/machine.mjs';
import {temporaryFolder} from '../support/service.js';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

test.each(['18.20.0', '20.14.9'])('Node %s is refused in one sentence', (version) => {
  expect(() => checkNode(version)).toThrow(new RegExp(`^Node 20\\.15 or newer is needed; this is ${version} .*$`));
});

test.each(['20.15.0', '22.0.0', '24.1.0'])('Node %s will do', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

test('fewer open files than a start needs are refused in one sentence; where the system does not tell, nothing is', () => {
  const limits = (files: string) =>
    `Max processes             96000  96000  processes\nMax open files            ${files}  4096  files\n`;
  expect(() => checkOpenFiles(limits('64'))).toThrow(
    /^too few open files: a process may have 64 here, and 512 are needed: .*$/,
  );
  for (const enough of [limits('512'), limits('unlimited'), '']) expect(() => checkOpenFiles(enough)).not.toThrow();
});

/** Package with the binary of the native HTTP server for this machine. */
const nativePackage = `@uwsjs/${process.platform}-${process.arch}-${process.versions.node.split('.')[0]}`;

/**
 * A project of one source file. Its npm notes that it ran, and installs a native HTTP server; its bundler notes that it ran, and
 * copies the source.
 */
function tinyProject(): {root: string; runs(program: string): number} {
  const root = temporaryFolder();
  cpSync(scripts, join(root, 'scripts'), {recursive: true});
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/a.ts'), 'export {};\n');
  // As in a real lock, packages of other platforms are nested in the one that wants them.
  const nested = 'node_modules/uWebSockets.js/node_modules/@uwsjs/other-platform-22';
  const packages = {[`node_modules/${nativePackage}`]: {}, 'node_modules/uWebSockets.js': {}, [nested]: {}};
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({packages}));
  const journal = join(root, 'journal');
  const note = (name: string) => `fs.appendFileSync(${JSON.stringify(journal)}, '${name}\\n');\n`;
  const native = join(root, 'node_modules/uWebSockets.js');
  writeFileSync(
    join(root, 'npm.cjs'),
    `const fs = require('node:fs');
     ${note('npm')}
     for (const folder of ${JSON.stringify([native, join(root, 'node_modules', nativePackage)])}) {
       fs.mkdirSync(folder, {recursive: true});
       fs.writeFileSync(folder + '/package.json', '{}');
     }
     fs.writeFileSync(${JSON.stringify(join(native, 'index.js'))}, '');`,
  );
  writeFileSync(
    join(root, 'scripts/bundle.mjs'),
    `import fs from 'node:fs';
     ${note('bundler')}
     fs.mkdirSync('dist/service', {recursive: true});
     fs.copyFileSync('src/a.ts', 'dist/service/a.js');`,
  );
  const runs = (program: string) =>
    existsSync(journal)
      ? readFileSync(journal, 'utf8')
          .split('\n')
          .filter((line) => line === program).length
      : 0;
  return {root, runs};
}

async function build(
  root: string,
  words: readonly string[] = [],
  {PATH, NATS_SERVER_BIN}: NodeJS.ProcessEnv = process.env,
): Promise<{code: number; lines: string[]}> {
  const env = {PATH, NATS_SERVER_BIN, npm_execpath: join(root, 'npm.cjs')};
  const child = spawn(process.execPath, [join(root, 'scripts/build.mjs'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number];
  return {code, lines: output.trim().split('\n')};
}

test('each step is done when something changed, and says why', async () => {
  const {root, runs} = tinyProject();
  expect(await build(root)).toEqual({
    code: 0,
    lines: [
      'dependencies: installing with npm ci, because node_modules is missing',
      'build: compiling, because dist is missing',
    ],
  });
  expect((await build(root)).lines).toEqual([
    'dependencies: unchanged since they were installed',
    'build: dist is up to date',
  ]);
  writeFileSync(join(root, 'src/b.ts'), 'export {};\n');
  expect((await build(root)).lines[1]).toBe('build: compiling, because sources changed');
  writeFileSync(join(root, 'package-lock.json'), '{"changed": true}');
  expect((await build(root)).lines[0]).toBe('dependencies: installing with npm ci, because package-lock.json changed');
  expect([runs('npm'), runs('bundler')]).toEqual([2, 3]); // The lock file may bring another compiler: built again.
});

test.skipIf(process.env.NATS_SERVER_BIN === undefined)('a build finds nats-server where it is told to', async () => {
  const {root} = tinyProject();
  expect(await build(root, ['--nats-server'])).toEqual({
    code: 0,
    lines: [
      'dependencies: installing with npm ci, because node_modules is missing',
      expect.stringMatching(/^nats-server: \d+\.\d+\.\d+ at \//),
      'build: compiling, because dist is missing',
    ],
  });
  expect(await build(root, ['--nats'])).toEqual({
    code: 1,
    lines: ['millrace: unknown option --nats: the only one is --nats-server'],
  });
});

test('where no nats-server can be fetched, its absence is said before anything is installed', async () => {
  const {root, runs} = tinyProject();
  const script = join(root, 'scripts/nats-server.mjs');
  const text = readFileSync(script, 'utf8')
    .replace(/^const fetchers = .*$/m, 'const fetchers = () => [];')
    .replace(/^function searchFolders.*$/m, '$&\n  return [];');
  writeFileSync(script, text);
  const {code, lines} = await build(root, ['--nats-server'], {PATH: process.env.PATH});
  expect([code, lines, runs('npm')]).toEqual([1, [expect.stringMatching(/^millrace: no nats-server: none is/)], 0]);
});

test('a step that takes long says every few seconds that it is under way', async () => {
  const {root} = tinyProject();
  const npm = readFileSync(join(root, 'npm.cjs'), 'utf8');
  writeFileSync(join(root, 'npm.cjs'), `${npm}\nsetTimeout(() => {}, 6_000);`);
  const {lines} = await build(root);
  // On a busy machine more than one: six seconds are the least that it takes.
  const said = lines.filter((line) => /^dependencies: installing … \d+ s$/.test(line));
  expect(said.length).toBeGreaterThan(0);
  expect(lines).toEqual([
    'dependencies: installing with npm ci, because node_modules is missing',
    ...said,
    'build: compiling, because dist is missing',
  ]);
});

test('dependencies that another major version of Node installed are installed again', async () => {
  const {root, runs} = tinyProject();
  await build(root);
  const stamp = join(root, 'node_modules/.installed-lock');
  const {lock, node} = JSON.parse(readFileSync(stamp, 'utf8'));
  writeFileSync(stamp, JSON.stringify({lock, node: '18'}));
  expect((await build(root)).lines[0]).toBe(
    `dependencies: installing with npm ci, because it was done by Node 18 and this is Node ${node}`,
  );
  expect((await build(root)).lines[0]).toBe('dependencies: unchanged since they were installed');
  writeFileSync(stamp, lock); // Cut short, or of an older version of these scripts.
  expect((await build(root)).lines[0]).toBe(
    'dependencies: installing with npm ci, because no finished installation is recorded',
  );
  expect(runs('npm')).toBe(3);
});

test('an installation that lost the native HTTP server gets it again, and loses nothing where that fails', async () => {
  const {root, runs} = tinyProject();
  await build(root);
  const binary = join(root, 'node_modules', nativePackage);
  const npm = readFileSync(join(root, 'npm.cjs'), 'utf8');
  const again = `dependencies: installing the native HTTP server again, because ${nativePackage} is missing`;
  // Each start tries, as long as it fails: it may be a download that failed, in the first installation too.
  writeFileSync(join(root, 'npm.cjs'), "console.error('npm error network is unreachable'); process.exit(1);");
  rmSync(binary, {recursive: true});
  for (const _ of [1, 2])
    expect(await build(root)).toEqual({
      code: 0,
      lines: [
        again,
        'dependencies: npm install failed: npm error network is unreachable',
        `HTTP server: node:http, which takes more CPU, because ${nativePackage} could not be installed; the next start tries again, and npm ci shows why`,
        'build: dist is up to date',
      ],
    });
  writeFileSync(join(root, 'npm.cjs'), npm);
  expect((await build(root)).lines).toEqual([again, 'build: dist is up to date']);
  expect(existsSync(binary)).toBe(true);
  expect((await build(root)).lines[0]).toBe('dependencies: unchanged since they were installed');
  expect(runs('npm')).toBe(2);
});

test('where there is no native HTTP server for the platform, the installation says so once, with the reason', async () => {
  const {root} = tinyProject();
  writeFileSync(join(root, 'package-lock.json'), '{"packages": {}}');
  writeFileSync(join(root, 'npm.cjs'), "require('node:fs').mkdirSync('node_modules', {recursive: true});");
  const {code, lines} = await build(root);
  expect([code, lines[1]]).toEqual([
    0,
    expect.stringMatching(/^HTTP server: node:http, which takes more CPU, because Cannot find module/),
  ]);
  expect((await build(root)).lines[0]).toBe('dependencies: unchanged since they were installed');
});

test('a source that was replaced by an older file, as out of an archive, is compiled', async () => {
  const {root} = tinyProject();
  await build(root);
  const compiled = async (text: string, madeS: number): Promise<string> => {
    writeFileSync(join(root, 'src/a.ts'), text);
    utimesSync(join(root, 'src/a.ts'), madeS, madeS);
    expect(await build(root)).toMatchObject({code: 0});
    return readFileSync(join(root, 'dist/service/a.js'), 'utf8');
  };
  expect(await compiled('export const made = 2;\n', 1_700_000_000)).toContain('made = 2');
  expect(await compiled('export const made = 1;\n', 1_600_000_000)).toContain('made = 1');
});

test('set-ups that run at the same time install and build once', async () => {
  const {root, runs} = tinyProject();
  const ends = await Promise.all([build(root), build(root), build(root)]);
  expect(ends.map(({code}) => code)).toEqual([0, 0, 0]);
  expect([runs('npm'), runs('bundler')]).toEqual([1, 1]);
});

test('the lock of a set-up that was killed is taken over', async () => {
  const {root} = tinyProject();
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  mkdirSync(join(root, '.cache/setup.lock'), {recursive: true});
  writeFileSync(join(root, '.cache/setup.lock/pid'), String(gone.pid));
  expect((await build(root)).code).toBe(0);
});

test('a lock whose owner has not named itself yet is left to it for 5 seconds', async () => {
  const {root} = tinyProject();
  const lock = join(root, '.cache/setup.lock');
  mkdirSync(lock, {recursive: true});
  writeFileSync(join(lock, 'pid'), '');
  const madeMs = Date.now() - 4_000;
  utimesSync(lock, madeMs / 1_000, madeMs / 1_000);
  expect((await build(root)).code).toBe(0);
  expect(Date.now() - madeMs).toBeGreaterThan(5_000);
});

test('a failing installation and a failing build are said in words, with code 1', async () => {
  const {root} = tinyProject();
  const npm = readFileSync(join(root, 'npm.cjs'), 'utf8');
  writeFileSync(join(root, 'npm.cjs'), "console.error('npm error network is unreachable'); process.exit(1);");
  const installed = await build(root);
  expect(installed.code).toBe(1);
  expect(installed.lines.at(-1)).toBe('millrace: npm install failed: npm error network is unreachable');

  writeFileSync(join(root, 'npm.cjs'), npm);
  await build(root);
  writeFileSync(join(root, 'scripts/bundle.mjs'), "console.log('src/a.ts(1,1): error'); process.exit(2);");
  writeFileSync(join(root, 'src/a.ts'), 'export const changed = 1;\n');
  const built = await build(root);
  expect(built).toMatchObject({code: 1, lines: expect.arrayContaining(['src/a.ts(1,1): error'])});
});

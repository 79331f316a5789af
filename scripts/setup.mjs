// Set-up: dependencies, build, nats-server. It runs before anything is installed, so it uses built-in modules only. Each step
// reports in one line what it chose and why, and every few seconds that it is still in progress. A second run with nothing to
// do takes a fraction of a second.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {checkMachine} from './machine.mjs';
import {canFetchNatsServer, findNatsServer} from './nats-server.mjs';
import {unbundled} from './packed-form.mjs';
import {
  hashOf,
  inProject,
  npmReason,
  projectRoot,
  runNpm,
  runProgram,
  SetupFault,
  underWay,
  withSetupLock,
} from './project.mjs';

/** Sources have type errors; everything that compiles was compiled. */
export class BuildFault extends SetupFault {}

const lockFile = inProject('package-lock.json');
const installedStamp = inProject('node_modules/.installed-lock');
const commitStamp = inProject('dist/.commit');

/**
 * Sets up the project. `say` gets the lines. `needs`: `'service'` is enough to compile and serve; `'everything'` includes the
 * packages of tests and benches, some 400 MB more. `needsNatsServer: false`: for programs that only use a running service.
 * Returns the environment variables that the service needs in addition: NATS_SERVER_BIN when one was found.
 */
export async function setUp({say = console.log, needs = 'service', needsNatsServer = true} = {}) {
  checkMachine();
  return await withSetupLock(say, async () => {
    // Where none can be fetched, its absence is reported now and not after minutes of installing.
    const isFirst = needsNatsServer && !canFetchNatsServer();
    const found = isFirst ? await natsServer(say) : {};
    await installDependencies(say, needs);
    const env = needsNatsServer && !isFirst ? await natsServer(say) : found;
    await build(say, needs);
    stampCommit();
    return env;
  });
}

async function natsServer(say) {
  const {path, line} = await findNatsServer({say});
  say(`nats-server: ${line}`);
  return path === undefined ? {} : {NATS_SERVER_BIN: path};
}

// -- dependencies -----------------------------------------------------------------------------------------------------

async function installDependencies(say, needs) {
  const why = reasonToInstall(needs);
  const missing = why === undefined ? missingNativeHttp() : undefined;
  if (why === undefined && missing === undefined) {
    say('dependencies: unchanged since they were installed');
    return;
  }
  // Development packages are included even under NODE_ENV=production: the bundler is one of them.
  const options = ['--ignore-scripts', '--include=dev', '--no-fund', '--no-audit'];
  if (needs === 'service') options.push('--workspaces=false');
  const install = (command, ...more) =>
    underWay(say, 'dependencies: installing', () => runNpm([command, ...options, ...more]));
  if (missing !== undefined) {
    say(`dependencies: installing the native HTTP server again, because ${missing} is missing`);
    // Not npm ci, which begins by deleting everything else: a machine without a registry would lose its installation.
    const end = await install('install', '--no-save', '--fetch-retries=0');
    if (end.code !== 0) say(`dependencies: npm install failed: ${npmReason(end)}`);
    sayNativeHttp(say);
    return;
  }
  say(`dependencies: installing with npm ci, because ${why}`);
  if ((await install('ci')).code !== 0) {
    say('dependencies: npm ci could not use the lock file; trying npm install');
    const end = await install('install');
    if (end.code !== 0) throw new SetupFault(`npm install failed: ${npmReason(end)}`);
  }
  sayNativeHttp(say);
  writeFileSync(installedStamp, JSON.stringify({...installation(), holds: needs}));
}

function reasonToInstall(needs) {
  if (!existsSync(inProject('node_modules'))) return 'node_modules is missing';
  const [installed, now] = [recordedInstallation(), installation()];
  if (installed?.node === undefined) return 'no finished installation is recorded';
  if (installed.node !== now.node) return `it was done by Node ${installed.node} and this is Node ${now.node}`;
  if (installed.lock !== now.lock) return 'package-lock.json changed';
  if (needs === 'everything' && installed.holds !== needs) return 'tests and benches need more packages';
  return undefined;
}

/** Native packages differ by major version of Node. */
const installation = () => ({
  node: process.versions.node.split('.')[0],
  lock: existsSync(lockFile) ? hashOf([lockFile]) : 'no lock file',
});

function recordedInstallation() {
  if (!existsSync(installedStamp)) return undefined;
  try {
    return JSON.parse(readFileSync(installedStamp, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // The installation was killed while it wrote this.
    throw error;
  }
}

/**
 * Name of a package of the native HTTP server that package-lock.json has for this machine and node_modules lacks. npm omits
 * such a package without an error when its download fails. Undefined if nothing is missing, or if the lock has no package for
 * this platform and Node.
 */
function missingNativeHttp() {
  if (!existsSync(lockFile)) return undefined;
  const {packages = {}} = JSON.parse(readFileSync(lockFile, 'utf8'));
  const binary = `/@uwsjs/${process.platform}-${process.arch}-${installation().node}`;
  const wanted = Object.keys(packages).filter((path) => path.endsWith(binary));
  if (wanted.length === 0) return undefined;
  return [...wanted, ...unbundled.map((name) => `node_modules/${name}`)]
    .find((path) => path in packages && !existsSync(inProject(`${path}/package.json`)))
    ?.slice('node_modules/'.length);
}

function sayNativeHttp(say) {
  const missing = missingNativeHttp();
  const reason =
    missing === undefined
      ? nativeHttpFault()
      : `${missing} could not be installed; the next start tries again, and npm ci shows why`;
  if (reason !== undefined) say(`HTTP server: node:http, which takes more CPU, because ${reason}`);
}

/**
 * Reason why the native HTTP server does not load; undefined when it does. Checked in a process of its own: loading has
 * effects.
 */
function nativeHttpFault() {
  const load = `const reasons = [];
    for (const name of ['uWebSockets.js-newer', 'uWebSockets.js'])
      try { require(name); process.exit(0); } catch (error) { reasons.push(error.message); }
    console.error(reasons.join('\\n'));
    process.exit(1);`;
  const {status, stderr} = spawnSync(process.execPath, ['-e', load], {cwd: projectRoot, encoding: 'utf8'});
  if (status === 0) return undefined;
  const lines = stderr.trim().split('\n');
  // The package's own message names versions of Node. The reason of the system's or Node's loader follows it.
  const said = lines.find((line) => line.includes('GLIBC')) ?? lines.find((line) => line.includes('Cannot find'));
  return said ?? (lines[0] || 'it does not load');
}

// -- build ------------------------------------------------------------------------------------------------------------

/** The products of a build: their sources and commands. Each is built again when one of its sources changed. */
const products = {
  service: {
    folders: ['actors', 'src', 'kernels', 'packages/sdk/src', 'tools/chaos', 'tools/demo', 'tools/shop', 'dashboard'],
    files: [
      'package-lock.json',
      'scripts/bundle.mjs',
      'scripts/notices.mjs',
      'scripts/sdk.mjs',
      'tools/http-client.ts',
      'tools/random.ts',
      'tools/service-process.ts',
    ],
    run: async () => {
      await buildDashboard();
      await buildSdk();
      await runStep('scripts/bundle.mjs');
    },
  },
  // For tests and benches, which import single modules.
  modules: {
    folders: ['actors', 'src', 'bench', 'tools', 'dashboard/src/address'],
    files: ['package-lock.json', 'tsconfig.json'],
    // Not -b, which compares times: files from an archive are older than earlier output.
    run: () => runStep('node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'),
  },
};

async function build(say, needs) {
  const wanted = needs === 'service' ? ['service'] : ['service', 'modules'];
  const due = wanted.filter((name) => builtHash(name) !== sourceHash(name));
  if (due.length === 0) {
    say('build: dist is up to date');
    return;
  }
  say(
    `build: compiling, because ${due.some((name) => builtHash(name) !== undefined) ? 'sources changed' : 'dist is missing'}`,
  );
  for (const name of due) {
    rmSync(builtStamp(name), {force: true}); // A build that fails may have replaced some of the files.
    await underWay(say, 'build: compiling', products[name].run);
    mkdirSync(inProject('dist'), {recursive: true});
    writeFileSync(builtStamp(name), sourceHash(name));
  }
}

const builtStamp = (name) => inProject(`dist/.built-${name}`);
const builtHash = (name) => (existsSync(builtStamp(name)) ? readFileSync(builtStamp(name), 'utf8') : undefined);

function sourceHash(name) {
  const {folders, files} = products[name];
  const inFolders = folders.flatMap((folder) => filesIn(inProject(folder)));
  return hashOf([...files.map((file) => inProject(file)), ...inFolders.sort()].filter((file) => existsSync(file)));
}

/** Builds the script for pages, dist/sdk.js, and the package in packages/sdk/dist. */
async function buildSdk() {
  if (!existsSync(inProject('packages/sdk'))) return; // An archive without it.
  await runStep('scripts/sdk.mjs');
}

/** Builds the compressed pages in dist/pages. Types are not checked here: the tests do that. */
export async function buildDashboard() {
  if (!existsSync(inProject('dashboard'))) return; // An archive without the dashboard.
  await runStep('node_modules/vite/bin/vite.js', 'build', inProject('dashboard'), '--logLevel', 'warn');
}

/** @throws BuildFault with the output of the program. */
async function runStep(program, ...words) {
  const {code, error, stdout, stderr} = await runProgram(process.execPath, [inProject(program), ...words], {
    cwd: projectRoot,
    // vitest sets another value, with which the pages would be 3 kB larger than in a start.
    env: {...process.env, NODE_ENV: 'production'},
  });
  if (code !== 0)
    throw new BuildFault(`the build failed:\n${stdout || stderr || error?.message || `it ended with ${code}`}`);
}

/** Writes the commit for `--version`, /healthz and /metrics. A folder inside another checkout has none. */
function stampCommit() {
  const {stdout} = spawnSync('git', ['rev-parse', '--show-toplevel', 'HEAD'], {cwd: projectRoot, encoding: 'utf8'});
  const [top, commit] = (stdout ?? '').split('\n');
  const isOwn = existsSync(inProject('.git')) && top !== '' && realpathSync(top) === realpathSync(projectRoot);
  const known = isOwn && commit ? commit.slice(0, 12) : 'unknown';
  const stamped = existsSync(commitStamp) ? readFileSync(commitStamp, 'utf8') : undefined;
  // An image keeps the commit that it was built with: it has no checkout.
  if (known === stamped || (known === 'unknown' && stamped !== undefined)) return;
  writeFileSync(commitStamp, known);
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

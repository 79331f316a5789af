// Set-up: dependencies, build, nats-server. Uses built-ins only, since it runs before anything is installed.
// Each step says in one line what it chose and why, and every few seconds that it is still under way; a second run with nothing
// to do takes a fraction of a second.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {checkMachine} from './machine.mjs';
import {canFetchNatsServer, findNatsServer} from './nats-server.mjs';
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

/** Sources have type errors; what could be compiled was. */
export class BuildFault extends SetupFault {}

const lockFile = inProject('package-lock.json');
const installedStamp = inProject('node_modules/.installed-lock');
const commitStamp = inProject('dist/.commit');

/**
 * `say` gets the lines. `needs: 'service'` is enough to compile and serve; `'everything'` has what tests and benches need, too:
 * some 400 MB more. `needsNatsServer: false` for programs that only talk to a running service.
 * Returns the environment that the service needs on top of its own: NATS_SERVER_BIN when one was found.
 */
export async function setUp({say = console.log, needs = 'service', needsNatsServer = true} = {}) {
  checkMachine();
  return await withSetupLock(say, async () => {
    // Where no fetch can bring one, its absence is said now and not after minutes of installing.
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
  if (why === undefined) {
    say('dependencies: unchanged since they were installed');
    return;
  }
  say(`dependencies: installing with npm ci, because ${why}`);
  // Development packages too, also under NODE_ENV=production: the bundler is one of them.
  const options = ['--ignore-scripts', '--include=dev', '--no-fund', '--no-audit'];
  if (needs === 'service') options.push('--workspaces=false');
  const install = (command) => underWay(say, 'dependencies: installing', () => runNpm([command, ...options]));
  if ((await install('ci')).code !== 0) {
    say('dependencies: npm ci could not use the lock file; trying npm install');
    const end = await install('install');
    if (end.code !== 0) throw new SetupFault(`npm install failed: ${npmReason(end)}`);
  }
  const native = nativeHttp();
  if (native !== undefined) say(`HTTP server: node:http, which takes more CPU, because ${native}`);
  writeFileSync(installedStamp, JSON.stringify({...installation(), holds: needs, hasNativeHttp: native === undefined}));
}

function reasonToInstall(needs) {
  if (!existsSync(inProject('node_modules'))) return 'node_modules is missing';
  const [installed, now] = [recordedInstallation(), installation()];
  if (installed?.node === undefined) return 'no finished installation is recorded';
  if (installed.node !== now.node) return `it was done by Node ${installed.node} and this is Node ${now.node}`;
  if (installed.lock !== now.lock) return 'package-lock.json changed';
  if (needs === 'everything' && installed.holds !== needs) return 'tests and benches need more packages';
  if (installed.hasNativeHttp && !existsSync(inProject('node_modules/@uwsjs'))) return 'the native HTTP server is gone';
  return undefined;
}

/** Native packages come as one package for each major version of Node. */
const installation = () => ({
  node: process.versions.node.split('.')[0],
  lock: existsSync(lockFile) ? hashOf([lockFile]) : 'no lock file',
});

function recordedInstallation() {
  if (!existsSync(installedStamp)) return undefined;
  try {
    return JSON.parse(readFileSync(installedStamp, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // The installation that wrote it was killed.
    throw error;
  }
}

/** Why the native HTTP server does not load; undefined when it does. In a process of its own: a load has effects. */
function nativeHttp() {
  const load =
    "import('uWebSockets.js-newer').catch((newer) => import('uWebSockets.js').catch((older) => { console.error(newer.message + '\\n' + older.message); process.exit(1); }))";
  const {status, stderr} = spawnSync(process.execPath, ['-e', load], {cwd: projectRoot, encoding: 'utf8'});
  if (status === 0) return undefined;
  const lines = stderr.trim().split('\n');
  // What the system's loader misses is behind the words of the package.
  return lines.find((line) => line.includes('GLIBC')) ?? (lines[0] || 'it does not load');
}

// -- build ------------------------------------------------------------------------------------------------------------

/** What is built, of which sources, and by what. Each is built again when one of its sources changed. */
const products = {
  service: {
    folders: ['actors', 'src', 'kernels', 'tools/demo', 'tools/shop', 'dashboard'],
    files: ['package-lock.json', 'scripts/bundle.mjs', 'tools/random.ts', 'tools/service-process.ts'],
    run: async () => {
      await runStep('scripts/bundle.mjs');
      await buildDashboard();
    },
  },
  // For tests and benches, which import single modules.
  modules: {
    folders: ['actors', 'src', 'bench', 'tools'],
    files: ['package-lock.json', 'tsconfig.json'],
    // Not -b, which goes by times: files out of an archive are older than what was compiled before.
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

/** The pages, compressed, in dist/dashboard. They are not checked for types here: the tests do that. */
export async function buildDashboard() {
  if (!existsSync(inProject('dashboard'))) return; // An archive of the service alone.
  await runStep('node_modules/vite/bin/vite.js', 'build', inProject('dashboard'), '--logLevel', 'warn');
}

/** @throws BuildFault with the output of the program. */
async function runStep(program, ...words) {
  const {code, error, stdout, stderr} = await runProgram(process.execPath, [inProject(program), ...words], {
    cwd: projectRoot,
    // vitest sets another one, and the pages that it built would be 3 kB larger than those of a start.
    env: {...process.env, NODE_ENV: 'production'},
  });
  if (code !== 0)
    throw new BuildFault(`the build failed:\n${stdout || stderr || error?.message || `it ended with ${code}`}`);
}

/** For `--version`, /healthz and /metrics. A folder that is no checkout of its own, but lies in one, has none. */
function stampCommit() {
  const {stdout} = spawnSync('git', ['rev-parse', '--show-toplevel', 'HEAD'], {cwd: projectRoot, encoding: 'utf8'});
  const [top, commit] = (stdout ?? '').split('\n');
  const isOwn = existsSync(inProject('.git')) && top !== '' && realpathSync(top) === realpathSync(projectRoot);
  const known = isOwn && commit ? commit.slice(0, 12) : 'unknown';
  const stamped = existsSync(commitStamp) ? readFileSync(commitStamp, 'utf8') : undefined;
  // What an image was built with stays: it has no checkout to ask.
  if (known === stamped || (known === 'unknown' && stamped !== undefined)) return;
  writeFileSync(commitStamp, known);
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

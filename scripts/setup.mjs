// Set-up: dependencies, build, nats-server. Uses built-ins only, since it runs before anything is installed.
// Each step says in one line what it chose and why; a second run with nothing to do takes a fraction of a second.

import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {findNatsServer} from './nats-server.mjs';
import {checkNode} from './node-version.mjs';
import {hashOf, inProject, projectRoot, SetupFault, withSetupLock} from './project.mjs';

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
export function setUp({say = console.log, needs = 'service', needsNatsServer = true} = {}) {
  checkNode();
  return withSetupLock(() => {
    installDependencies(say, needs);
    const env = needsNatsServer ? natsServer(say) : {};
    build(say, needs);
    stampCommit();
    return env;
  });
}

function natsServer(say) {
  const {path, line} = findNatsServer();
  say(`nats-server: ${line}`);
  return path === undefined ? {} : {NATS_SERVER_BIN: path};
}

// -- dependencies -----------------------------------------------------------------------------------------------------

function installDependencies(say, needs) {
  const why = reasonToInstall(needs);
  if (why === undefined) {
    say('dependencies: unchanged since they were installed');
    return;
  }
  say(`dependencies: installing with npm ci, because ${why}`);
  const words = needs === 'service' ? ['--workspaces=false'] : [];
  if (!npm('ci', ...words).ok) {
    say('dependencies: npm ci could not use the lock file; trying npm install');
    const {ok, output} = npm('install', ...words);
    if (!ok) throw new SetupFault(`npm install failed: ${npmReason(output)}`);
  }
  const native = nativeHttp();
  if (native !== undefined) say(`HTTP server: node:http, which takes several times the CPU, because ${native}`);
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
  } catch {
    return undefined;
  }
}

/** Why the native HTTP server does not load; undefined when it does. In a process of its own: a load has effects. */
function nativeHttp() {
  const load =
    "import('uWebSockets.js-newer').catch(() => import('uWebSockets.js')).catch((e) => { console.error(e.message); process.exit(1); })";
  const {status, stderr} = spawnSync(process.execPath, ['-e', load], {cwd: projectRoot, encoding: 'utf8'});
  return status === 0 ? undefined : lastLineOf(stderr) || 'it does not load';
}

const lastLineOf = (text) => text.trim().split('\n').at(-1);

function npm(...words) {
  // Development packages too, also under NODE_ENV=production: the bundler is one of them.
  const args = [...words, '--ignore-scripts', '--include=dev', '--no-fund', '--no-audit'];
  // Started by npm, its own path is known and the one on PATH may be another.
  const [program, first] = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []];
  const {status, error, stderr} = spawnSync(program, [...first, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return {ok: status === 0, output: error?.message ?? stderr};
}

function npmReason(output) {
  const lines = output.split('\n').filter((line) => /^npm (error|ERR!)/.test(line));
  return (lines.slice(0, 4).join(' ') || output).trim();
}

// -- build ------------------------------------------------------------------------------------------------------------

/** What is built, of which sources, and by what. Each is built again when one of its sources changed. */
const products = {
  service: {
    folders: ['actors', 'src', 'kernels', 'tools/demo', 'tools/shop', 'dashboard'],
    files: ['package-lock.json', 'scripts/bundle.mjs'],
    run: () => {
      runStep('scripts/bundle.mjs');
      buildDashboard();
    },
  },
  // For tests and benches, which import single modules.
  modules: {
    folders: ['actors', 'src', 'bench', 'reliability', 'tools', 'test/model', 'test/differential'],
    files: ['package-lock.json', 'tsconfig.json'],
    // Not -b, which goes by times: files out of an archive are older than what was compiled before.
    run: () => runStep('node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false'),
  },
};

function build(say, needs) {
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
    try {
      products[name].run();
    } catch (error) {
      throw new BuildFault(`the build failed:\n${error.stdout || error.stderr || error.message}`);
    }
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
export function buildDashboard() {
  if (!existsSync(inProject('dashboard'))) return; // An archive of the service alone.
  runStep('node_modules/vite/bin/vite.js', 'build', inProject('dashboard'), '--logLevel', 'warn');
}

/** Its output is in the error that a failure throws. */
function runStep(program, ...words) {
  execFileSync(process.execPath, [inProject(program), ...words], {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    // vitest sets another one, and the pages that it built would be 3 kB larger than those of a start.
    env: {...process.env, NODE_ENV: 'production'},
  });
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

// Set-up: dependencies, build, nats-server. Uses built-ins only, since it runs before anything is installed.
// Each step says in one line what it chose and why; a second run with nothing to do takes a fraction of a second.

import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {buildKernels} from './kernels.mjs';
import {findNatsServer} from './nats-server.mjs';
import {hashOf, inProject, projectRoot, SetupFault, withSetupLock} from './project.mjs';

/** Sources have type errors; what could be compiled was. */
export class BuildFault extends SetupFault {}

const nodeMin = [20, 15];
const lockFile = inProject('package-lock.json');
const installedStamp = inProject('node_modules/.installed-lock');
const builtStamp = inProject('dist/.built-sources');
const commitStamp = inProject('dist/.commit');

/**
 * `say` gets the lines. `needsNatsServer: false` for programs that only talk to a running service.
 * Returns the environment that the service needs on top of its own: NATS_SERVER_BIN when one was found.
 */
export function setUp({say = console.log, needsNatsServer = true} = {}) {
  checkNode();
  return withSetupLock(() => {
    installDependencies(say);
    const env = needsNatsServer ? natsServer(say) : {};
    build(say);
    stampCommit();
    return env;
  });
}

export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return;
  throw new SetupFault(`Node ${nodeMin.join('.')} or newer is needed; this is ${version} (${process.execPath})`);
}

function natsServer(say) {
  const {path, line} = findNatsServer();
  say(`nats-server: ${line}`);
  return path === undefined ? {} : {NATS_SERVER_BIN: path};
}

// -- dependencies -----------------------------------------------------------------------------------------------------

function installDependencies(say) {
  const why = reasonToInstall();
  if (why === undefined) {
    say('dependencies: unchanged since they were installed');
    return;
  }
  say(`dependencies: installing with npm ci, because ${why}`);
  if (!npm('ci').ok) {
    say('dependencies: npm ci could not use the lock file; trying npm install');
    const {ok, output} = npm('install');
    if (!ok) throw new SetupFault(`npm install failed: ${npmReason(output)}`);
  }
  writeFileSync(installedStamp, JSON.stringify(installation()));
}

function reasonToInstall() {
  if (!existsSync(inProject('node_modules'))) return 'node_modules is missing';
  const [installed, now] = [recordedInstallation(), installation()];
  if (installed?.node === undefined) return 'no finished installation is recorded';
  if (installed.node !== now.node) return `it was done by Node ${installed.node} and this is Node ${now.node}`;
  if (installed.lock !== now.lock) return 'package-lock.json changed';
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

function npm(command) {
  // Development packages too, also under NODE_ENV=production: the compiler is one of them.
  const args = [command, '--ignore-scripts', '--include=dev', '--no-fund', '--no-audit'];
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

function build(say) {
  const sources = sourceFiles();
  const hash = hashOf(sources);
  const builtHash = existsSync(builtStamp) ? readFileSync(builtStamp, 'utf8') : undefined;
  if (builtHash === hash) {
    say('build: dist is up to date');
    return;
  }
  say(`build: compiling, because ${builtHash === undefined ? 'dist is missing' : 'sources changed'}`);
  try {
    buildKernels();
    // Not -b, which goes by times: files out of an archive are older than what was compiled before.
    runStep('node_modules/typescript/bin/tsc', '-p', '.', '--pretty', 'false');
    runStep('scripts/bundle.mjs');
    buildDashboard();
  } catch (error) {
    throw new BuildFault(`the build failed:\n${error.stdout || error.stderr || error.message}`);
  }
  mkdirSync(inProject('dist'), {recursive: true});
  writeFileSync(builtStamp, hash);
}

/** Its pages, compressed, in dist/dashboard. They are not checked for types here: the tests do that. */
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

function sourceFiles() {
  const bundler = inProject('scripts/bundle.mjs');
  const folders = ['actors', 'src', 'bench', 'reliability', 'tools', 'kernels', 'test/model', 'test/differential'];
  const files = folders.flatMap((folder) => typescriptIn(inProject(folder)));
  const pages = filesIn(inProject('dashboard'));
  return [inProject('tsconfig.json'), lockFile, bundler, ...files.sort(), ...pages.sort()].filter((file) =>
    existsSync(file),
  );
}

const typescriptIn = (folder) => filesIn(folder).filter((path) => path.endsWith('.ts'));

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

// Finds nats-server, or fetches Debian's signed package. Never needs root.
// Order: NATS_URL (none needed) -> NATS_SERVER_BIN -> .cache/nats -> a recent one on this machine -> Debian's package
// -> the release of the NATS project, by its checksum -> an older one on this machine -> an error that names the remedies.

import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {delimiter, join} from 'node:path';
import {cacheFolder, runProgram, SetupFault, underWay} from './project.mjs';

/** First version whose JetStream works as Millrace needs it; older servers are refused. */
const versionMin = '2.9.10';
/** First version that erases a message atomically: worth a download if the machine's own is older. */
const versionWanted = '2.14.5';
/** First version that Millrace was not tested with: a new major version may store or answer differently. */
const versionUntried = '3.0.0';

/** The release to fetch where Debian's package is not available. The checksums are those of NATS's own container images. */
const release = {
  version: '2.15.0',
  sha256: {
    'linux-amd64': '5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92',
    'linux-arm64': 'cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112',
  },
};
const downloadMsMax = 180_000;

const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const ubuntuKeyring = '/usr/share/keyrings/ubuntu-archive-keyring.gpg';
const newestDebianSuite = 'forky';
const aptMsMax = 180_000;

/**
 * `{path, line}`: the binary (undefined when NATS_URL names a server) and why it was chosen, as one line.
 * `say` gets a line when something is fetched. `folders` and `fetchers` stand for this machine's own in tests.
 * Throws a `SetupFault` when there is none.
 * @param {{env?: NodeJS.ProcessEnv, cache?: string, folders?: string[], say?: (line: string) => void,
 *   fetchers?: {name: string, fetch: (folder: string) => string | Promise<string>}[]}} options
 */
export async function findNatsServer(options = {}) {
  const {env = process.env, cache = join(cacheFolder, 'nats'), say = () => {}} = options;
  if (env.NATS_URL?.trim()) return {path: undefined, line: 'not needed: NATS_URL names a server'};
  if (env.NATS_SERVER_BIN) return fromEnvironment(env.NATS_SERVER_BIN);

  const cached = inspect(join(cache, 'nats-server'));
  if (cached !== undefined && isTried(cached.version)) return chosen(cached, 'fetched earlier');

  const servers = serversIn(options.folders ?? searchFolders(env));
  const found = newestOf(servers.filter(({version}) => isTried(version)));
  if (found !== undefined && isAtLeast(found.version, versionWanted)) return chosen(found, 'found on this machine');

  const failures = [];
  for (const {name, fetch} of options.fetchers ?? fetchers()) {
    try {
      say(`nats-server: fetching it from ${name}`);
      const fetched = await underWay(say, 'nats-server: fetching', () => install(fetch, cache));
      return chosen(fetched, `fetched from ${name}`);
    } catch (error) {
      failures.push(`${name}: ${error.message}`);
    }
  }
  if (found !== undefined) {
    const warning = `WARNING: older than ${versionWanted}, erasure will be logical only${isAtLeast(found.version, '2.10.0') ? '' : ' and a power cut can lose events'}`;
    return chosen(found, `found on this machine; ${warning}`);
  }
  throw new SetupFault(remedies(newestOf(servers), failures));
}

/** Whether this machine can fetch a server from anywhere. */
export const canFetchNatsServer = () => fetchers().length > 0;

const fetchers = () => [...debianFetchers(), ...releaseFetchers()];

function fromEnvironment(path) {
  const server = inspect(path);
  if (server === undefined) throw new SetupFault(`NATS_SERVER_BIN=${path} is not a nats-server that runs here`);
  if (!isTried(server.version)) throw new SetupFault(`NATS_SERVER_BIN=${path} is version ${server.version}: ${needed}`);
  return chosen(server, 'named by NATS_SERVER_BIN');
}

const isTried = (version) => isAtLeast(version, versionMin) && !isAtLeast(version, versionUntried);
const needed = `${versionMin} or newer is needed, and older than ${versionUntried}, with which this Millrace was not tested`;

const chosen = ({path, version}, why) => ({path, version, line: `${version} at ${path} (${why})`});

function remedies(unfit, failures) {
  const why =
    unfit === undefined ? 'none is on this machine' : `the one at ${unfit.path} is ${unfit.version}, and ${needed}`;
  const tried = failures.length === 0 ? '' : ` Tried: ${failures.join('; ')}.`;
  const brew = process.platform === 'darwin' ? '`brew install nats-server`, or ' : '';
  return (
    `no nats-server: ${why}.${tried} Remedies: ${brew}put a release binary ` +
    '(https://github.com/nats-io/nats-server/releases) on PATH or name it in NATS_SERVER_BIN, ' +
    'or set NATS_URL to a running server, or use `docker compose up`.'
  );
}

// -- what is on this machine ------------------------------------------------------------------------------------------

function searchFolders(env) {
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin'];
}

const serversIn = (folders) =>
  [...new Set(folders)].map((folder) => inspect(join(folder, 'nats-server'))).filter((server) => server !== undefined);

/** The newest server; of equal ones the first. */
const newestOf = (servers) =>
  servers.reduce(
    (best, server) => (best !== undefined && isAtLeast(best.version, server.version) ? best : server),
    undefined,
  );

/** `{path, version}`; undefined when the file does not run or is no nats-server. */
function inspect(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch (error) {
    if (error.syscall === undefined) throw error;
    return undefined;
  }
  const {stdout} = spawnSync(path, ['--version'], {encoding: 'utf8', timeout: 20_000});
  const version = /nats-server: v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1];
  return version === undefined ? undefined : {path, version};
}

export function isAtLeast(version, floor) {
  const [have, need] = [version, floor].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (have[i] !== need[i]) return have[i] > need[i];
  return true;
}

// -- Debian's package, without root -----------------------------------------------------------------------------------

/** Debian's newest suite first, because its server runs on older releases, too; then the suite of this machine's release. */
export function debianFetchers(machine = readMachine()) {
  if (!machine.hasApt || machine.mirror === undefined) return [];
  const fetchers = [];
  if (machine.id === 'debian' && existsSync(debianKeyring)) {
    const source = `deb [signed-by=${debianKeyring}] ${machine.mirror} ${newestDebianSuite} main`;
    fetchers.push({
      name: `Debian ${newestDebianSuite} (${machine.mirror})`,
      fetch: (folder) => aptFetch(folder, source),
    });
  }
  const keyring = machine.id === 'ubuntu' ? ubuntuKeyring : debianKeyring;
  if (machine.suite !== undefined && machine.suite !== newestDebianSuite && existsSync(keyring)) {
    const components = machine.id === 'ubuntu' ? 'main universe' : 'main';
    const source = `deb [signed-by=${keyring}] ${machine.mirror} ${machine.suite} ${components}`;
    fetchers.push({name: `${machine.suite} (${machine.mirror})`, fetch: (folder) => aptFetch(folder, source)});
  }
  return fetchers;
}

function readMachine() {
  const release = readIfThere('/etc/os-release');
  const field = (name) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1];
  const likes = `${field('ID') ?? ''} ${field('ID_LIKE') ?? ''}`.split(' ');
  const id = likes.includes('ubuntu') ? 'ubuntu' : 'debian';
  const suite = field('UBUNTU_CODENAME') ?? field('VERSION_CODENAME');
  const hasApt = ['apt-get', 'dpkg-deb'].every((tool) => existsSync(`/usr/bin/${tool}`));
  return {hasApt, id, suite, mirror: mirrorOf(suite, aptSources())};
}

function aptSources() {
  const parts = '/etc/apt/sources.list.d';
  const names = existsSync(parts) ? readdirSync(parts).filter((name) => /\.(list|sources)$/.test(name)) : [];
  return [readIfThere('/etc/apt/sources.list'), ...names.map((name) => readIfThere(join(parts, name)))];
}

/** The address from which this machine takes `suite` itself (not its updates or security), in both formats of apt. */
export function mirrorOf(suite, sources) {
  for (const text of sources) {
    for (const line of text.split('\n')) {
      const [, uri, lineSuite] = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)/.exec(line) ?? [];
      if (uri !== undefined && lineSuite === suite) return uri.replace(/\/$/, '');
    }
    for (const stanza of text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/)) {
      const field = (name) => new RegExp(`^${name}:\\s*(.*)$`, 'mi').exec(stanza)?.[1].trim().split(/\s+/) ?? [];
      const enabled = field('Enabled')[0] !== 'no' && field('Types').includes('deb');
      if (enabled && field('Suites').includes(suite)) return field('URIs')[0]?.replace(/\/$/, '');
    }
  }
  return undefined;
}

const readIfThere = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Downloads and unpacks the package inside `folder`; returns the path of the binary. */
async function aptFetch(folder, source) {
  const sourceList = join(folder, 'sources.list');
  const statusFile = join(folder, 'status');
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), {recursive: true});
  writeFileSync(sourceList, `${source}\n`);
  writeFileSync(statusFile, '');
  // Only sources, state and cache are ours: the machine's apt.conf.d stays in force (proxies, certificates). Its pins do not:
  // they concern installation, and nothing is installed here.
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::lists': join(folder, 'state/lists'),
    'Dir::State::status': statusFile,
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::sourcelist': sourceList,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
    // As root, apt would drop to a user who cannot enter this folder.
    'APT::Sandbox::User': process.getuid?.() === 0 ? 'root' : '',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => (value === '' ? [] : ['-o', `${name}=${value}`]));
  const run = (program, ...words) => runProgram(program, words, {cwd: folder, timeout: aptMsMax});
  // apt-get's exit code includes hooks of the machine that may need root; the download shows whether the lists arrived.
  const update = await run('apt-get', ...options, '-q', 'update');
  const download = await run('apt-get', ...options, '-q', 'download', 'nats-server');
  if (download.code !== 0) throw new Error(lastLine(update.code === 0 ? download : update));
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  const unpacked = await run('dpkg-deb', '-x', archive, 'unpacked');
  if (unpacked.code !== 0) throw new Error(lastLine(unpacked));
  return join(folder, 'unpacked/usr/sbin/nats-server');
}

// -- the release of the NATS project ----------------------------------------------------------------------------------

/**
 * None for a machine that no checksum is known for. `base` stands for the address of the releases in tests.
 * @param {string} base
 * @param {{version: string, sha256: Record<string, string>}} pinned
 */
export function releaseFetchers(base = 'https://github.com/nats-io/nats-server/releases/download', pinned = release) {
  const machine = `${process.platform}-${{x64: 'amd64'}[process.arch] ?? process.arch}`;
  const sha256 = pinned.sha256[machine];
  if (sha256 === undefined) return [];
  const name = `nats-server-v${pinned.version}-${machine}`;
  const url = `${base}/v${pinned.version}/${name}.tar.gz`;
  return [
    {
      name: `its release ${pinned.version} (${new URL(url).host})`,
      fetch: (folder) => releaseFetch(folder, url, name, sha256),
    },
  ];
}

async function releaseFetch(folder, url, name, sha256) {
  const archive = join(folder, 'release.tar.gz');
  const bytes = await download(url);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`what ${url} holds has the SHA-256 ${found} and not ${sha256}`);
  writeFileSync(archive, bytes);
  const {code, error, stderr} = await runProgram('tar', ['-xzf', archive, '-C', folder]);
  if (code !== 0) throw new Error(error?.message ?? stderr.trim());
  return join(folder, name, 'nats-server');
}

async function download(url) {
  let response;
  try {
    response = await fetch(url, {signal: AbortSignal.timeout(downloadMsMax)});
  } catch (error) {
    throw new Error(error.cause?.message ?? error.message, {cause: error}); // fetch itself only says "fetch failed".
  }
  if (!response.ok) throw new Error(`${url} was answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

// -- what was fetched -------------------------------------------------------------------------------------------------

/** Moves a fetched binary into the cache once it is known to run: by a rename, so nobody sees half a file. */
async function install(fetch, cache) {
  mkdirSync(cache, {recursive: true});
  const work = mkdtempSync(join(cache, 'fetch-'));
  try {
    const server = inspect(await fetch(work));
    if (server === undefined) throw new Error('the fetched nats-server does not run on this machine');
    if (!isTried(server.version)) throw new Error(`it has ${server.version}, and ${needed}`);
    const ready = join(work, 'ready');
    copyFileSync(server.path, ready);
    chmodSync(ready, 0o755);
    const path = join(cache, 'nats-server');
    renameSync(ready, path);
    return {path, version: server.version};
  } finally {
    rmSync(work, {recursive: true, force: true});
  }
}

/** Reason of a failure of apt: the last line that it marks as an error. */
function lastLine({error, stderr, code}) {
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => /^[EW]:/.test(line));
  return lines.at(-1) ?? error?.message ?? `it ended with ${code ?? 'a signal: it took too long'}`;
}

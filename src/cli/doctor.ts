// `millrace doctor`: checks whether this machine can run the service. One line for each check: `ok`, `warn` (the service runs,
// with less) or `bad` (it does not start), and for the last two what to do. Exit code 1 if something is bad.
import {spawnSync} from 'node:child_process';
import {existsSync, statfsSync} from 'node:fs';
import {freemem} from 'node:os';
import {dirname} from 'node:path';
import {type Config, readConfig} from '../config.js';
import {checkDataDir} from '../data-dir.js';
import {watermarksOf} from '../disk-space.js';
import {openFilesMax} from '../edge/http/connections.js';
import {loadTransport} from '../edge/http/load.js';
import {memoryDoubt, memoryLimitBytes} from '../memory-plan.js';
import {StartFault} from '../start-fault.js';
import {version} from '../version.js';
import {checkKernels} from '../web-assembly.js';

type Finding = readonly ['ok' | 'warn' | 'bad', string];

/** Releases with long-term support that has not ended. */
const supportedNodes = [22, 24, 26];
const fewFiles = 4_096;
const mib = 1_048_576;
const memoryMin = 512 * mib;
/** Environment, and the fault of `millrace`'s search for a nats-server if it found none. */
const {NATS_SERVER_FAULT: natsServerFault, ...environment} = process.env;

const findings = [
  node(),
  libc(),
  looked('WebAssembly with SIMD', checkKernels),
  http(),
  ...configured(),
  files(),
  memory(),
];
process.stdout.write(`millrace ${version}\n`);
for (const [state, text] of findings) process.stdout.write(`${state.padEnd(5)}${text}\n`);
if (findings.some(([state]) => state === 'bad')) process.exitCode = 1;

function node(): Finding {
  const {node: here} = process.versions;
  const isSupported = supportedNodes.includes(Number(here.split('.')[0]));
  return isSupported
    ? ['ok', `Node ${here}`]
    : ['warn', `Node ${here} gets no more fixes, or has no long-term support: ${supportedNodes.join(', ')} have`];
}

function libc(): Finding {
  if (process.platform !== 'linux') return ['ok', `${process.platform} ${process.arch}`];
  const {header} = process.report.getReport() as {header: {glibcVersionRuntime?: string}};
  return header.glibcVersionRuntime === undefined
    ? ['warn', 'this libc is not glibc: HTTP is served by node:http, at more CPU']
    : ['ok', `glibc ${header.glibcVersionRuntime}`];
}

function http(): Finding {
  let warning: string | undefined;
  const {name} = loadTransport({warn: (_: unknown, text?: string) => void (warning = text)});
  return warning === undefined ? ['ok', `HTTP server: ${name}`] : ['warn', warning];
}

/** Checks of things that the configuration names. */
function configured(): Finding[] {
  const result = readConfig(environment);
  if (result.kind === 'bad') return [['bad', result.line]];
  const {config, misspelt} = result;
  const doubts = misspelt.map(
    ({name, nearest}): Finding => ['warn', `${name} has no effect: did you mean ${nearest}?`],
  );
  const isOwn = config.nats.kind === 'embedded';
  return [
    ...doubts,
    natsServer(isOwn),
    dataFolder(config.dataDir),
    ...memoryBounds(config),
    ...(isOwn ? [disk(config.dataDir, config.partitions)] : []),
  ];
}

function memoryBounds(config: Config): Finding[] {
  const doubt = memoryDoubt(config, memoryLimitBytes());
  return doubt === undefined ? [] : [['warn', doubt]];
}

function natsServer(isOwn: boolean): Finding {
  if (!isOwn) return ['ok', 'nats-server: NATS_URL names one'];
  const path = environment.NATS_SERVER_BIN;
  if (path === undefined) return ['bad', natsServerFault ?? 'no nats-server: set NATS_SERVER_BIN or NATS_URL'];
  const {stdout} = spawnSync(path, ['--version'], {encoding: 'utf8'});
  const [, found] = /v(\d+\.\d+\.\d+)/.exec(stdout ?? '') ?? [];
  return found === undefined
    ? ['bad', `${path} is not a nats-server that runs here`]
    : ['ok', `nats-server ${found} (${path})`];
}

function dataFolder(dataDir: string): Finding {
  if (!existsSync(dataDir)) return ['ok', `DATA_DIR ${dataDir} will be made`];
  return looked(`DATA_DIR ${dataDir}`, () => checkDataDir(dataDir));
}

/** Runs a check that a start makes, too. */
function looked(name: string, check: () => void): Finding {
  try {
    check();
    return ['ok', name];
  } catch (error) {
    if (!(error instanceof StartFault)) throw error;
    return ['bad', error.message];
  }
}

/** Checks the disk of the folder, or of its nearest existing parent. */
function disk(dataDir: string, partitions: number): Finding {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const {bavail, blocks, bsize} = statfsSync(folder);
  const [freeBytes, {acceptBytes}] = [bavail * bsize, watermarksOf(partitions, blocks * bsize)];
  const text = `${Math.floor(freeBytes / mib)} MiB are free on the disk of DATA_DIR`;
  return freeBytes >= acceptBytes
    ? ['ok', text]
    : ['bad', `${text}: ${Math.ceil(acceptBytes / mib)} are needed to take events`];
}

function files(): Finding {
  const max = openFilesMax();
  return max >= fewFiles
    ? ['ok', `${max} open files are allowed`]
    : ['warn', `only ${max} open files are allowed: ulimit -n ${fewFiles}`];
}

function memory(): Finding {
  const bytes = freemem();
  const text = `${Math.floor(bytes / mib)} MiB of memory are free`;
  return bytes >= memoryMin
    ? ['ok', text]
    : ['warn', `${text}: the service takes some ${memoryMin / mib} with the default MEMORY_CACHE_MIB`];
}

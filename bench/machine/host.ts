// Conditions of a figure besides the code: the machine, its file system, and the versions of all contenders.

import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {cpus, release, tmpdir, totalmem} from 'node:os';
import {fileURLToPath} from 'node:url';
import {version} from '../../src/version.js';
import {postgresProgram} from './postgres-programs.js';

const historyFile = 'bench/history.ndjson';
const changedFilesMax = 100;
const root = fileURLToPath(new URL('../../..', import.meta.url));

export function host() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryMib: Math.round(totalmem() / 2 ** 20),
    kernel: `${process.platform} ${release()} ${process.arch}`,
    dataFilesystem: filesystemOf(tmpdir()),
  };
}

/** Versions; null: not installed. */
export function versions() {
  const {NATS_SERVER_BIN} = process.env;
  const postgres = postgresProgram('postgres');
  return {
    millrace: version,
    commit: output('git', ['-C', root, 'rev-parse', 'HEAD']),
    /** Files changed since that commit: another checkout does not have them. The history of runs changes with each one. */
    changed: changedFiles(),
    node: process.version,
    natsServer: output(NATS_SERVER_BIN ?? 'nats-server', ['--version']),
    postgres: postgres === null ? null : output(postgres, ['--version']),
    uWebSockets: packageVersion('uWebSockets.js'),
    duckdb: packageVersion('@duckdb/node-api'),
    fastify: packageVersion('fastify'),
  };
}

function changedFiles(): string | null {
  const words = ['-C', root, 'status', '--porcelain', '--untracked-files=no', '--', '.', `:!${historyFile}`];
  return output('git', words)?.split('\n').slice(0, changedFilesMax).join('\n') ?? null;
}

function output(command: string, args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();
  } catch (error) {
    if (error instanceof Error && 'status' in error) return null; // The program does not exist, or it failed.
    throw error;
  }
}

function packageVersion(name: string): string | null {
  const load = createRequire(import.meta.url);
  const packages = ['package.json', 'tools/package.json'].map(
    (file) => load(`${root}/${file}`) as {readonly dependencies: Readonly<Record<string, string>>},
  );
  return packages.map(({dependencies}) => dependencies[name]).find((version) => version !== undefined) ?? null;
}

/**
 * Type and options of the mount that holds the folder: the longest mount point that is a prefix of its path. Options that name
 * paths, such as the layers of a container, are left out: they change nothing and differ on every machine.
 */
function filesystemOf(folder: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [device: string, point: string, type: string, options: string])
    .filter(([, point]) => point === '/' || folder === point || folder.startsWith(`${point}/`))
    .sort(([, left], [, right]) => left.length - right.length);
  const [, , type, options] = mounts.at(-1) ?? ['', '', 'unknown', ''];
  return `${type} (${options
    .split(',')
    .filter((option) => !option.includes('/'))
    .join()})`;
}

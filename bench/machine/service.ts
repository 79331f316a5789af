// The service under test: the compiled program with its own nats-server, in its own folder, on a free port.

import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {monotonicMs} from '../../src/clock.js';
import {nodeFlags} from '../../src/node-flags.js';
import type {BenchOptions} from '../options.js';
import type {Target} from './target.js';

export interface BenchService extends Target {
  readonly pid: number;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly covers: (wallMs: number) => Promise<boolean>;
}

export const writeKey = 'sk_write_benchWriteKey00000000001';
export const secretKey = 'sk_live_benchSecretKey00000000001';
export const adminToken = 'admin-token-of-the-bench';

const program = fileURLToPath(new URL('../../service/main.js', import.meta.url));
/** The same, not bundled: what is imported before it may replace functions of its modules. */
const programOfModules = fileURLToPath(new URL('../../src/main.js', import.meta.url));
/** Ends it when the benchmark is killed. */
const ownerWatch = ['--import', new URL('../probe/owner-watch.js', import.meta.url).href];
/** Long enough to fold ten million events on a busy machine. */
const startMsMax = 300_000;
const pollMs = 50;

export interface ServiceSettings {
  /** On top of the defaults below. */
  readonly env: Readonly<Record<string, string>>;
  /** CPU profiles of all threads are written into this folder when the service stops; null: none, as profiling costs. */
  readonly profileFolder: string | null;
  /** A store that outlives the service; without one it has its own, which goes with it. */
  readonly dataDir?: string;
  /** `listening`: do not wait until it is ready, which one without all roles never is. */
  readonly awaits?: 'ready' | 'listening';
  /** Arguments of Node. With any of them the service runs from single modules. */
  readonly nodeArguments?: readonly string[];
  /** Gets each line that the service logs; what it says on its own is up to LOG_LEVEL. */
  readonly onLog?: (line: LogLine) => void;
}

/** What every line has; the rest depends on what it says. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  /** ISO 8601. */
  readonly time: string;
  readonly msg: string;
}

/** Variables of the service that stand on the command line. */
export const envOf = ({partitions, refreshSeconds}: Pick<BenchOptions, 'partitions' | 'refreshSeconds'>) => ({
  PARTITIONS: String(partitions),
  REPORT_REFRESH_SECONDS: String(refreshSeconds),
});

/** Resolves once it is ready. Rate limits are off: the machine is the limit to be measured. */
export async function startService({
  env,
  profileFolder,
  dataDir: kept,
  awaits = 'ready',
  nodeArguments = [],
  onLog,
}: ServiceSettings): Promise<BenchService> {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const {PATH, NATS_SERVER_BIN} = process.env;
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const started = nodeArguments.length === 0 ? program : programOfModules;
  const child = spawn(process.execPath, [...nodeFlags, ...profiling, ...ownerWatch, ...nodeArguments, started], {
    env: {
      PATH,
      NATS_SERVER_BIN,
      PORT: '0',
      DATA_DIR: dataDir,
      BOOTSTRAP_WRITE_KEY: writeKey,
      BOOTSTRAP_SECRET_KEY: secretKey,
      ADMIN_TOKEN: adminToken,
      RATE_LIMIT_EVENTS_PER_SECOND: '0',
      RATE_LIMIT_READS_PER_MINUTE: '0',
      RATE_LIMIT_DELETES_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const printed = collect(child);
  if (onLog !== undefined) createInterface(child.stderr!).on('line', (line) => tellLog(line, onLog));
  const stop = async (): Promise<void> => {
    await stopChild(child);
    if (kept !== undefined) return;
    rmSync(dataDir, {recursive: true, force: true});
    rmSync(`${dataDir}-deletions`, {recursive: true, force: true});
  };
  try {
    const baseUrl = await untilStarted(child, dataDir, printed, awaits);
    const {hostname, port} = new URL(baseUrl);
    const covers = (wallMs: number): Promise<boolean> => reportsCover(baseUrl, wallMs);
    return {baseUrl, dataDir, host: hostname, port: Number(port), pid: child.pid!, covers, stop};
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-10_000);
    });
  }
  return () => text;
}

/** Anything else on stderr (Node's own warnings) is no log. */
function tellLog(line: string, onLog: (line: LogLine) => void): void {
  try {
    onLog(JSON.parse(line) as LogLine);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

async function untilStarted(
  child: ChildProcess,
  dataDir: string,
  printed: () => string,
  awaits: 'ready' | 'listening',
): Promise<string> {
  const endMs = monotonicMs() + startMsMax;
  while (monotonicMs() < endMs) {
    if (child.exitCode !== null) throw new Error(`the service ended while starting:\n${printed()}`);
    const baseUrl = readBaseUrl(join(dataDir, 'service.json'), child.pid!);
    if (baseUrl !== null && (awaits === 'listening' || (await isReady(baseUrl)))) return baseUrl;
    await pause(pollMs);
  }
  throw new Error(`the service was not ready after ${startMsMax / 1_000} s:\n${printed()}`);
}

/** Null: none of this process. In a folder that is in use lies that of another one, which must not be measured as ours. */
function readBaseUrl(path: string, pid: number): string | null {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as {baseUrl: string; pid: number};
    return note.pid === pid ? note.baseUrl : null;
  } catch {
    return null; // Not written yet, or half written: the next poll sees it.
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).status === 200;
  } catch {
    return false; // Not listening yet.
  }
}

/** By the age that every report tells; one about an event that never happened costs next to nothing. */
async function reportsCover(baseUrl: string, wallMs: number): Promise<boolean> {
  const path = '/v1/reports/events?event=never_happened&from=2024-01-01&to=2024-01-01&interval=day';
  const answer = await fetch(baseUrl + path, {headers: {authorization: `Bearer ${secretKey}`}});
  await answer.arrayBuffer();
  return Date.parse(answer.headers.get('report-as-of') ?? '') >= wallMs;
}

// The service under test: the compiled program with its own nats-server, in its own folder, on a free port.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {ask} from '../../tools/http-client.js';
import {ServiceProcess, secretKey} from '../../tools/service-process.js';
import type {BenchOptions} from '../options.js';
import type {Target} from './target.js';

export {adminToken, secretKey, writeKey} from '../../tools/service-process.js';

export interface BenchService extends Target {
  readonly pid: number;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly covers: (wallMs: number) => Promise<boolean>;
}

/** Ends the service when the benchmark is killed. */
const ownerWatch = ['--import', new URL('../probe/owner-watch.js', import.meta.url).href];
/** Long enough to fold ten million events on a busy machine. */
const startMsMax = 300_000;

export interface ServiceSettings {
  /** Added to the defaults below. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder for CPU profiles of all threads, written when the service stops; null: no profiling, which costs time. */
  readonly profileFolder: string | null;
  /** A store that outlives the service; absent: it has its own, which is removed after it. */
  readonly dataDir?: string;
  /** `listening`: does not wait until it is ready, which a service without all roles never is. */
  readonly awaits?: 'ready' | 'listening';
  /** Arguments of Node. With any of them the service runs from single modules. */
  readonly nodeArguments?: readonly string[];
  /** Receives each log line of the service; LOG_LEVEL decides which there are. */
  readonly onLog?: (line: LogLine) => void;
}

/** Fields of every log line; other fields depend on the message. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  /** ISO 8601. */
  readonly time: string;
  readonly msg: string;
}

/** Variables of the service that the command line sets. */
export const envOf = ({partitions, refreshSeconds}: Pick<BenchOptions, 'partitions' | 'refreshSeconds'>) => ({
  PARTITIONS: String(partitions),
  REPORT_REFRESH_SECONDS: String(refreshSeconds),
});

/** Starts the service; resolves once it is ready. Rate limits are off: the limit of the machine is measured. */
export async function startService({
  env,
  profileFolder,
  dataDir: kept,
  awaits = 'ready',
  nodeArguments = [],
  onLog,
}: ServiceSettings): Promise<BenchService> {
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const service = new ServiceProcess({
    dataDir,
    env,
    program: nodeArguments.length === 0 ? 'bundle' : 'modules',
    nodeArguments: [...profiling, ...ownerWatch, ...nodeArguments],
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (onLog !== undefined) createInterface(service.child.stderr!).on('line', (line) => tellLog(line, onLog));
  const stop = async (): Promise<void> => {
    await service.end('SIGTERM');
    if (kept !== undefined) return;
    rmSync(dataDir, {recursive: true, force: true});
    rmSync(`${dataDir}-deletions`, {recursive: true, force: true});
  };
  try {
    const {baseUrl} = await service.ready({awaits, msMax: startMsMax});
    const {hostname, port} = new URL(baseUrl);
    const covers = (wallMs: number): Promise<boolean> => reportsCover(baseUrl, wallMs);
    return {baseUrl, dataDir, host: hostname, port: Number(port), pid: service.pid, covers, stop};
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Any other text on stderr (Node's own warnings) is no log line. */
function tellLog(line: string, onLog: (line: LogLine) => void): void {
  try {
    onLog(JSON.parse(line) as LogLine);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Whether reports include this time, by the age in an answer; a report of an event that never happened costs next to nothing. */
async function reportsCover(baseUrl: string, wallMs: number): Promise<boolean> {
  const path = '/v1/reports/events?event=never_happened&from=2024-01-01&to=2024-01-01&interval=day';
  const {headers} = await ask(baseUrl + path, {key: secretKey});
  return Date.parse(String(headers['report-as-of'])) >= wallMs;
}

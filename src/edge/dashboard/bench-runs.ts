// Runs of the benches, for the pages that compare them: lines of the tracked history, and result files.
//   BN1. A request makes the service look at the files, at most every 10 s; it reads those that changed.
//   BN2. This thread takes events, too. It parses a run without its report (bench-run.ts, BR2), and ends its turn after a few.
//   BN3. A damaged line or file is reported with its place, and affects no other run.
//   BN4. A result file is the same run as its line of the history, and has its report: it replaces the line.
import {createHash} from 'node:crypto';
import {open, readdir, readFile, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {setImmediate as turnEnd} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {benchRun, headOfResult, type RunProblem, runId} from '../../bench-run.js';
import {jsonOrUndefined} from '../../json.js';
import {type Failure, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {SharedAnswer} from '../http/shared-answer.js';
import {name, required} from '../query/parameters.js';
import {noParameters, readQuery} from '../query/query.js';

const benchFolder = fileURLToPath(new URL('../../../../bench/', import.meta.url));
export const projectHistoryPath = join(benchFolder, 'history.ndjson');
export const projectResultsFolder = join(benchFolder, 'results');

const lookAgainMs = 10_000;
const fileBytesMax = 8 * 1_048_576;
const headBytesMax = 65_536;
/** The newest files. */
const resultFilesMax = 300;
const runsListedMax = 300;
const problemsMax = 50;
const linesATurn = 20;

interface FoundRun {
  readonly id: string;
  readonly time: string;
  /** The run as the list shows it. */
  readonly text: string;
  /** Path of the result file, which has the report. */
  readonly path?: string;
}

interface Found {
  readonly runs: readonly FoundRun[];
  readonly problems: readonly RunProblem[];
}

interface Listed {
  readonly body: string;
  readonly etag: string;
  readonly byId: ReadonlyMap<string, FoundRun>;
}

interface BenchRunSources {
  readonly historyPath: string;
  readonly resultsFolder: string;
  readonly monotonicMs: () => number;
}

const nothing: Found = {runs: [], problems: []};

export class BenchRuns {
  private readonly listed: SharedAnswer<Listed>;
  /** Runs by path, valid while size and time of the file stay the same. */
  private known = new Map<string, {readonly stamp: string; readonly found: Found}>();

  constructor(private readonly sources: BenchRunSources) {
    this.listed = new SharedAnswer(lookAgainMs, sources.monotonicMs, () => this.look()); // BN1
  }

  readonly readRuns = async (_: Front, exchange: Exchange): Promise<void> => {
    readQuery(exchange.query, noParameters);
    const {body, etag} = await this.listed.get();
    const headers = [['ETag', etag]] as const;
    if (exchange.ifNoneMatch === etag) exchange.answer('304 Not Modified', undefined, '', headers);
    else exchange.json('200 OK', body, headers);
  };

  /** The whole result file, or the line of a run that only the history has. */
  readonly readRun = async (_: Front, exchange: Exchange): Promise<void> => {
    const {id} = readQuery(exchange.query, runForm);
    const run = (await this.listed.get()).byId.get(id);
    if (run === undefined) throw new RequestFailure(unknownRun);
    const bytes = run.path === undefined ? run.text : await readFile(run.path).catch(() => run.text);
    exchange.answer('200 OK', 'application/json', bytes);
  };

  private async look(): Promise<Listed> {
    const before = this.known;
    this.known = new Map();
    const {historyPath, resultsFolder} = this.sources;
    const founds = [await this.foundIn(historyPath, before, readHistory)];
    for (const file of await resultFiles(resultsFolder)) {
      founds.push(await this.foundIn(join(resultsFolder, file), before, readResult));
    }
    return listOf(founds);
  }

  private async foundIn(
    path: string,
    before: BenchRuns['known'],
    read: (path: string, size: number) => Promise<Found>,
  ): Promise<Found> {
    try {
      const {size, mtimeMs} = await stat(path);
      const stamp = `${size} ${mtimeMs}`;
      const known = before.get(path);
      const found =
        known?.stamp === stamp
          ? known.found
          : size > fileBytesMax
            ? problem(path, `has more than ${fileBytesMax / 1_048_576} MiB`)
            : await read(path, size);
      this.known.set(path, {stamp, found});
      return found;
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? nothing : problem(path, `cannot be read: ${code ?? (error as Error).message}`); // BN3
    }
  }
}

const runForm = {id: required(name, {description: 'Id of a run, as the list of runs has it.'})};
const unknownRun: Failure = {code: 'not_found', message: 'no such run'};

/** Files named as benches name them (bench-run.ts, BR3): the newest ones, oldest first. */
async function resultFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const timeOf = (file: string): string => file.slice(file.indexOf('-'));
  return names
    .filter((file) => /^[a-z]+-\d{4}-\d\d-\d\dT[\d-]+Z\.json$/.test(file))
    .sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .slice(-resultFilesMax);
}

async function readHistory(path: string): Promise<Found> {
  const runs: FoundRun[] = [];
  const problems: RunProblem[] = [];
  const lines = (await readFile(path, 'utf8')).split('\n');
  for (const [at, line] of lines.entries()) {
    if (at % linesATurn === linesATurn - 1) await turnEnd(); // BN2
    if (line === '') continue;
    const found = foundRun(line, `${basename(path)}, line ${at + 1}`);
    runs.push(...found.runs);
    problems.push(...found.problems);
  }
  return {runs, problems};
}

async function readResult(path: string, size: number): Promise<Found> {
  await turnEnd(); // BN2
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(Math.min(size, headBytesMax));
    const {bytesRead} = await file.read(bytes, 0, bytes.length, 0);
    const head = headOfResult(bytes.toString('utf8', 0, bytesRead));
    if (head === undefined)
      return problem(path, `is cut, or no result file: no report begins in its first ${headBytesMax / 1_024} KiB`);
    return foundRun(head, basename(path), path);
  } finally {
    await file.close();
  }
}

/** A run without figures, or of the small form, shows nothing. */
function foundRun(text: string, place: string, path?: string): Found {
  const value = jsonOrUndefined(text);
  if (value === undefined) return problem(place, 'is not JSON');
  // A run from before benches wrote figures.
  if (value !== null && typeof value === 'object' && !('figures' in value)) return nothing;
  const {success, data: run, error} = benchRun.safeParse(value);
  if (!success) {
    const {path, message} = error.issues[0]!;
    return problem(place, `is no run: ${path.join('.')} ${message}`);
  }
  if (run.figures.length === 0 || run.options.isSmall) return nothing;
  const id = runId(run);
  return {
    runs: [{id, time: run.time, text: JSON.stringify({id, ...run}), ...(path === undefined ? {} : {path})}],
    problems: [],
  };
}

const problem = (path: string, why: string): Found => ({runs: [], problems: [{place: basename(path), why}]});

function listOf(founds: readonly Found[]): Listed {
  const byId = new Map(founds.flatMap(({runs}) => runs).map((run) => [run.id, run])); // BN4: files come after the history.
  const all = [...byId.values()].sort((a, b) => (a.time < b.time ? -1 : 1));
  const runs = all.slice(-runsListedMax);
  const problems = founds.flatMap((found) => found.problems).slice(0, problemsMax);
  const body = `{"runs":[${runs.map(({text}) => text).join()}],"left_off":${all.length - runs.length},"problems":${JSON.stringify(problems)}}`;
  return {body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`, byId};
}

// Lines of a whole export: all events, then the traits of all known users, from a running service.
//   XL1. The events are those of one position. The traits are read after them, so they are of the same position or a later one.
//   XL2. An export that is cut, or fails, ends with an ExportFault: no end of it looks whole.

import {jsonOrUndefined} from '../../json.js';
import {LineSplitter} from '../import/lines.js';

/** The message is a sentence for the operator. */
export class ExportFault extends Error {
  override name = 'ExportFault';
}

/** What the export reads: an answer of status 200, or an ExportFault. */
export type Get = (path: string) => Promise<Response>;

const pageUsers = 1_000;
/** Each publication of reports may end a listing of users; a publication takes 5 seconds at least. */
const listingsMax = 20;

export interface Exported {
  events: number;
  users: number;
  /** `Report-As-Of` of the events: later ones are not exported. */
  asOf: string;
}

/** Yields pieces of the file; `exported` counts them. @throws ExportFault */
export async function* exportedLines(get: Get, exported: Exported): AsyncGenerator<Buffer | string> {
  yield* eventLines(get, exported);
  yield* profileLines(get, exported);
  yield `{"end":true,"events":${exported.events},"users":${exported.users}}\n`;
}

async function* eventLines(get: Get, exported: Exported): AsyncGenerator<Buffer> {
  const answer = await get('/v1/export');
  exported.asOf = answer.headers.get('report-as-of') ?? '';
  const splitter = new LineSplitter();
  let end: string | undefined;
  for await (const chunk of chunksOf(answer)) {
    const events: Buffer[] = [];
    for (const {bytes} of splitter.take(chunk)) {
      if (bytes === null) throw new ExportFault('A line of the export is longer than any event.');
      // Every event begins with its id.
      if (bytes.subarray(0, 6).toString('latin1') === '{"id":') events.push(bytes, newline);
      else end = bytes.toString('utf8');
    }
    exported.events += events.length / 2;
    if (events.length > 0) yield Buffer.concat(events);
  }
  const last = jsonOrUndefined(end ?? '') as {end?: true; events?: number; error?: {message: string}} | undefined;
  if (last?.error !== undefined) throw new ExportFault(`The export failed: ${last.error.message}. Run it again.`);
  if (last?.end !== true || last.events !== exported.events) throw new ExportFault('The export was cut. Run it again.');
}

/** XL2 */
async function* chunksOf(answer: Response): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of answer.body!) yield Buffer.from(chunk);
  } catch (cause) {
    throw new ExportFault('The export was cut. Run it again.', {cause});
  }
}

const newline = Buffer.from('\n');

interface UserPage {
  readonly data: readonly {readonly kind: string}[];
  readonly next_cursor: string | null;
}

/** Pages of users fit together at one position, which the service keeps until the next publications. */
async function* profileLines(get: Get, exported: Exported): AsyncGenerator<string> {
  for (let listing = 1; ; listing++) {
    const lines = await profilesOfOnePosition(get);
    if (lines !== undefined) {
      exported.users = lines.length;
      yield lines.join('');
      return;
    }
    if (listing === listingsMax)
      throw new ExportFault('The users change faster than they can be listed. Run it again.');
  }
}

/** Undefined if the position of the first page is no longer kept. */
async function profilesOfOnePosition(get: Get): Promise<string[] | undefined> {
  const lines: string[] = [];
  let query = `limit=${pageUsers}`;
  for (;;) {
    const answer = await get(`/v1/users?${query}`);
    if (answer.status === 410) return undefined;
    const {data, next_cursor: cursor} = (await answer.json()) as UserPage;
    for (const user of data) if (user.kind === 'user') lines.push(`${JSON.stringify({profile: user})}\n`);
    if (cursor === null) return lines;
    const position = answer.headers.get('report-log-position') ?? '';
    query = new URLSearchParams({limit: String(pageUsers), cursor, at: position}).toString();
  }
}

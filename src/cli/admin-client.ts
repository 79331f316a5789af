// Client of the admin routes of the service that runs on a DATA_DIR.

import {resolve} from 'node:path';
import {commandLine} from '../command-line.js';
import {readServiceNote, type ServiceNote} from '../data-dir.js';

/** No service runs, or it refused; the message is a sentence for the operator. */
export class AdminFault extends Error {}

const answerMsMax = 10_000;

export class AdminClient {
  constructor(private readonly note: Pick<ServiceNote, 'adminUrl' | 'token' | 'pid'>) {}

  /** @throws AdminFault when no service left its note there. `otherwise`: another thing that the operator may do. */
  static of(dataDir: string, otherwise = 'set DATA_DIR'): AdminClient {
    return new AdminClient(noteOf(dataDir, otherwise));
  }

  get adminUrl(): string {
    return this.note.adminUrl;
  }

  async ask<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const answer = await this.send(method, path, body);
    const value = (await answer.json().catch((cause: Error) => {
      throw new AdminFault(`The server at ${this.note.adminUrl} is not Millrace: ${cause.message}.`, {cause});
    })) as Answer & {error?: {message: string}};
    if (!answer.ok)
      throw new AdminFault(`The service refused (${answer.status}): ${value.error?.message ?? answer.statusText}.`);
    return value;
  }

  private async send(method: string, path: string, body: object | undefined): Promise<Response> {
    const {adminUrl, token, pid} = this.note;
    try {
      return await fetch(adminUrl + path, {
        method,
        headers: {authorization: `Bearer ${token}`, 'content-type': 'application/json'},
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(answerMsMax),
      });
    } catch (cause) {
      // A killed service leaves its note.
      throw new AdminFault(`The service at ${adminUrl} (process ${pid}) does not answer. Is it running?`, {cause});
    }
  }
}

/** @throws AdminFault when no service left its note in `dataDir`. */
export function noteOf(dataDir: string, otherwise: string): ServiceNote {
  const note = noteIfThere(dataDir);
  if (note !== undefined) return note;
  throw new AdminFault(
    `No service runs on ${resolve(dataDir)} (no service.json there). Start one with "${commandLine('serve')}", or ${otherwise}.`,
  );
}

/** @throws AdminFault when the note cannot be read. */
export function noteIfThere(dataDir: string): ServiceNote | undefined {
  try {
    return readServiceNote(dataDir);
  } catch (cause) {
    throw new AdminFault(`${(cause as Error).message}.`, {cause});
  }
}

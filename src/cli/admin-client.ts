// The admin routes of the service that runs on a DATA_DIR.

import {resolve} from 'node:path';
import {commandLine} from '../../command-line.js';
import {readServiceNote, type ServiceNote} from '../../data-dir.js';

/** No service, or it refused; the message is a sentence for the operator. */
export class AdminFault extends Error {}

const answerMsMax = 10_000;

export class AdminClient {
  private readonly note: ServiceNote;

  private constructor(note: ServiceNote) {
    this.note = note;
  }

  /** @throws AdminFault when no service left its note there. */
  static of(dataDir: string): AdminClient {
    const note = readNote(dataDir);
    if (note !== undefined) return new AdminClient(note);
    throw new AdminFault(
      `No service runs on ${resolve(dataDir)} (no service.json there). Start one with "${commandLine('serve')}", or set DATA_DIR.`,
    );
  }

  get adminUrl(): string {
    return this.note.adminUrl;
  }

  async ask<Answer>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const answer = await this.send(method, path, body);
    const value = (await answer.json().catch((cause: Error) => {
      throw new AdminFault(`What answers at ${this.note.adminUrl} is no Millrace: ${cause.message}.`, {cause});
    })) as Answer & {error?: {message: string}};
    if (!answer.ok) throw new AdminFault(`The service refused: ${value.error?.message ?? answer.statusText}.`);
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
      // A killed service leaves its note behind.
      throw new AdminFault(`The service at ${adminUrl} (process ${pid}) does not answer. Is it running?`, {cause});
    }
  }
}

function readNote(dataDir: string): ServiceNote | undefined {
  try {
    return readServiceNote(dataDir);
  } catch (cause) {
    throw new AdminFault(`${(cause as Error).message}.`, {cause});
  }
}

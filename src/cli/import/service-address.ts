// Which service the events go to, and with which key.
//   A1. A key that the import made for itself is revoked when the import ends, however it ends.

import {hash} from 'node:crypto';
import {resolve} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {commandLine} from '../../command-line.js';
import {readServiceNote, type ServiceNote} from '../../data-dir.js';

export interface AddressOptions {
  /** `--url`; null: the service that runs on `dataDir`. */
  readonly url: string | null;
  /** `--key` or the environment; null: a temporary key, made with the token that the service left in `dataDir`. */
  readonly key: string | null;
  readonly dataDir: string;
  /** Of the temporary key; absent: `import`. */
  readonly keyName?: string;
}

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly key: string;
  /** Tells services and keys apart without showing them; the same at the next run of the same service. */
  readonly target: string;
  /** A1. */
  release(): Promise<void>;
}

/** No service, no key, or no permission; the message is a sentence for the operator. */
export class AddressFault extends Error {
  override name = 'AddressFault';
}

const answerMsMax = 10_000;
/** From a service that listens to its note. */
const restartMsMax = 3_000;

export async function findService(options: AddressOptions): Promise<ServiceAddress> {
  const note = readNote(options.dataDir);
  if (options.url === null && note === undefined) {
    throw new AddressFault(
      `No service runs on ${resolve(options.dataDir)} (no service.json there). Start one with "${commandLine('serve')}", or name one with --url.`,
    );
  }
  const baseUrl = withoutTrailingSlash(options.url ?? note!.baseUrl);
  await assertAnswers(baseUrl);
  const place = options.url === null ? resolve(options.dataDir) : baseUrl;
  if (options.key !== null) {
    return {baseUrl, key: options.key, target: targetOf(place, options.key), release: async () => {}};
  }
  if (note === undefined || withoutTrailingSlash(note.baseUrl) !== baseUrl) {
    throw new AddressFault(`Give a write key for ${baseUrl}: --key sk_write_..., MILLRACE_KEY or MILLRACE_KEY_FILE.`);
  }
  const {token, deployment} = note;
  const {id, key} = await createKey(note.adminUrl, token, options.keyName ?? 'import');
  const release = (): Promise<void> => releaseKey(options.dataDir, note, id);
  return {baseUrl, key, target: targetOf(place, deployment), release};
}

function readNote(dataDir: string): ServiceNote | undefined {
  try {
    return readServiceNote(dataDir);
  } catch (cause) {
    throw new AddressFault(`${(cause as Error).message}.`, {cause});
  }
}

/** An address that nobody listens on is refused at once; waiting for a service is for one that was there. */
async function assertAnswers(baseUrl: string): Promise<void> {
  try {
    // Any answer will do: health checks may have a port of their own.
    await fetch(`${baseUrl}/healthz`, {signal: AbortSignal.timeout(answerMsMax)});
  } catch (error) {
    throw new AddressFault(`No service answers at ${baseUrl}: ${reasonOf(error)}.`, {cause: error});
  }
}

async function createKey(baseUrl: string, token: string, name: string): Promise<{id: string; key: string}> {
  const answer = await askAdmin(baseUrl, token, 'POST', '/admin/v1/keys', {kind: 'write', name});
  const {id, key} = (await answer.json()) as {id?: unknown; key?: unknown};
  if (typeof id !== 'string' || typeof key !== 'string') throw new AddressFault(`${baseUrl} made no write key.`);
  return {id, key};
}

/** A service that was started again meanwhile has another token, and listens a moment before its note says so. */
async function releaseKey(dataDir: string, firstNote: ServiceNote, id: string): Promise<void> {
  const deadlineMs = monotonicMs() + restartMsMax;
  for (;;) {
    const {adminUrl, token} = readNote(dataDir) ?? firstNote;
    try {
      return await revokeKey(adminUrl, token, id);
    } catch (error) {
      if (monotonicMs() > deadlineMs) throw error;
    }
    await pause(100);
  }
}

async function revokeKey(baseUrl: string, token: string, id: string): Promise<void> {
  try {
    await askAdmin(baseUrl, token, 'DELETE', `/admin/v1/key?id=${encodeURIComponent(id)}`);
  } catch (cause) {
    const wish = `revoke it: ${commandLine('keys', 'revoke', id)}`;
    throw new AddressFault(`The write key of this import still works; ${wish} (${(cause as Error).message})`, {cause});
  }
}

async function askAdmin(baseUrl: string, token: string, method: string, path: string, body?: object) {
  const answer = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : {'content-type': 'application/json'}),
    },
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    signal: AbortSignal.timeout(answerMsMax),
  }).catch((error: unknown) => {
    throw new AddressFault(`${method} ${path} got no answer: ${reasonOf(error)}.`, {cause: error});
  });
  if (!answer.ok) throw new AddressFault(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

function targetOf(place: string, owner: string): string {
  return hash('sha256', `${place}\n${owner}`, 'hex').slice(0, 32);
}

function withoutTrailingSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

/** fetch says only "fetch failed"; the reason is its cause. */
function reasonOf(error: unknown): string {
  const {message, cause} = error as Error;
  const inner = cause as NodeJS.ErrnoException | undefined;
  return inner?.code ?? inner?.message ?? message;
}

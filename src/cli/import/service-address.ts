// Address and key of the service that receives the events.
//   A1. A key that the import created is revoked when the import ends, however it ends.

import {hash} from 'node:crypto';
import {resolve} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../clock.js';
import {commandLine} from '../../command-line.js';
import type {ServiceNote} from '../../data-dir.js';
import {AdminClient, AdminFault, noteIfThere, noteOf} from '../admin-client.js';

interface AddressOptions {
  /** `--url`; null: the service on `dataDir`. */
  readonly url: string | null;
  /** `--key` or the environment; null: a temporary key, created with the token that the service left in `dataDir`. */
  readonly key: string | null;
  readonly dataDir: string;
  /** Name of the temporary key; absent: `import`. */
  readonly keyName?: string;
  /** Kind of the temporary key; absent: `write`. */
  readonly keyKind?: 'write' | 'read' | 'secret';
}

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly key: string;
  /** Where the data of the service is on this machine; undefined: it is elsewhere. */
  readonly dataDir: string | undefined;
  /** Identifies service and key without revealing them; equal in the next run against the same service. */
  readonly target: string;
  /** Revokes the temporary key. A1 */
  release(): Promise<void>;
}

const answerMsMax = 10_000;
/** Time between a restarted service's listening and its note. */
const restartMsMax = 3_000;

/** @throws AdminFault when there is no service, no key, or no permission. */
export async function findService({
  url,
  key,
  dataDir,
  keyName = 'import',
  keyKind = 'write',
}: AddressOptions): Promise<ServiceAddress> {
  const note = url === null ? noteOf(dataDir, 'name one with --url') : noteIfThere(dataDir);
  const baseUrl = withoutTrailingSlash(url ?? note!.baseUrl);
  await assertAnswers(baseUrl);
  const place = url === null ? resolve(dataDir) : baseUrl;
  const isHere = note !== undefined && withoutTrailingSlash(note.baseUrl) === baseUrl;
  const common = {baseUrl, dataDir: isHere ? dataDir : undefined};
  if (key !== null) return {...common, key, target: targetOf(place, key), release: async () => {}};
  if (!isHere) {
    const form = {write: 'a write key', read: 'a read key', secret: 'a secret key'}[keyKind];
    throw new AdminFault(
      `Give ${form} for ${baseUrl}: ${keyKind === 'write' ? '--key sk_write_..., MILLRACE_KEY or MILLRACE_KEY_FILE' : 'MILLRACE_KEY'}.`,
    );
  }
  const made = await new AdminClient(note).ask<CreatedKey>('POST', '/admin/v1/keys', {kind: keyKind, name: keyName});
  const release = (): Promise<void> => releaseKey(dataDir, note, made.id);
  return {...common, key: made.key, target: targetOf(place, note.deployment), release};
}

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

/** Fails at once for an address on which nobody listens; later the import waits for a service that disappears. */
async function assertAnswers(baseUrl: string): Promise<void> {
  try {
    // Any answer counts: health checks may have a port of their own.
    await fetch(`${baseUrl}/healthz`, {signal: AbortSignal.timeout(answerMsMax)});
  } catch (error) {
    throw new AdminFault(`No service answers at ${baseUrl}: ${reasonOf(error)}.`, {cause: error});
  }
}

/** A service that was restarted meanwhile has another token, and listens a moment before its note says so. */
async function releaseKey(dataDir: string, firstNote: ServiceNote, id: string): Promise<void> {
  const deadlineMs = monotonicMs() + restartMsMax;
  for (;;) {
    try {
      await new AdminClient(noteIfThere(dataDir) ?? firstNote).ask(
        'DELETE',
        `/admin/v1/key?id=${encodeURIComponent(id)}`,
      );
      return;
    } catch (cause) {
      if (monotonicMs() > deadlineMs) {
        const wish = `revoke it: ${commandLine('keys', 'revoke', id)}`;
        throw new AdminFault(`The temporary API key still works; ${wish} (${(cause as Error).message})`, {
          cause,
        });
      }
    }
    await pause(100);
  }
}

function targetOf(place: string, owner: string): string {
  return hash('sha256', `${place}\n${owner}`, 'hex').slice(0, 32);
}

function withoutTrailingSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

/** fetch reports only "fetch failed"; the reason is its cause. */
function reasonOf(error: unknown): string {
  const {message, cause} = error as Error;
  const inner = cause as NodeJS.ErrnoException | undefined;
  return inner?.code ?? inner?.message ?? message;
}

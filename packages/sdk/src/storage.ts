// Where ids and waiting calls are kept beside memory.
//   ST1. A store that throws or refuses (a sandboxed iframe, a full quota) costs persistence, and nothing else: memory holds all.
//   ST2. Every call has an entry of its own: tabs write at the same time, and a list of them would lose what the other one wrote.
//   ST3. With `localStorage` or a cookie an id is read where it is needed: another tab may have signed out.
import {attempt} from './attempt.js';
import type {Keep} from './outbox.js';

/** As `AsyncStorage` of React Native has them; each may return a promise. */
export interface Storage {
  readonly getItem: (key: string) => unknown;
  readonly setItem: (key: string, value: string) => unknown;
  readonly removeItem: (key: string) => unknown;
  readonly getAllKeys: () => unknown;
}

type Stored = readonly (readonly [id: string, text: string])[];

/** Ids of the visitor, and the session. */
export type StateName = 'id' | 'user' | 'session';

export interface Memory {
  /** Whether something outlives this process. */
  readonly hasStore: boolean;
  /** Reads the store of the application; undefined: there is nothing to wait for. */
  readonly load: () => Promise<void> | undefined;
  readonly read: (name: StateName) => string;
  /** An empty value removes it. */
  readonly write: (name: StateName, value: string) => void;
  /** Writes to the store from now on, or no longer. */
  readonly persist: (isPersistent: boolean) => void;
  readonly keep: Keep;
  /** Calls that are kept, the oldest first. */
  readonly kept: () => Stored;
}

const prefix = 'millrace_';
const cookieSeconds = 31_536_000;

/** A promise that rejects is as good as a store that throws. ST1 */
function quietly(work: () => unknown): void {
  const begun = attempt(work) as Promise<unknown> | undefined;
  begun?.catch?.(() => undefined);
}

/** `host`: calls that wait for another service are not for this one. `cookie`: domain of cookies with the ids. */
export function openStorage(host: string, own: Storage | 'local' | 'none', cookie: string | undefined): Memory {
  /** What only memory has, and what was loaded, by key. */
  const values = new Map<string, string>();
  const ofCalls = `${prefix}${host}:`;
  const local = own === 'local' ? attempt(() => localStorage) : undefined;
  const store = typeof own === 'object' ? own : local;
  let isPersistent = false;

  const set = (key: string, value: string): void => {
    if (isPersistent) quietly(() => store?.setItem(key, value));
  };
  const remove = (key: string): void => quietly(() => store?.removeItem(key));

  function setCookie(key: string, value: string): void {
    const age = value ? cookieSeconds : 0;
    const secure = location.protocol === 'https:' ? ';secure' : '';
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API, and it only answers later.
    document.cookie = `${key}=${encodeURIComponent(value)};domain=${cookie};path=/;max-age=${age};samesite=lax${secure}`;
  }

  const readCookie = (key: string): string =>
    decodeURIComponent(document.cookie.match(`(?:^|; )${key}=([^;]*)`)?.[1] ?? '');

  const readStored = (key: string): string =>
    (isPersistent && attempt(() => (cookie ? readCookie(key) : local?.getItem(key)))) || '';

  async function load(from: Storage): Promise<void> {
    for (const key of (await from.getAllKeys()) as readonly string[])
      if (key.startsWith(prefix)) values.set(key, (await from.getItem(key)) as string);
  }

  return {
    hasStore: !!store,
    load: () => (typeof own === 'object' ? load(own).catch(() => undefined) : undefined), // ST1
    read: (name) => values.get(prefix + name) ?? readStored(prefix + name),
    write(name, value) {
      const key = prefix + name;
      values.set(key, value);
      if (cookie && isPersistent) attempt(() => setCookie(key, value));
      else if (value) set(key, value);
      else remove(key);
      if (readStored(key) === value) values.delete(key); // ST3
    },
    persist(is) {
      isPersistent = is && own !== 'none';
    },
    keep: {
      set: (id, text) => set(ofCalls + id, text),
      remove: (id) => remove(ofCalls + id),
    },
    kept() {
      const keys = attempt(() => Object.keys(local ?? Object.fromEntries(values))) ?? [];
      return keys.sort().flatMap((key) => {
        if (!key.startsWith(ofCalls)) return [];
        const text = attempt(() => local?.getItem(key)) ?? values.get(key);
        values.delete(key);
        return /^[ei]{/.test(text ?? '') ? [[key.slice(ofCalls.length), text!] as const] : [];
      });
    },
  };
}

// The queue of calls, and sending it.
//   Owns:    which calls wait, their bound, when and in which pieces they are sent, and what an answer means for them.
//            Does not own: the request itself (`Post`), where calls are kept beside memory (`Keep`), what a call contains.
//   O1. A call leaves the queue once the service has answered that it is stored or refused, or as the oldest of too many. All else
//       (no answer, 429, 5xx, statuses of others) keeps it.
//   O2. A call that is sent again is the same text: its message id makes a second copy harmless.
//   O3. A piece is events, up to a number and a size, or one identify call: these have routes of their own. Each call has its time,
//       so their order of arrival says nothing.
//   O4. Nothing here throws, whatever the network and the answers are.
import {attempt} from './attempt.js';

/** The first letter of a queued text says what the JSON after it is. */
export type Kind = 'e' | 'i';

/** A call that the service refused; it is not sent again. */
export interface Rejected {
  readonly code: string;
  readonly message: string;
  /** The event, or the identify call. */
  readonly event: unknown;
}

/** What became of calls since the last `flush`. */
export interface Outcome {
  /** Calls that are stored. */
  readonly accepted: number;
  /** The newest 100. */
  readonly rejected: readonly Rejected[];
  /** Calls that left as the oldest of too many. */
  readonly dropped: number;
  /** Calls that wait. */
  readonly waiting: number;
}

/** What a request was answered. */
export interface Answer {
  readonly status: number;
  /** Retry-After in seconds; 0: none. */
  readonly retryAfter: number;
  /** The body; undefined: no JSON. */
  readonly told: Told | null | undefined;
}

interface Told {
  readonly status?: unknown;
  readonly error?: {readonly code: string; readonly message: string};
  readonly errors?: readonly {readonly index: number; readonly code: string; readonly message: string}[];
}

/** Sends a body to a path. Rejects where there is no answer. `isKept`: the request outlives the page; `isLast`: the page may end now. */
export type Post = (path: string, body: string, isKept: boolean, isLast: boolean) => Promise<Answer>;

/** Keeps calls beyond this process. Neither throws; they may fail. */
export interface Keep {
  readonly set: (id: string, text: string) => void;
  readonly remove: (id: string) => void;
}

export interface World {
  readonly nowMs: () => number;
  /** Runs `work` after a time; the returned function calls it off. */
  readonly later: (work: () => void, ms: number) => () => void;
  readonly post: Post;
  readonly keep?: Keep;
  /** For developers: why nothing is sent any more, a refused call, one that left as the oldest of too many. */
  readonly say: (...said: [what: 'stopped', why: string] | ['refused', Rejected] | ['dropped', call: unknown]) => void;
}

export interface Limits {
  readonly callsMax: number;
  readonly bytesMax: number;
  readonly pieceCallsMax: number;
  /** Bounds one body, and the sum of the bodies under way that may outlive a page: browsers take 64 KiB of these. */
  readonly pieceBytesMax: number;
  /** Calls that are sent without waiting for `waitMs`. */
  readonly fullCalls: number;
  readonly waitMs: number;
}

export interface Outbox {
  readonly add: (id: string, text: string) => void;
  /** Takes calls that somebody else kept: an earlier page, or one that ended. */
  readonly adopt: (kept: readonly (readonly [id: string, text: string])[]) => void;
  /** Forgets all calls. */
  readonly clear: () => void;
  /** Sends what waits, once; it never waits for a next attempt. */
  readonly flush: () => Promise<void>;
  /** Sends what fits into requests that outlive the page, all at once. */
  readonly leave: () => void;
  /** The network is back. */
  readonly wake: () => void;
  /** A call that never came into the queue. */
  readonly drop: () => void;
  /** Counts since the last call of it. */
  readonly outcome: () => Outcome;
}

const rejectedMax = 100;
const backoffSecondsMax = 60;

/** JSON has no lone surrogates, so every text can be encoded. */
export const byteLength = (text: string): number => encodeURIComponent(text).replace(/%../g, '.').length;

export function openOutbox({nowMs, later, post, say, keep}: World, limits: Limits): Outbox {
  /** In the order of their arrival. */
  const calls = new Map<string, string>();
  const underWay = new Set<string>();
  let bytes = 0;
  let bytesUnderWay = 0;
  let pieceCalls = limits.pieceCallsMax;
  let failures = 0;
  /** Until then the service wants no request. */
  let isToldToWait = false;
  let isStopped = false;
  let callOff: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let accepted = 0;
  let dropped = 0;
  let rejected: Rejected[] = [];

  /** Undefined: what a store kept is no JSON. */
  const callOf = (id: string): unknown => attempt(() => JSON.parse(calls.get(id)!.slice(1)));

  function forget(id: string): void {
    bytes -= byteLength(calls.get(id) ?? '');
    calls.delete(id);
    keep?.remove(id);
  }

  function put(id: string, text: string): void {
    calls.set(id, text);
    bytes += byteLength(text);
    for (const oldest of calls.keys()) {
      if (calls.size <= limits.callsMax && bytes <= limits.bytesMax) break;
      if (underWay.has(oldest)) continue;
      dropped++;
      say('dropped', callOf(oldest));
      forget(oldest);
    }
  }

  function schedule(ms: number): void {
    callOff ??= later(() => {
      callOff = undefined;
      isToldToWait = false;
      void flush();
    }, ms);
  }

  /** Ids of the next piece, which has at most `room` bytes; `isLast`: also if it is one call. */
  function nextPiece(room: number, isLast: boolean): string[] {
    const ids: string[] = [];
    let kind: string | undefined;
    let size = 100; // Around the calls.
    for (const [id, text] of calls) {
      if (underWay.has(id) || (kind && (kind !== text[0] || kind === 'i'))) continue; // O3
      size += byteLength(text);
      if (ids.length === pieceCalls || (size > room && (isLast || ids[0]))) break;
      kind = text[0];
      ids.push(id);
    }
    return ids;
  }

  /** @returns whether the next piece may follow. */
  async function send(ids: readonly string[], isLast: boolean): Promise<boolean> {
    const texts = ids.map((id) => calls.get(id)!);
    const isIdentify = texts[0]![0] === 'i';
    const content = isIdentify ? texts[0]!.slice(2) : `"events":[${texts.map((text) => text.slice(1))}]}`;
    const body = `{"sentAt":"${new Date(nowMs()).toISOString()}",${content}`;
    const size = byteLength(body);
    bytesUnderWay += size;
    for (const id of ids) underWay.add(id);
    const isKept = bytesUnderWay <= limits.pieceBytesMax;
    const answer = await post(isIdentify ? '/v1/users/identify' : '/v1/events/batch', body, isKept, isLast).catch(
      (_error): Answer => ({status: 0, retryAfter: 0, told: undefined}), // O1
    );
    bytesUnderWay -= size;
    for (const id of ids) underWay.delete(id);
    return settle(ids, isIdentify, answer);
  }

  function settle(ids: readonly string[], isIdentify: boolean, {status, retryAfter, told}: Answer): boolean {
    let {status: outcome, error, errors} = told ?? {};
    // A key with the option `identify: false` sends events all the same.
    const isNoIdentify = isIdentify && error?.code === 'insufficient_permissions';
    if (status === 401 || (status === 403 && !isNoIdentify)) {
      isStopped = true;
      say('stopped', `${status} ${error?.message}`);
      return false;
    }
    if (status === 413 || isNoIdentify || (status === 400 && error && !errors)) {
      if (ids[1]) {
        pieceCalls = Math.ceil(ids.length / 2);
        return true;
      }
      errors = [{index: 0, ...(error ?? {code: 'payload_too_large', message: 'it is too large'})}];
    } else if (!outcome || status > 400) {
      return wait(retryAfter);
    }
    failures = 0;
    pieceCalls = Math.min(2 * pieceCalls, limits.pieceCallsMax);
    for (const {index, code, message} of errors ?? []) {
      const id = ids[index];
      if (!id || !calls.has(id)) continue;
      const one = {code, message, event: callOf(id)};
      rejected = [...rejected, one].slice(-rejectedMax);
      accepted--;
      say('refused', one);
    }
    accepted += ids.length;
    for (const id of ids) forget(id);
    return true;
  }

  function wait(retryAfter: number): false {
    isToldToWait = retryAfter > 0;
    const seconds = retryAfter || Math.min(2 ** failures++, backoffSecondsMax);
    callOff?.();
    callOff = undefined;
    // Clients that failed together come back apart, and none before it was told to.
    schedule(seconds * (1_000 + 250 * Math.random()));
    return false;
  }

  const flush = (): Promise<void> =>
    (running ??= run().finally(() => {
      running = undefined;
    }));

  async function run(): Promise<void> {
    for (let ids: string[]; !isToldToWait && !isStopped; ) {
      ids = nextPiece(limits.pieceBytesMax, false);
      if (!ids[0] || !(await send(ids, false))) return;
    }
  }

  return {
    add(id, text) {
      put(id, text);
      if (calls.has(id)) keep?.set(id, text);
      if (!failures && calls.size - underWay.size >= limits.fullCalls) void flush();
      else schedule(limits.waitMs);
    },
    adopt(kept) {
      for (const [id, text] of kept) if (!calls.has(id)) put(id, text);
      if (calls.size) schedule(limits.waitMs);
    },
    clear() {
      for (const id of calls.keys()) forget(id);
    },
    flush,
    leave() {
      for (let ids: string[]; !isToldToWait && !isStopped; ) {
        ids = nextPiece(limits.pieceBytesMax - bytesUnderWay, true);
        if (!ids[0]) break;
        void send(ids, true);
      }
    },
    wake() {
      if (failures && !isToldToWait) void flush();
    },
    drop() {
      dropped++;
    },
    outcome() {
      const told = {accepted, rejected, dropped, waiting: calls.size};
      accepted = dropped = 0;
      rejected = [];
      return told;
    },
  };
}

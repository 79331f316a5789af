// The state of the dashboard's sign-in that all edges of a deployment share: one record in the bucket of keys.
//   SR1. The secret is random and never leaves the bucket, so no cookie reveals anything about a token that a person chose.
//   SR2. The hash of a one-time code is stored until the code is used or expires. The edge that removes it by compare-and-set
//        has used it: of two attempts at once, one succeeds.
//   SR3. Sessions that began before `notBeforeMs` are over, on every edge, as soon as its watch has the change.
//   SR4. A session that was ended is remembered until none of its cookies could be valid any more. Of a person who ended many, all
//        sessions that began before are over: the record stays bounded, and no ended session becomes valid again.
import {randomBytes} from 'node:crypto';
import {hashKey} from './key.js';
import {type BucketEntry, BucketFault, type KeyBucket} from './key-bucket.js';

export const signInRecordName = 'dashboard';

const secretBytes = 32;
const codeBytes = 16;
export const codeMsMax = 600_000;
/** A new code replaces the oldest above this number. */
const codesMax = 100;
const changeTriesMax = 10;

/** Longest time for which a cookie is valid after it was made. */
export const sessionMsMax = 43_200_000;
/** Clocks of two edges may differ by this. */
const skewMs = 3_600_000;
/** Ended sessions that are remembered one by one for each person. SR4 */
const endedMax = 50;

/** An ended session of the person `by`, or all that began until `untilBegunMs`; forgotten at `forgetMs`. SR4 */
type Ended = {readonly by: string; readonly forgetMs: number} & (
  | {readonly id: string}
  | {readonly untilBegunMs: number}
);

/** Beginning of a session: what the record needs to know of it. */
export interface BegunSession {
  readonly by: string;
  readonly id: string;
  readonly sinceMs: number;
}

interface Stored {
  /** Hex. */
  readonly secret: string;
  readonly notBeforeMs: number;
  readonly codes: readonly {readonly hash: string; readonly untilMs: number}[];
  readonly ended: readonly Ended[];
}

const nothing = {notBeforeMs: 0, codes: [], ended: []} as const;

export class SignInRecord {
  private readonly bucket: Pick<KeyBucket, 'read' | 'write'>;
  private readonly wallMs: () => number;
  private stored: Stored | undefined;
  private revision = 0;

  constructor(bucket: Pick<KeyBucket, 'read' | 'write'>, wallMs: () => number) {
    this.bucket = bucket;
    this.wallMs = wallMs;
  }

  /** Takes the bucket's record after a reconnect, which may be older than the known one (store.ts, S3). */
  replace(entry: BucketEntry | undefined): void {
    this.stored = undefined;
    this.revision = 0;
    if (entry !== undefined) this.take(entry);
  }

  take({revision, text}: BucketEntry): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.stored = {...nothing, ...(JSON.parse(text) as Stored)};
  }

  /** Undefined only while the bucket has no record: then no session is valid. */
  get secret(): string | undefined {
    return this.stored?.secret;
  }

  /** SR3 */
  get notBeforeMs(): number {
    return this.stored?.notBeforeMs ?? 0;
  }

  /** Whether the session was ended. SR3, SR4 */
  hasEnded({by, id, sinceMs}: BegunSession): boolean {
    if (this.stored === undefined || sinceMs <= this.stored.notBeforeMs) return true;
    return this.stored.ended.some(
      (one) => one.by === by && ('id' in one ? one.id === id : sinceMs <= one.untilBegunMs),
    );
  }

  /** Creates the record, unless another edge did. Rejects with a `BucketFault`. */
  async ensure(): Promise<void> {
    if (this.stored === undefined) await this.change((stored) => stored);
  }

  /** @returns a code that signs in once within `codeMsMax`. Rejects with a `BucketFault`. */
  async createCode(): Promise<string> {
    const code = randomBytes(codeBytes).toString('base64url');
    const kept = {hash: hashKey(code), untilMs: this.wallMs() + codeMsMax};
    await this.change((stored) => ({...stored, codes: [...stored.codes.slice(1 - codesMax), kept]}));
    return code;
  }

  /** @returns whether the code was valid; from now on it is not. SR2. Rejects with a `BucketFault`. */
  async spendCode(code: string): Promise<boolean> {
    const hash = hashKey(code);
    let isSpent = false;
    await this.change((stored) => {
      isSpent = stored.codes.some((one) => one.hash === hash && one.untilMs > this.wallMs());
      return isSpent ? {...stored, codes: stored.codes.filter((one) => one.hash !== hash)} : undefined;
    });
    return isSpent;
  }

  /** Ends all sessions. SR3. Rejects with a `BucketFault`. */
  async endSessions(): Promise<void> {
    await this.change((stored) => ({...stored, notBeforeMs: this.wallMs()}));
  }

  /** Ends one session. SR4. Rejects with a `BucketFault`. */
  async endSession(session: BegunSession): Promise<void> {
    const {by, id} = session;
    await this.change((stored) => {
      if (this.hasEnded(session)) return undefined;
      const nowMs = this.wallMs();
      const forgetMs = nowMs + sessionMsMax + skewMs;
      const of = stored.ended.filter((one) => one.by === by);
      if (of.length < endedMax) return {...stored, ended: [...stored.ended, {by, id, forgetMs}]};
      const others = stored.ended.filter((one) => one.by !== by);
      return {...stored, ended: [...others, {by, untilBegunMs: nowMs, forgetMs}]};
    });
  }

  /** `edit` gets the record without what expired, and returns undefined to change nothing. */
  private async change(edit: (stored: Stored) => Stored | undefined): Promise<void> {
    for (let tries = 0; tries < changeTriesMax; tries++) {
      const known = this.stored ?? {secret: randomBytes(secretBytes).toString('hex'), ...nothing};
      const nowMs = this.wallMs();
      const codes = known.codes.filter(({untilMs}) => untilMs > nowMs);
      const ended = known.ended.filter(({forgetMs}) => forgetMs > nowMs);
      const edited = edit({...known, codes, ended});
      if (edited === undefined) return;
      const text = JSON.stringify(edited);
      const revision = await this.bucket.write(signInRecordName, text, this.revision);
      if (revision !== undefined) {
        this.take({name: signInRecordName, revision, text});
        return;
      }
      this.replace(await this.bucket.read(signInRecordName)); // Another edge was faster.
    }
    throw new BucketFault(`the record of the dashboard was written by others ${changeTriesMax} times`);
  }
}

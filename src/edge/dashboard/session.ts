// A session of the dashboard: a signed cookie that every edge of the deployment can check. Only that it was ended is stored.
//   SE1. The signing key is derived from a secret in the bucket of keys and from the admin token: forging a cookie needs both,
//        and a new admin token ends every session.
//   SE2. Every request looks up the access token of its session: the session ends with the token, and has the token's present
//        role.
//   SE3. A session ends when its person signs out, on every edge (sign-in-record.ts), and `lifeMsMax` after it began at the latest:
//        a renewal keeps its beginning and its id.
import {createHmac, hkdfSync, randomBytes, timingSafeEqual} from 'node:crypto';
import type {Session} from '../../keys/session.js';
import {sessionMsMax} from '../../keys/sign-in-record.js';
import type {KeyStore} from '../../keys/store.js';

/** However often it is renewed. SE3 */
const lifeMsMax = 30 * 86_400_000;
const idBytes = 12;
const formVersion = 2;

/** Signed content of the cookie. The rest of a session is looked up. */
interface Signed {
  readonly v: number;
  readonly by: string;
  readonly id: string;
  readonly since: number;
  readonly until: number;
}

export class Sessions {
  private derived: {readonly secret: string; readonly key: Buffer} | undefined;

  constructor(
    private readonly keys: KeyStore,
    private readonly adminToken: string,
    private readonly wallMs: () => number,
  ) {}

  /** `by`: as in `Session`. @returns the value of the cookie; undefined while there is no secret (sign-in-record.ts). */
  begin(by: string): string | undefined {
    const since = this.wallMs();
    return this.sign({
      v: formVersion,
      by,
      id: randomBytes(idBytes).toString('base64url'),
      since,
      until: since + sessionMsMax,
    });
  }

  /** The session with a new whole time, once half of the old one has passed; undefined also when it may last no longer. SE3 */
  renewed({by, id, sinceMs, untilMs}: Session): string | undefined {
    const nowMs = this.wallMs();
    const until = Math.min(nowMs + sessionMsMax, sinceMs + lifeMsMax);
    if (untilMs - nowMs > sessionMsMax / 2 || until <= untilMs) return undefined;
    return this.sign({v: formVersion, by, id, since: sinceMs, until});
  }

  /** @returns the session that a cookie names; undefined when it names none that is valid. */
  read(cookie: string): Session | undefined {
    const signed = this.verified(cookie);
    const nowMs = this.wallMs();
    if (signed === undefined || signed.until <= nowMs) return undefined;
    const {by, id, since: sinceMs, until: untilMs} = signed;
    if (this.keys.signIn.hasEnded({by, id, sinceMs})) return undefined; // SE3
    if (by === 'admin') return {role: 'admin', by, name: 'admin', seesTraits: true, id, sinceMs, untilMs};
    const person = this.keys.ring.person({id: by}, nowMs); // SE2
    if (person === undefined) return undefined;
    person.lastUsedMs = nowMs;
    const {name} = this.keys.ring.get(by)!;
    const {role, hidesTraits = false} = person.access!;
    return {role, by, name, seesTraits: !hidesTraits, id, sinceMs, untilMs};
  }

  private sign(signed: Signed): string | undefined {
    const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
    const mac = this.macOf(text);
    return mac === undefined ? undefined : `${text}.${mac.toString('base64url')}`;
  }

  private verified(cookie: string): Signed | undefined {
    const [text, offered, ...more] = cookie.split('.');
    if (text === undefined || offered === undefined || more.length > 0) return undefined;
    const mac = this.macOf(text);
    if (mac === undefined) return undefined;
    const bytes = Buffer.from(offered, 'base64url');
    if (bytes.length !== mac.length || !timingSafeEqual(bytes, mac)) return undefined;
    const signed = JSON.parse(Buffer.from(text, 'base64url').toString()) as Signed; // The signature proves that the service wrote it.
    return signed.v === formVersion ? signed : undefined;
  }

  private macOf(text: string): Buffer | undefined {
    const key = this.key();
    return key === undefined ? undefined : createHmac('sha256', key).update(text).digest();
  }

  /** The signing key. SE1 */
  private key(): Buffer | undefined {
    const {secret} = this.keys.signIn;
    if (secret === undefined) return undefined;
    if (this.derived?.secret !== secret) {
      const key = hkdfSync('sha256', this.adminToken, Buffer.from(secret, 'hex'), 'millrace dashboard session', 32);
      this.derived = {secret, key: Buffer.from(key)};
    }
    return this.derived.key;
  }
}

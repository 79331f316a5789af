// Signing in and out of the dashboard: a one-time code, an access token or the admin token becomes a session.
//   SI1. Guessing is slow, and keeps nobody else out (sign-in-limits.ts).

import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {zoneNameIn} from '../../asks/question/times.js';
import {commandLine} from '../../command-line.js';
import {BucketFault} from '../../keys/key-bucket.js';
import type {Session} from '../../keys/session.js';
import type {KeyStore} from '../../keys/store.js';
import {AdminDoor, type AdminTokens} from '../admission/authentication.js';
import {type Failure, type Header, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {pathPrefix} from '../http/path-prefix.js';
import {noParameters, readQuery} from '../query/query.js';
import type {BodyEndpoint, ReadEndpoint} from '../route.js';
import {readFields, readObject} from '../routes/json-fields.js';
import type {ApiPlace, SessionAnswer} from './answers/session.js';
import type {DashboardDoor} from './door.js';
import {internalUsersOf} from './internal-users.js';
import type {Sessions} from './session.js';
import {SignInLimits} from './sign-in-limits.js';
import {startOf} from './start.js';

export const signInBodyBytesMax = 4_096;

const codeRule = 'code must be the code of a sign-in link';
const tokenRule = 'token must be an access token or the admin token';
const way = z
  .strictObject({code: z.string(codeRule).optional(), token: z.string(tokenRule).optional()})
  .refine(({code, token}) => (code === undefined) !== (token === undefined), 'the body must have either code or token');

const failed = (message: string): Failure => ({code: 'sign_in_failed', message});
const badCode = failed(
  `this link was already used or is older than ten minutes. A new one is printed by ${commandLine('dashboard')}, with the DATA_DIR of this service`,
);
const badToken = failed('this is neither the admin token nor an access token that is valid now');
const notEnded = unavailable(
  'your browser is signed out, but the key store does not respond: a copy of its cookie stays valid for up to 12 hours, unless an ' +
    'admin ends all sessions',
);
const noSecret = unavailable('the key store does not respond: signing in is not possible now');

interface SignInOptions {
  readonly keys: KeyStore;
  readonly sessions: Sessions;
  readonly door: DashboardDoor;
  readonly tokens: AdminTokens;
  readonly wallMs: () => number;
  readonly apiPlace: (exchange: Exchange) => ApiPlace;
}

export class SignIn {
  private readonly adminDoor: AdminDoor;
  private readonly limits = new SignInLimits();

  constructor(private readonly options: SignInOptions) {
    this.adminDoor = new AdminDoor(options.tokens);
  }

  readonly takeBody: BodyEndpoint['takeBody'] = async (front, exchange, bytes) => {
    readQuery(exchange.query, noParameters);
    const {code, token} = readFields(way, readObject(bytes));
    const address = front.operations.clientAddresses.of(exchange);
    const judge = async (): Promise<string | Failure> =>
      code === undefined ? this.byToken(token!) : await this.byCode(code);
    const by = await this.limits.judge(code ?? token!, address, exchange.receivedMs, judge); // SI1
    if (typeof by !== 'string') {
      front.kept.audit.refused('sign-in.refused', address);
      return exchange.fail(by);
    }
    const {keys, sessions, door, apiPlace} = this.options;
    const value = sessions.begin(by);
    if (value === undefined) return exchange.fail(noSecret);
    front.kept.audit.signedIn(by, address);
    const cookie = door.cookie(exchange, value, pathPrefix(front.operations, exchange));
    exchange.json('200 OK', JSON.stringify(sessionIn(front, exchange, sessions.read(value)!, {keys, door, apiPlace})), [
      cookie,
    ]);
  };

  /**
   * The session with what every page begins with, or a null role: pages ask this first, and it never refuses. It renews a session past
   * half of its time.
   */
  readonly read: ReadEndpoint['handle'] = async (front, exchange) => {
    readQuery(exchange.query, noParameters);
    const {keys, sessions, door, apiPlace} = this.options;
    const session = door.sessionOf(exchange.page!);
    if (session === undefined) return exchange.json('200 OK', '{"role":null}');
    const value = sessions.renewed(session);
    const renewed = value === undefined ? undefined : sessions.read(value);
    const cookies = value === undefined ? [] : [door.cookie(exchange, value, pathPrefix(front.operations, exchange))];
    const body = {...sessionIn(front, exchange, renewed ?? session, {keys, door, apiPlace}), ...(await startOf(front))};
    exchange.json('200 OK', JSON.stringify(body), cookies);
  };

  /** Ends this session. The browser forgets it also when the store cannot remember that. */
  readonly end: ReadEndpoint['handle'] = async (front, exchange) => {
    readQuery(exchange.query, noParameters);
    const {door, keys} = this.options;
    const session = door.sessionOf(exchange.page!);
    try {
      if (session !== undefined) await keys.signIn.endSession(session);
    } catch (error) {
      if (!(error instanceof BucketFault)) throw error;
      return exchange.fail({...notEnded, headers: [...(notEnded.headers ?? []), this.noCookie(front, exchange)]});
    }
    this.answerSignedOut(front, exchange);
  };

  /** Ends all sessions, this one too. */
  readonly endAll: ReadEndpoint['handle'] = async (front, exchange) => {
    readQuery(exchange.query, noParameters);
    await orUnavailable(this.options.keys.endSessions());
    front.kept.audit.sessionsEnded(exchange.caller.session!.by, front.operations.clientAddresses.of(exchange));
    this.answerSignedOut(front, exchange);
  };

  private answerSignedOut(front: Front, exchange: Exchange): void {
    exchange.json('200 OK', '{"status":"signed out"}', [this.noCookie(front, exchange)]);
  }

  private noCookie(front: Front, exchange: Exchange): Header {
    return this.options.door.emptyCookie(exchange, pathPrefix(front.operations, exchange));
  }

  /** Creates a sign-in code for `npm run dashboard`, which asks with the admin token. */
  readonly createCode: BodyEndpoint['takeBody'] = async (_front, exchange) => {
    readQuery(exchange.query, noParameters);
    const code = await orUnavailable(this.options.keys.signIn.createCode());
    exchange.json('201 Created', JSON.stringify({code}));
  };

  private async byCode(code: string): Promise<string | Failure> {
    return (await orUnavailable(this.options.keys.signIn.spendCode(code))) ? 'admin' : badCode;
  }

  private byToken(token: string): string | Failure {
    if (this.adminDoor.opens(token)) return 'admin';
    const {keys, wallMs} = this.options;
    return keys.ring.person({token}, wallMs())?.id ?? badToken;
  }
}

const sessionIn = (
  front: Front,
  exchange: Exchange,
  {role, name, by, seesTraits, untilMs}: Session,
  {keys, door, apiPlace}: Pick<SignInOptions, 'keys' | 'door' | 'apiPlace'>,
): SessionAnswer => ({
  ...{role, name, by, sees_traits: seesTraits, titles: keys.lists.titles},
  internal: internalUsersOf(front),
  timezone: zoneNameIn(front),
  until: isoText(untilMs),
  is_secure: door.isSecure(exchange),
  api: apiPlace(exchange),
});

/** @throws RequestFailure (503) where the bucket does not answer. */
export async function orUnavailable<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BucketFault) throw new RequestFailure(noSecret);
    throw error;
  }
}

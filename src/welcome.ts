// The welcome on stdout: the addresses of the service and, on the first start, the keys and how to use them. A key that the
//   operator fixed is not shown: the operator knows it. If stdout is no terminal, a log stores it, and no key is shown: created
//   keys are in a file.

import {commandLine} from './command-line.js';
import type {FirstKeys} from './keys/store.js';
import type {Refresh} from './refresh.js';

/** Base URL for `host`: a wildcard address is shown as the loopback address, which works on this machine. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export interface Addresses {
  readonly baseUrl: string;
  /** Address of the operators' routes; the same as `url` unless they have a port of their own. */
  readonly adminUrl: string;
}

export interface WelcomeOptions extends Addresses {
  /** Keys created in this start, shown only now. */
  readonly firstKeys: FirstKeys;
  /** The file with the keys; undefined: the welcome shows them. */
  readonly keysFile: string | undefined;
  /** Undefined: no link is shown. */
  readonly signInCode: string | undefined;
  /** Folder of the service, if commands find it by DATA_DIR alone. */
  readonly dataDir: string | undefined;
  readonly reportRefresh: Pick<Refresh, 'ms' | 'change'>;
  readonly nowMs: number;
}

/** Sign-in link. The code is after the #, so that no proxy log and no Referer header contains it. */
export const signInLink = (url: string, code: string): string => `${url}/dashboard/sign-in#${code}`;

export function welcome(options: WelcomeOptions): string {
  const {baseUrl, adminUrl, firstKeys, keysFile, signInCode, dataDir, reportRefresh, nowMs} = options;
  const ofOperators = adminUrl === baseUrl ? '' : `Health, metrics and admin routes: ${adminUrl}\n`;
  const place = dataDir === undefined ? '' : `DATA_DIR=${inShell(dataDir)} `;
  const command = `${place}${commandLine('dashboard')}`;
  const dashboard =
    signInCode === undefined
      ? `Dashboard: ${adminUrl}/dashboard (${command} prints a sign-in link)\n`
      : `Dashboard: ${signInLink(adminUrl, signInCode)}\n  (valid once, for ten minutes; ${command} prints another link)\n`;
  const listening = `Millrace listens on ${baseUrl} (the API: ${baseUrl}/docs)\n${ofOperators}${dashboard}`;
  if (Object.keys(firstKeys).length === 0) return listening;
  const {write, secret} = keysFile === undefined ? firstKeys : {};
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return `${listening}
${keysFile === undefined ? keysShown(firstKeys) : keysInFile(firstKeys, keysFile)}
Send an event:
  curl -X POST '${baseUrl}/v1/events' \\
    -H ${authorization(write, 'WRITE_KEY')} -H 'Content-Type: application/json' \\
    -d '{"event":"signup","userId":"ada","properties":{"plan":"pro"}}'

Ask for a report (new events appear within ${delayText(reportRefresh)}):
  curl '${baseUrl}/v1/reports/events?event=signup&from=${today}&to=${today}' \\
    -H ${authorization(secret, 'SECRET_KEY')}

`;
}

const delayText = ({ms, change}: WelcomeOptions['reportRefresh']): string =>
  `${ms / 1_000} s${change === undefined ? '' : ` in this first hour, later within ${change.toMs / 1_000} s`}`;

const keysShown = ({write, secret}: FirstKeys): string =>
  `${write && secret ? 'Two keys were created. They are' : 'A key was created. It is'} shown only once:\n` +
  (write === undefined ? '' : `  write key (browsers, apps)    ${write}\n`) +
  (secret === undefined ? '' : `  secret key (servers only)     ${secret}\n`);

const keysInFile = ({write, secret}: FirstKeys, path: string): string =>
  `${write && secret ? 'Two keys were created. They are' : 'A key was created. It is'} in a file that only its owner can read. \
Load them into a shell, store them where they are used, and delete the file:
  . ${inShell(path)}
`;

/** A path as one word of a shell. */
const inShell = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** A key that is not shown is written as the shell variable of the README. */
const authorization = (key: string | undefined, variable: string): string =>
  key === undefined ? `"Authorization: Bearer $${variable}"` : `'Authorization: Bearer ${key}'`;

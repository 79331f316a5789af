// What a person sees on stdout: where the service listens and, on the first start, the keys and how to use them.
//   A key that the operator fixed is not shown: it is known already, and stdout is kept as a log in many places.

import type {Refresh} from './refresh.js';

/** `host` as it was configured: a wildcard address is shown as the loopback one, which works from here. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export interface WelcomeOptions {
  readonly baseUrl: string;
  /** Created in this start; shown now and never again. */
  readonly firstKeys: {readonly write?: string; readonly secret?: string};
  readonly reportRefresh: Pick<Refresh, 'ms' | 'change'>;
  readonly nowMs: number;
}

export function welcome({baseUrl, firstKeys, reportRefresh, nowMs}: WelcomeOptions): string {
  const {write, secret} = firstKeys;
  const created = [
    ...(write === undefined ? [] : [`  write key (browsers, apps)    ${write}\n`]),
    ...(secret === undefined ? [] : [`  secret key (servers only)     ${secret}\n`]),
  ];
  const listening = `Millrace listens on ${baseUrl} (the API: ${baseUrl}/docs)\n`;
  if (created.length === 0) return listening;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return `${listening}
${created.length === 2 ? 'Two keys were created. They are' : 'A key was created. It is'} shown this once:
${created.join('')}
One event in:
  curl -X POST '${baseUrl}/v1/events' \\
    -H ${authorization(write, 'WRITE_KEY')} -H 'Content-Type: application/json' \\
    -d '{"event":"signup","userId":"ada","properties":{"plan":"pro"}}'

One report out (new events are in it within ${delayText(reportRefresh)}):
  curl '${baseUrl}/v1/reports/events?event=signup&from=${today}&to=${today}' \\
    -H ${authorization(secret, 'SECRET_KEY')}

`;
}

const delayText = ({ms, change}: WelcomeOptions['reportRefresh']): string =>
  `${ms / 1_000} s${change === undefined ? '' : ` in this first hour, later within ${change.toMs / 1_000} s`}`;

/** A key that is not shown stands as the shell variable that the README gives it. */
const authorization = (key: string | undefined, variable: string): string =>
  key === undefined ? `"Authorization: Bearer $${variable}"` : `'Authorization: Bearer ${key}'`;

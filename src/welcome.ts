// What a person sees on stdout: where the service listens and, on the first start, the keys and how to use them.

/** `host` as it was configured: a wildcard address is shown as the loopback one, which works from here. */
export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

export interface WelcomeOptions {
  readonly baseUrl: string;
  /** Created in this start; shown now and never again. */
  readonly firstKeys: {readonly write: string; readonly secret: string} | null;
  readonly reportRefreshMs: number;
  readonly nowMs: number;
}

export function welcome({baseUrl, firstKeys, reportRefreshMs, nowMs}: WelcomeOptions): string {
  const listening = `Millrace listens on ${baseUrl} (the API: ${baseUrl}/docs)\n`;
  if (firstKeys === null) return listening;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return `${listening}
Two keys were created. They are shown this once:
  write key (browsers, apps)    ${firstKeys.write}
  secret key (servers only)     ${firstKeys.secret}

One event in:
  curl -X POST '${baseUrl}/v1/events' \\
    -H 'Authorization: Bearer ${firstKeys.write}' -H 'Content-Type: application/json' \\
    -d '{"event":"signup","userId":"ada","properties":{"plan":"pro"}}'

One report out (new events are in it within ${reportRefreshMs / 1_000} s):
  curl '${baseUrl}/v1/reports/events?event=signup&from=${today}&to=${today}' \\
    -H 'Authorization: Bearer ${firstKeys.secret}'

`;
}

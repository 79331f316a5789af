import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {type Config, printableConfig, readConfig, variables} from '../src/config.js';

function good(env: Record<string, string>): Config {
  const result = readConfig(env);
  if (result.kind === 'bad') throw new Error(result.line);
  return result.config;
}

function bad(env: Record<string, string>): string {
  const result = readConfig(env);
  if (result.kind === 'config') throw new Error('accepted');
  return result.line;
}

test('an empty environment gives the documented defaults', () => {
  expect(good({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    admin: undefined,
    dataDir: resolve('data'),
    deletionsDir: resolve('data-deletions'),
    nats: {kind: 'embedded', serverBin: ''},
    partitions: 2,
    replicas: 1,
    logMessagesPerSecond: 2_000,
    roles: ['edge', 'partition', 'report', 'deliver'],
    reportRefresh: {firstHourMs: 5_000, laterMs: 300_000},
    reportTimezone: undefined,
    joinsIdentities: true,
    retentionDays: 0,
    bootstrapWriteKey: undefined,
    bootstrapReadKey: undefined,
    bootstrapSecretKey: undefined,
    adminToken: undefined,
    limits: {eventsPerSecond: 50_000, readsPerMinute: 600, deletesPerSecond: 10},
    reportCpuMsMax: 20_000,
    trustedProxies: [],
    webhooks: {allowed: [], allowsHttp: false},
    dashboardHosts: [],
    mail: undefined,
    dashboardUrl: undefined,
    benchResultsDir: undefined,
    cacheBytesMax: 512 * 1_048_576,
    dedupeBytesMax: 512 * 1_048_576,
    eventNamesMax: 10_000,
    funnelBytesMax: 256 * 1_048_576,
    logLevel: 'info',
  });
});

test('every variable is read', () => {
  const config = good({
    PORT: '0',
    HOST: '::1',
    ADMIN_PORT: '9090',
    ADMIN_HOST: '10.0.0.1',
    DATA_DIR: '/var/lib/millrace',
    DELETIONS_DIR: '/var/lib/deletions',
    NATS_URL: 'nats://one:4222, tls://two:4222',
    NATS_TOKEN: 'hidden-token',
    NATS_MONITOR_URL: 'http://one:9222/, https://two/nats',
    PARTITIONS: '32',
    REPLICAS: '3',
    LOG_MESSAGES_PER_SECOND: '5000',
    ROLES: 'report,edge',
    REPORT_REFRESH_SECONDS: '0.5',
    REPORT_TIMEZONE: 'America/St_Johns',
    IDENTITY_JOIN: 'off',
    RETENTION_DAYS: '30',
    BOOTSTRAP_WRITE_KEY: 'sk_write_0123456789abcdEF',
    BOOTSTRAP_READ_KEY: 'sk_read_0123456789abcdEF',
    BOOTSTRAP_SECRET_KEY: 'sk_live_0123456789abcdEF',
    ADMIN_TOKEN: 'sixteen-or-more!',
    RATE_LIMIT_EVENTS_PER_SECOND: '0',
    RATE_LIMIT_READS_PER_MINUTE: '1',
    RATE_LIMIT_DELETES_PER_SECOND: '2',
    REPORT_CPU_SECONDS: '0',
    TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8::/32',
    WEBHOOK_ALLOW_ADDRESSES: '10.1.0.0/16',
    WEBHOOK_ALLOW_HTTP: '1',
    SMTP_URL: 'smtps://stats%40example.com:hid%2Fden@[::1]:4650',
    MAIL_FROM: 'Millrace <stats@example.com>',
    DASHBOARD_HOSTS: 'Stats.example.com, millrace',
    DASHBOARD_URL: 'https://stats.example.com/dashboard/',
    MEMORY_CACHE_MIB: '64',
    DEDUPE_MEMORY_MIB: '8',
    EVENT_NAMES_MAX: '50',
    FUNNEL_MEMORY_MIB: '2',
    LOG_LEVEL: 'debug',
  });
  expect(config).toEqual({
    host: '::1',
    port: 0,
    admin: {host: '10.0.0.1', port: 9090},
    dataDir: '/var/lib/millrace',
    deletionsDir: '/var/lib/deletions',
    nats: {
      kind: 'external',
      servers: ['nats://one:4222', 'tls://two:4222'],
      token: 'hidden-token',
      monitors: ['http://one:9222', 'https://two/nats'],
    },
    partitions: 32,
    replicas: 3,
    logMessagesPerSecond: 5_000,
    roles: ['report', 'edge'],
    reportRefresh: {firstHourMs: 500, laterMs: 500},
    reportTimezone: 'America/St_Johns',
    joinsIdentities: false,
    retentionDays: 30,
    bootstrapWriteKey: 'sk_write_0123456789abcdEF',
    bootstrapReadKey: 'sk_read_0123456789abcdEF',
    bootstrapSecretKey: 'sk_live_0123456789abcdEF',
    adminToken: 'sixteen-or-more!',
    limits: {eventsPerSecond: 0, readsPerMinute: 1, deletesPerSecond: 2},
    reportCpuMsMax: 0,
    trustedProxies: ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
    webhooks: {allowed: ['10.1.0.0/16'], allowsHttp: true},
    mail: {
      ...{host: '::1', port: 4_650, isTls: true, login: {user: 'stats@example.com', password: 'hid/den'}},
      from: {address: 'stats@example.com', name: 'Millrace'},
    },
    dashboardHosts: ['stats.example.com', 'millrace'],
    dashboardUrl: 'https://stats.example.com/dashboard',
    cacheBytesMax: 64 * 1_048_576,
    dedupeBytesMax: 8 * 1_048_576,
    eventNamesMax: 50,
    funnelBytesMax: 2 * 1_048_576,
    logLevel: 'debug',
  });
  expect(Object.isFrozen(config) && Object.isFrozen(config.limits)).toBe(true);
});

/** Every variable that is read, whatever the others say. */
function variablesRead(): string[] {
  const names = new Set<string>();
  const noted = new Proxy<Record<string, string>>({}, {get: (_, name) => void names.add(String(name))});
  readConfig(noted);
  return [...names].sort();
}

const page = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('every variable that is read is described, and no other', () => {
  expect([...variables.keys()].sort()).toEqual(variablesRead());
});

test('a default that is described is the one that is taken', () => {
  const presets = Object.fromEntries(
    [...variables].flatMap(([name, {default: preset}]) => (preset ? [[name, preset]] : [])),
  );
  const withoutPorts = Object.entries(presets).filter(([name]) => name !== 'ADMIN_HOST'); // It needs ADMIN_PORT.
  expect(good(Object.fromEntries(withoutPorts))).toEqual(good({}));
  expect(good({ADMIN_PORT: '1'}).admin?.host).toBe(presets.ADMIN_HOST);
});

test('docker-compose.yml passes on variables that are read, under their own names', () => {
  const passed = [...page('docker-compose.yml').matchAll(/^ {6}([A-Z_]+): \$\{([A-Z_]+):-/gm)];
  expect(passed.length).toBeGreaterThan(10);
  for (const [, name, source] of passed)
    expect([source, variablesRead()]).toEqual([name, expect.arrayContaining([name])]);
});

/** In the order of the names given. */
function doubted(env: Record<string, string>): [string, string][] {
  const result = readConfig(env);
  if (result.kind === 'bad') throw new Error(result.line);
  return result.misspelt.map(({name, nearest}) => [name, nearest]);
}

test.each([
  ['REPORT_REFRESH', 'REPORT_REFRESH_SECONDS'],
  ['REPORT_REFRESH_MS', 'REPORT_REFRESH_SECONDS'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DIRS', 'DATA_DIR'],
  ['NATS_TOKN', 'NATS_TOKEN'],
  ['NATS_URLS', 'NATS_URL'],
  ['NATS_SERVER', 'NATS_SERVER_BIN'],
  ['nats_url', 'NATS_URL'],
  ['PORTS', 'PORT'],
  ['PARTITION', 'PARTITIONS'],
  ['ROLE', 'ROLES'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['BOOTSTRAP_SECRET', 'BOOTSTRAP_SECRET_KEY'],
  ['RATE_LIMIT_EVENTS', 'RATE_LIMIT_EVENTS_PER_SECOND'],
  ['MEMORY_CACHE_MB', 'MEMORY_CACHE_MIB'],
  ['MILLRACE_DATA_DIR', 'DATA_DIR'],
  ['MILLRACE_REPORT_REFRESH', 'REPORT_REFRESH_SECONDS'],
])('%s is doubted, and %s named', (name, nearest) => {
  expect(doubted({[name]: 'a value'})).toEqual([[name, nearest]]);
});

test('variables of other programs, of supervisors and of containers are not doubted', () => {
  const names =
    'HOME HOSTNAME PATH PWD TERM LANG LOGNAME SHELL USER TZ NODE_ENV NODE_OPTIONS INVOCATION_ID JOURNAL_STREAM';
  const container =
    'NATS_PORT NATS_SERVICE_HOST NATS_SERVICE_PORT_CLIENT NATS_PORT_4222_TCP_ADDR DATABASE_URL XDG_DATA_DIRS';
  const systemd = 'MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE STATE_DIRECTORY LOGS_DIRECTORY NOTIFY_SOCKET';
  const all =
    `${names} ${container} ${systemd} npm_config_cache MILLRACE_KEY MILLRACE_KEY_FILE MILLRACE_PORT MILLRACE_SERVICE_HOST`.split(
      ' ',
    );
  expect(doubted(Object.fromEntries(all.map((name) => [name, 'a value'])))).toEqual([]);
});

test('a variable that is read is not doubted, also where another one makes it pointless', () => {
  const all = Object.fromEntries(variablesRead().map((name) => [name, '']));
  expect(doubted({...all, NATS_URL: 'nats://host', ROLES: 'report'})).toEqual([]);
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
  afterAll(() => rmSync(folder, {recursive: true}));
  const file = (text: string): string => {
    const path = join(folder, `secret-${readdirSync(folder).length}`);
    writeFileSync(path, text);
    return path;
  };
  const secrets = {
    ADMIN_TOKEN: 'sixteen-or-more!',
    BOOTSTRAP_WRITE_KEY: 'sk_write_0123456789abcdEF',
    BOOTSTRAP_SECRET_KEY: 'sk_live_0123456789abcdEF',
    NATS_TOKEN: 'hidden-token',
  };

  test.each(['', '\n', '\r\n'])('is the same as one in the environment, with %j behind it', (end) => {
    const env = {NATS_URL: 'nats://h'};
    const inFiles = Object.entries(secrets).map(([name, text]) => [`${name}_FILE`, file(text + end)]);
    expect(good({...env, ...Object.fromEntries(inFiles)})).toEqual(good({...env, ...secrets}));
  });

  test.each<[string, (name: string, text: string) => Record<string, string>, RegExp]>([
    ['both', (name, text) => ({[name]: text, [`${name}_FILE`]: file(text)}), /and [A-Z_]+ exclude each other$/],
    ['a missing file', (name) => ({[`${name}_FILE`]: join(folder, 'none')}), /cannot be read: ENOENT[^\n]*none'$/],
    ['a folder', (name) => ({[`${name}_FILE`]: folder}), /cannot be read: EISDIR/],
    ['an empty file', (name) => ({[`${name}_FILE`]: file('\n')}), /names an empty file$/],
    ['an endless one', (name) => ({[`${name}_FILE`]: '/dev/zero'}), /names a file of more than 4096 bytes$/],
    ['two lines', (name, text) => ({[`${name}_FILE`]: file(`${text}\n${text}\n`)}), /must name a file that holds /],
    ['blanks', (name, text) => ({[`${name}_FILE`]: file(` ${text}`)}), /must name a file that holds /],
  ])('%s: one clear line, without the secret', (_, envOf, expected) => {
    for (const [name, text] of Object.entries(secrets)) {
      const line = bad({NATS_URL: 'nats://h', ...envOf(name, text)});
      expect(line).toMatch(new RegExp(`^bad configuration: ${name}_FILE `));
      expect(line).toMatch(expected);
      expect(line).not.toContain(text);
    }
  });

  test('a token for NATS has no meaning without NATS there, too', () => {
    expect(bad({NATS_TOKEN_FILE: file('abc')})).toContain('NATS_TOKEN_FILE has no meaning without NATS_URL');
  });
});

test('empty variables count as unset', () => {
  expect(good({PORT: '', NATS_URL: ' ', ADMIN_TOKEN: ''})).toEqual(good({}));
});

describe('a bad value is named with what was expected', () => {
  test.each([
    [{PORT: '65536'}, 'PORT must be a whole number from 0 to 65535 (is "65536")'],
    [{PORT: '80.5'}, 'PORT must be'],
    [{PORT: '0x50'}, 'PORT must be'],
    [{HOST: 'a b'}, 'HOST must be a host name'],
    [{ADMIN_PORT: '8080'}, 'ADMIN_PORT must be another port than PORT'],
    [{ADMIN_PORT: 'x'}, 'ADMIN_PORT must be a whole number from 0 to 65535'],
    [{ADMIN_HOST: '::1'}, 'ADMIN_HOST has no meaning without ADMIN_PORT'],
    [{PARTITIONS: '0'}, 'PARTITIONS must be a whole number from 1 to 256 (is "0")'],
    [{REPLICAS: '6', NATS_URL: 'nats://h'}, 'REPLICAS must be a whole number from 1 to 5'],
    [{REPLICAS: '3'}, 'REPLICAS above 1 needs NATS_URL'],
    [{LOG_MESSAGES_PER_SECOND: '0'}, 'LOG_MESSAGES_PER_SECOND must be a whole number from 10 to 1000000'],
    [{ROLES: 'edge,edge'}, 'ROLES must be a list out of edge,partition,report,deliver (is "edge,edge")'],
    [{ROLES: 'edge,nurse'}, 'ROLES must be'],
    [{REPORT_REFRESH_SECONDS: '0'}, 'REPORT_REFRESH_SECONDS must be a number from 0.1 to 86400'],
    [{REPORT_REFRESH_SECONDS: '1e3'}, 'REPORT_REFRESH_SECONDS must be'],
    [{MEMORY_CACHE_MIB: '-1'}, 'MEMORY_CACHE_MIB must be'],
    [{TRUSTED_PROXIES: '10.0.0.0/8,proxy'}, 'TRUSTED_PROXIES must be IP addresses and blocks of them'],
    [{TRUSTED_PROXIES: '10.0.0.0/33'}, 'TRUSTED_PROXIES must be'],
    [{WEBHOOK_ALLOW_ADDRESSES: '10.0.0.0/33'}, 'WEBHOOK_ALLOW_ADDRESSES must be IP addresses and blocks of them'],
    [{WEBHOOK_ALLOW_HTTP: 'yes'}, 'WEBHOOK_ALLOW_HTTP must be one of 0, 1'],
    [{MAIL_FROM: 'stats@example.com'}, 'MAIL_FROM has no meaning without SMTP_URL'],
    [{SMTP_URL: 'smtp://mail'}, 'MAIL_FROM must be the sender of mails'],
    [{SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@b\nBcc: c@d'}, 'MAIL_FROM must be the sender of mails'],
    [{SMTP_URL: 'http://mail', MAIL_FROM: 'a@b'}, 'SMTP_URL must be smtp://host:port or smtps://host:port'],
    [{SMTP_URL: 'smtp://hidden@mail', MAIL_FROM: 'a@b'}, 'SMTP_URL must be'],
    [{SMTP_URL: 'smtp://hidden:5%off@mail', MAIL_FROM: 'a@b'}, 'SMTP_URL must be'],
    [{TRUSTED_PROXIES: '::1/129'}, 'TRUSTED_PROXIES must be'],
    [{TRUSTED_PROXIES: '10.0.0.0/'}, 'TRUSTED_PROXIES must be'],
    [{TRUSTED_PROXIES: '10.0.0.1,,10.0.0.2'}, 'TRUSTED_PROXIES must be'],
    [{LOG_LEVEL: 'loud'}, 'LOG_LEVEL must be one of trace,'],
    [{NATS_URL: 'http://h:4222'}, 'NATS_URL must be nats://host:port'],
    [{NATS_URL: 'nats://h:99999'}, 'NATS_URL must be'],
    [{NATS_URL: 'nats://u:50%off@h'}, 'NATS_URL has a malformed escape in its login'],
    [{NATS_TOKEN: 'abc'}, 'NATS_TOKEN has no meaning without NATS_URL'],
    [{NATS_MONITOR_URL: 'http://h:9222'}, 'NATS_MONITOR_URL has no meaning without NATS_URL'],
    [
      {NATS_URL: 'nats://h', NATS_MONITOR_URL: 'h:9222'},
      'NATS_MONITOR_URL must be http://host:port or https://host:port without a login, or several with commas',
    ],
    [{NATS_URL: 'nats://h', NATS_MONITOR_URL: 'http://me:hidden@h:9222'}, 'without a login'],
    [{NATS_URL: 'nats://h', NATS_TOKEN: 'abc', NATS_CREDS: '/c'}, 'NATS_CREDS and NATS_TOKEN exclude each other'],
  ])('%j', (env, expected) => {
    expect(bad(env as unknown as Record<string, string>)).toContain(expected);
  });

  const badValues = {
    PORT: 'eighty',
    PARTITIONS: '0',
    REPLICAS: 'two',
    ROLES: 'edge,kitchen',
    REPORT_REFRESH_SECONDS: '-1',
    RATE_LIMIT_EVENTS_PER_SECOND: 'many',
    RATE_LIMIT_READS_PER_MINUTE: '-5',
    RATE_LIMIT_DELETES_PER_SECOND: 'x',
    MEMORY_CACHE_MIB: '1.5.1',
    DEDUPE_MEMORY_MIB: '-1',
    LOG_LEVEL: 'loud',
    BOOTSTRAP_WRITE_KEY: 'sk_live_wrongPrefix',
    BOOTSTRAP_READ_KEY: 'sk_live_wrongPrefix',
    BOOTSTRAP_SECRET_KEY: 'sk_write_wrongPrefix',
  };

  test.each(Object.entries(badValues))('%s=%s alone is enough, and no other is named', (name, value) => {
    const line = bad({[name]: value});
    expect(line).not.toContain('\n');
    expect(Object.keys(badValues).filter((each) => new RegExp(`\\b${each}\\b`).test(line))).toEqual([name]);
  });

  test('every one of many is named', () => {
    const line = bad(badValues);
    for (const name of Object.keys(badValues)) expect(line).toContain(name);
  });

  test('all of them in one line', () => {
    const line = bad({PORT: 'x', PARTITIONS: 'y', LOG_LEVEL: 'z'});
    expect(line).toMatch(/^bad configuration: PORT [^\n]*; PARTITIONS [^\n]*; LOG_LEVEL [^\n]*$/);
  });

  test.each([
    {BOOTSTRAP_WRITE_KEY: 'sk_write_leak'},
    {BOOTSTRAP_WRITE_KEY: 'sk_live_0123456789abcdEFleak'},
    {BOOTSTRAP_SECRET_KEY: 'sk_live_0123456789abcdEF_leak'},
    {ADMIN_TOKEN: 'leak'},
    {ADMIN_TOKEN: 'sk_live_leakLeakLeakLeak01'},
    {ADMIN_TOKEN: 'sk_read_leakLeakLeakLeak01'},
    {NATS_URL: 'nats://leak:leak@h:99999'},
    {NATS_URL: 'nats://leak:leak%@h:4222'},
  ])('a secret is not repeated: %j', (env) => {
    const line = bad(env as unknown as Record<string, string>);
    expect(line).toContain(Object.keys(env)[0]);
    expect(line).not.toContain('leak');
  });
});

test('the printable form says where it listens, if it does', () => {
  expect(printableConfig(good({PORT: '81'}))).toMatchObject({host: '127.0.0.1', port: 81});
  const silent = printableConfig(good({PORT: '81', ROLES: 'partition,report'}));
  expect(Object.keys(silent)).toContain('dataDir');
  expect(silent).not.toHaveProperty('host');
  expect(silent).not.toHaveProperty('port');
});

test('the printable form holds no secret', () => {
  const printed = JSON.stringify(
    printableConfig(
      good({
        NATS_URL: 'nats://user:hidden@host:4222,nats://hidden@host2',
        NATS_TOKEN: 'hidden',
        BOOTSTRAP_WRITE_KEY: 'sk_write_hidden0123456789',
        BOOTSTRAP_READ_KEY: 'sk_read_hidden0123456789',
        BOOTSTRAP_SECRET_KEY: 'sk_live_hidden0123456789',
        ADMIN_TOKEN: 'hidden-hidden-hidden',
        SMTP_URL: 'smtps://stats:hidden@mail.example.com',
        MAIL_FROM: 'stats@example.com',
      }),
    ),
  );
  expect(printed).not.toContain('hidden');
  expect(printed).toContain('nats://host:4222');
});

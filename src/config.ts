// Configuration: the one place that reads the environment. Parsed once, checked as a whole, then frozen.
//   Names, defaults, bounds and help texts are data (variables.json), which `--help` and docs/configuration.md show, too.
//   A bad start names every bad value in one line, and never shows a secret. An empty variable counts as unset (compose files
//   pass `${NAME:-}`). Every secret can come from a file instead: `NAME_FILE` is its path.

import {isIP} from 'node:net';
import {resolve} from 'node:path';
import {assert} from '../actors/invariant.js';
import {senderOf} from './mail/mail-address.js';
import type {MailServer} from './mail/mailer.js';
import {type MisspeltVariable, misspeltVariables} from './misspelt-variables.js';
import {ordinaryRefreshPlan, type RefreshPlan, steadyRefreshPlan} from './refresh.js';
import {readSecretFile} from './secret-file.js';
import groups from './variables.json' with {type: 'json'};
import {zoneOf} from './zone.js';

export const roles = ['edge', 'partition', 'report', 'deliver'] as const;
export type Role = (typeof roles)[number];

/** The data of one variable. */
interface Variable {
  readonly default?: string;
  readonly min?: number;
  readonly max?: number;
  readonly words?: readonly string[];
}

/** By name. */
export const variables: ReadonlyMap<string, Variable> = new Map(
  groups.flatMap((group) => Object.entries<Variable>(group.variables)),
);

function variableOf(name: string): Variable {
  const variable = variables.get(name);
  assert(variable !== undefined, `${name} is a variable of variables.json`);
  return variable;
}

/** An external NATS, or the service's own under DATA_DIR. */
type NatsChoice =
  | {
      readonly kind: 'external';
      readonly servers: string[];
      readonly token?: string;
      readonly credsPath?: string;
      /** URLs of the servers' monitoring, without a slash at the end; absent: guessed. */
      readonly monitors?: readonly string[];
    }
  | {readonly kind: 'embedded'; readonly serverBin: string};

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface Config extends ListenAddress {
  /** Address of the operators' routes, if they have their own port. */
  readonly admin: ListenAddress | undefined;
  readonly dataDir: string;
  /** Folder of the journal of deletions, outside `dataDir`. */
  readonly deletionsDir: string;
  readonly nats: NatsChoice;
  readonly partitions: number;
  readonly replicas: number;
  /** Messages a second that all edges may publish to the logs of an external NATS. */
  readonly logMessagesPerSecond: number;
  readonly roles: readonly Role[];
  readonly reportRefresh: RefreshPlan;
  /** Zone of requests that name none; undefined: UTC, which answers do not name. */
  readonly reportTimezone: string | undefined;
  /** Whether anonymous users become known ones. */
  readonly joinsIdentities: boolean;
  readonly bootstrapWriteKey: string | undefined;
  readonly bootstrapReadKey: string | undefined;
  readonly bootstrapSecretKey: string | undefined;
  readonly adminToken: string | undefined;
  /** 0 switches a limit off. */
  readonly limits: {
    readonly eventsPerSecond: number;
    readonly readsPerMinute: number;
    readonly deletesPerSecond: number;
  };
  /** Bound of the computing for one question to reports; 0: none. */
  readonly reportCpuMsMax: number;
  /** Addresses, and blocks of them as `<address>/<bits>`. */
  readonly trustedProxies: readonly string[];
  /** In lower case; undefined: no header says the country of a client. */
  readonly countryHeader: string | undefined;
  /** Path of an MMDB file; undefined: there is none. */
  readonly geoipFile: string | undefined;
  /** Where webhooks may go, beside public addresses with HTTPS. */
  readonly webhooks: {readonly allowed: readonly string[]; readonly allowsHttp: boolean};
  /** Undefined: no mail is sent. */
  readonly mail: MailServer | undefined;
  /** Host names under which the dashboard is served, in addition to addresses and `localhost`; lower case. */
  readonly dashboardHosts: readonly string[];
  /** Where people open the dashboard: messages link to it. It has no slash at its end; undefined: they have no links. */
  readonly dashboardUrl: string | undefined;
  /** Folder of the benches' result files that the dashboard shows; undefined: the project's, if it has any. */
  readonly benchResultsDir: string | undefined;
  readonly cacheBytesMax: number;
  readonly dedupeBytesMax: number;
  /** Bound of the number of event names. */
  readonly eventNamesMax: number;
  readonly funnelBytesMax: number;
  /** Days for which events are kept; 0: for ever. */
  readonly retentionDays: number;
  readonly logLevel: string;
}

type ConfigResult =
  | {readonly kind: 'config'; readonly config: Config; readonly misspelt: readonly MisspeltVariable[]}
  /** One line that names every bad value. */
  | {readonly kind: 'bad'; readonly line: string};

type Environment = Readonly<Record<string, string | undefined>>;

const mib = 1_048_576;
const adminTokenCharactersMin = 16;

export function readConfig(env: Environment): ConfigResult {
  const read = new Reader(env);
  const dataDir = resolve(read.path('DATA_DIR'));
  const config: Config = {
    host: read.host('HOST'),
    port: read.integer('PORT'),
    admin: readAdminAddress(read),
    dataDir,
    deletionsDir: resolve(read.path('DELETIONS_DIR', deletionsDirOf(dataDir))),
    nats: readNats(read),
    // At most 256: a stream per partition costs memory and fsyncs long before more partitions help.
    partitions: read.integer('PARTITIONS'),
    replicas: read.integer('REPLICAS'),
    logMessagesPerSecond: read.integer('LOG_MESSAGES_PER_SECOND'),
    roles: read.list('ROLES', roles),
    reportRefresh: readRefresh(read),
    reportTimezone: readTimezone(read),
    joinsIdentities: read.word('IDENTITY_JOIN') === 'on',
    bootstrapWriteKey: read.secret('BOOTSTRAP_WRITE_KEY', /^sk_write_[A-Za-z0-9]{16,}$/, keyForm('sk_write_')),
    bootstrapReadKey: read.secret('BOOTSTRAP_READ_KEY', /^sk_read_[A-Za-z0-9]{16,}$/, keyForm('sk_read_')),
    bootstrapSecretKey: read.secret('BOOTSTRAP_SECRET_KEY', /^sk_live_[A-Za-z0-9]{16,}$/, keyForm('sk_live_')),
    adminToken: read.secret(
      'ADMIN_TOKEN',
      adminTokenForm,
      `at least ${adminTokenCharactersMin} printable ASCII characters without spaces, and no API key`,
    ),
    limits: {
      eventsPerSecond: read.integer('RATE_LIMIT_EVENTS_PER_SECOND'),
      readsPerMinute: read.integer('RATE_LIMIT_READS_PER_MINUTE'),
      deletesPerSecond: read.integer('RATE_LIMIT_DELETES_PER_SECOND'),
    },
    reportCpuMsMax: read.integer('REPORT_CPU_SECONDS') * 1_000,
    trustedProxies: readAddressBlocks(read, 'TRUSTED_PROXIES'),
    countryHeader: read.given('COUNTRY_HEADER', headerName, 'the name of a header')?.toLowerCase(),
    geoipFile: read.given('GEOIP_FILE', /^[^\0]+$/, 'a path'),
    webhooks: {
      allowed: readAddressBlocks(read, 'WEBHOOK_ALLOW_ADDRESSES'),
      allowsHttp: read.word('WEBHOOK_ALLOW_HTTP') === '1',
    },
    mail: readMail(read),
    dashboardHosts: readHostNames(read),
    dashboardUrl: readDashboardUrl(read),
    benchResultsDir: readBenchResultsDir(read),
    cacheBytesMax: read.integer('MEMORY_CACHE_MIB') * mib,
    dedupeBytesMax: read.integer('DEDUPE_MEMORY_MIB') * mib,
    eventNamesMax: read.integer('EVENT_NAMES_MAX'),
    funnelBytesMax: read.integer('FUNNEL_MEMORY_MIB') * mib,
    retentionDays: read.integer('RETENTION_DAYS'),
    logLevel: read.word('LOG_LEVEL'),
  };
  if (config.nats.kind === 'embedded' && config.replicas > 1) {
    read.refuse('REPLICAS', 'above 1 needs NATS_URL: the embedded nats-server is a single one');
  }
  if (`${config.deletionsDir}/`.startsWith(`${dataDir}/`)) {
    read.refuse(
      'DELETIONS_DIR',
      'must be outside DATA_DIR: restoring a backup of DATA_DIR would bring back an older journal',
    );
  }
  if (config.countryHeader !== undefined && config.trustedProxies.length === 0) {
    read.refuse('COUNTRY_HEADER', 'needs TRUSTED_PROXIES: anybody else can write a header');
  }
  if (config.admin !== undefined && config.admin.port !== 0 && config.admin.port === config.port) {
    read.refuse('ADMIN_PORT', 'must be another port than PORT');
  }
  if (read.problems.length > 0) return {kind: 'bad', line: `bad configuration: ${read.problems.join('; ')}`};
  return {
    kind: 'config',
    config: deepFreeze(config),
    misspelt: misspeltVariables(Object.keys(env), [...variables.keys()]),
  };
}

/** Default of DELETIONS_DIR, next to DATA_DIR; the command line uses it, too. */
export const deletionsDirOf = (dataDir: string): string => `${dataDir}-deletions`;

/** The configuration for the log: every value, secrets only as `set`. A process that does not listen has no address. */
export function printableConfig({host, port, admin, ...config}: Config): Record<string, unknown> {
  const mask = (secret: string | undefined): string => (secret === undefined ? 'unset' : 'set');
  return {
    ...(config.roles.includes('edge') ? {host, port, ...(admin === undefined ? {} : {admin})} : {}),
    ...config,
    nats: config.nats.kind === 'embedded' ? config.nats : printableNats(config.nats),
    bootstrapWriteKey: mask(config.bootstrapWriteKey),
    bootstrapReadKey: mask(config.bootstrapReadKey),
    bootstrapSecretKey: mask(config.bootstrapSecretKey),
    adminToken: mask(config.adminToken),
    mail: config.mail && {...config.mail, login: mask(config.mail.login?.password)},
  };
}

function printableNats(nats: NatsChoice & {kind: 'external'}): Record<string, unknown> {
  const servers = nats.servers.map((server) => server.replace(/\/\/[^/@]*@/, '//'));
  const token = nats.token === undefined ? 'unset' : 'set';
  return {kind: nats.kind, servers, token, credsPath: nats.credsPath, monitors: nats.monitors};
}

const headerName = /^[A-Za-z0-9-]{1,64}$/;
const fileName = (name: string): string => `${name}_FILE`;
const keyForm = (prefix: string): string => `${prefix} followed by at least 16 letters and digits`;
const adminTokenForm = new RegExp(`^(?!sk_(?:write|read|live)_)[\\x21-\\x7e]{${adminTokenCharactersMin},}$`);
export const isAdminToken = (text: string): boolean => adminTokenForm.test(text);

function readRefresh(read: Reader): RefreshPlan {
  if (read.value('REPORT_REFRESH_SECONDS') === undefined) return ordinaryRefreshPlan;
  return steadyRefreshPlan(Math.round(read.number('REPORT_REFRESH_SECONDS') * 1_000));
}

function readTimezone(read: Reader): string | undefined {
  const name = read.value('REPORT_TIMEZONE');
  if (name === undefined || zoneOf(name) !== undefined) return name;
  read.refuseValue('REPORT_TIMEZONE', 'an IANA name such as Europe/Berlin, or an offset such as -03:30');
  return undefined;
}

function readNats(read: Reader): NatsChoice {
  const url = read.value('NATS_URL');
  const token = read.secret('NATS_TOKEN', /^[\x21-\x7e]+$/, 'printable ASCII characters without spaces');
  const credsPath = read.value('NATS_CREDS');
  const monitors = readMonitors(read);
  const serverBin = read.value('NATS_SERVER_BIN') ?? '';
  if (url === undefined) {
    if (token !== undefined) read.refuse(read.givenName('NATS_TOKEN'), 'has no meaning without NATS_URL');
    if (credsPath !== undefined) read.refuse('NATS_CREDS', 'has no meaning without NATS_URL');
    if (monitors !== undefined) read.refuse('NATS_MONITOR_URL', 'has no meaning without NATS_URL');
    return {kind: 'embedded', serverBin};
  }
  if (token !== undefined && credsPath !== undefined) read.refuse('NATS_CREDS', 'and NATS_TOKEN exclude each other');
  const servers = url.split(',').map((server) => server.trim());
  // The address may contain a password: the message does not repeat it.
  if (!servers.every(isServerAddress))
    read.refuse('NATS_URL', 'must be nats://host:port or tls://host:port, or several with commas');
  else if (!servers.every(hasReadableLogin))
    read.refuse('NATS_URL', 'has a malformed escape in its login: a % in it is written %25');
  return {
    kind: 'external',
    servers,
    ...(token === undefined ? {} : {token}),
    ...(credsPath === undefined ? {} : {credsPath: resolve(credsPath)}),
    ...(monitors === undefined ? {} : {monitors}),
  };
}

function readMonitors(read: Reader): string[] | undefined {
  const urls = read
    .value('NATS_MONITOR_URL')
    ?.split(',')
    .map((url) => url.trim().replace(/\/+$/, ''));
  // An address with a login is refused: the message does not repeat it.
  if (
    urls === undefined ||
    urls.every((url) => /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/.test(url) && URL.canParse(url))
  )
    return urls;
  read.refuse(
    'NATS_MONITOR_URL',
    'must be http://host:port or https://host:port without a login, or several with commas',
  );
  return [];
}

function isServerAddress(server: string): boolean {
  const [, scheme, rest] = /^(?:([a-z]+):\/\/)?([^\s/]+)\/?$/.exec(server) ?? [];
  return rest !== undefined && ['nats', 'tls', undefined].includes(scheme) && URL.canParse(`http://${rest}`);
}

function hasReadableLogin(server: string): boolean {
  const [, login = ''] = /^(?:[a-z]+:\/\/)?([^/]*)@/.exec(server) ?? [];
  try {
    decodeURIComponent(login);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

function readAdminAddress(read: Reader): ListenAddress | undefined {
  const host = read.value('ADMIN_HOST');
  if (read.value('ADMIN_PORT') !== undefined) return {host: read.host('ADMIN_HOST'), port: read.integer('ADMIN_PORT')};
  if (host !== undefined) read.refuse('ADMIN_HOST', 'has no meaning without ADMIN_PORT');
  return undefined;
}

function readAddressBlocks(read: Reader, name: string): string[] {
  const blocks =
    read
      .value(name)
      ?.split(',')
      .map((block) => block.trim()) ?? [];
  if (blocks.every(isAddressBlock)) return blocks;
  read.refuseValue(name, 'IP addresses and blocks of them (10.0.0.0/8) with commas');
  return [];
}

function readHostNames(read: Reader): string[] {
  const names =
    read
      .value('DASHBOARD_HOSTS')
      ?.split(',')
      .map((name) => name.trim().toLowerCase()) ?? [];
  if (names.every((name) => /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/.test(name))) return names;
  read.refuseValue('DASHBOARD_HOSTS', 'host names without port (stats.example.com) with commas');
  return [];
}

const mailPorts: Readonly<Record<string, number>> = {'smtp:': 587, 'smtps:': 465};
const smtpForm = 'smtp://host:port or smtps://host:port, with user:password@ before the host if it needs a login';

function readMail(read: Reader): MailServer | undefined {
  const text = read.secret('SMTP_URL', /^smtps?:\/\/[^\s/?#]+\/?$/, smtpForm);
  const from = read.value('MAIL_FROM');
  if (text === undefined) {
    if (from !== undefined) read.refuse('MAIL_FROM', 'has no meaning without SMTP_URL');
    return undefined;
  }
  const server = smtpServerOf(text);
  const sender = senderOf(from ?? '');
  if (server === undefined) read.refuse(read.givenName('SMTP_URL'), `must be ${smtpForm}`);
  if (sender === undefined)
    read.refuseValue('MAIL_FROM', 'the sender of mails: stats@example.com, or Name <stats@example.com>');
  return server && sender && {...server, from: sender};
}

function smtpServerOf(text: string): Omit<MailServer, 'from'> | undefined {
  if (!URL.canParse(text)) return undefined;
  const {protocol, hostname, port, username, password} = new URL(text);
  const [user, secret] = [decodedOf(username), decodedOf(password)];
  if (hostname === '' || user === undefined || secret === undefined || (user === '') !== (secret === ''))
    return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const login = user === '' ? {} : {login: {user, password: secret}};
  return {host, port: port === '' ? mailPorts[protocol]! : Number(port), isTls: protocol === 'smtps:', ...login};
}

/** Undefined: its escapes are no text. */
function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

function readDashboardUrl(read: Reader): string | undefined {
  const url = read.value('DASHBOARD_URL')?.replace(/\/+$/, '');
  if (url === undefined || (/^https?:\/\/[^\s?#@]+$/.test(url) && URL.canParse(url))) return url;
  read.refuseValue('DASHBOARD_URL', 'the address of the dashboard (https://stats.example.com/dashboard)');
  return undefined;
}

function readBenchResultsDir(read: Reader): string | undefined {
  const path = read.value('BENCH_RESULTS_DIR');
  return path === undefined ? undefined : resolve(path);
}

function isAddressBlock(block: string): boolean {
  const [, address, bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(block) ?? [];
  const family = isIP(address ?? '');
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
}

/** Reads typed values and collects their faults; a bad value reads as its default. */
class Reader {
  readonly problems: string[] = [];

  constructor(private readonly env: Environment) {}

  refuse(name: string, why: string): void {
    this.problems.push(`${name} ${why}`);
  }

  refuseValue(name: string, expected: string): void {
    this.refuse(name, `must be ${expected} (is ${JSON.stringify(this.value(name))})`);
  }

  value(name: string): string | undefined {
    assert(variables.has(name), `${name} is a variable of variables.json`);
    const text = this.env[name]?.trim();
    return text === '' ? undefined : text;
  }

  path(name: string, preset?: string): string {
    return this.text(name, /^[^\0]+$/, 'a path', preset);
  }

  host(name: string): string {
    return this.text(name, /^[A-Za-z0-9.:_%-]+$/, 'a host name or an IP address');
  }

  /** Undefined: it is not set, or bad. */
  given(name: string, form: RegExp, expected: string): string | undefined {
    return this.value(name) === undefined ? undefined : this.text(name, form, expected);
  }

  private text(name: string, form: RegExp, expected: string, preset = variableOf(name).default ?? ''): string {
    const text = this.value(name) ?? preset;
    if (form.test(text)) return text;
    this.refuseValue(name, expected);
    return preset;
  }

  /** As `text`, but the message does not repeat a bad value, there is no preset, and a file may hold the value. */
  secret(name: string, form: RegExp, expected: string): string | undefined {
    const text = this.value(name);
    const path = this.value(fileName(name));
    if (path !== undefined) {
      if (text === undefined) return this.secretOfFile(name, path, form, expected);
      this.refuse(fileName(name), `and ${name} exclude each other`);
    }
    if (text === undefined || form.test(text)) return text;
    this.refuse(name, `must be ${expected}`);
    return undefined;
  }

  private secretOfFile(name: string, path: string, form: RegExp, expected: string): string | undefined {
    const file = readSecretFile(path);
    if (file.kind === 'secret' && form.test(file.text)) return file.text;
    this.refuse(
      fileName(name),
      file.kind === 'bad' ? file.why : `must name a file that holds ${expected}, and nothing else`,
    );
    return undefined;
  }

  /** The one of a secret's two variables that is set. */
  givenName(name: string): string {
    return this.value(name) === undefined ? fileName(name) : name;
  }

  integer(name: string): number {
    return this.parse(name, /^\d{1,15}$/, 'a whole number');
  }

  number(name: string): number {
    return this.parse(name, /^\d{1,15}(\.\d{1,9})?$/, 'a number');
  }

  /** One of the words of the variable. */
  word(name: string): string {
    const {default: preset = '', words = []} = variableOf(name);
    const text = this.value(name) ?? preset;
    if (words.includes(text)) return text;
    this.refuseValue(name, `one of ${words.join(', ')}`);
    return preset;
  }

  /** Words with commas, each at most once; unset means all of them. */
  list<Word extends string>(name: string, words: readonly Word[]): readonly Word[] {
    const given =
      this.value(name)
        ?.split(',')
        .map((word) => word.trim()) ?? words;
    const isGood = given.every((word) => words.includes(word as Word)) && new Set(given).size === given.length;
    if (isGood) return given as readonly Word[];
    this.refuseValue(name, `a list out of ${words.join(',')}`);
    return words;
  }

  private parse(name: string, form: RegExp, kind: string): number {
    const {default: preset, min = 0, max = Number.MAX_SAFE_INTEGER} = variableOf(name);
    const text = this.value(name) ?? preset;
    const value = Number(text);
    if (text !== undefined && form.test(text) && value >= min && value <= max) return value;
    this.refuseValue(name, `${kind} from ${min} to ${max}`);
    return Number(preset ?? min);
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

// The proxies of ops/proxies as real programs, each with its file as it stands there: only ports, the folder of the certificate
// and of logs, and where Millrace listens are replaced. They end with the test process.

import {type ChildProcess, execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {Agent, type RequestOptions, request} from 'node:https';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {freePort} from '../../tools/chaos/free-port.js';
import {temporaryFolder} from './service.js';
import {until} from './until.js';

export const proxyPrograms = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyProgram = (typeof proxyPrograms)[number];

export const canRun = (program: ProxyProgram): boolean =>
  spawnSync(program, [program === 'caddy' ? 'version' : '-v']).status === 0;

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly millrace: number;
}

interface Launch {
  readonly words: readonly string[];
  readonly configuration: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const fileOf = (program: ProxyProgram, basePath: string): string => {
  const variant = basePath === '' ? '' : '-base-path';
  const names = {nginx: `nginx${variant}.conf`, haproxy: `haproxy${variant}.cfg`, caddy: `Caddyfile${variant}`};
  const path = fileURLToPath(new URL(`../../ops/proxies/${names[program]}`, import.meta.url));
  return readFileSync(path, 'utf8');
};

/** Fails when there is nothing to replace: the test would run something else than what an operator does. */
function replaced(text: string, ...pairs: readonly (readonly [RegExp, string])[]): string {
  for (const [what, by] of pairs) {
    if (text.search(what) < 0) throw new Error(`nothing matches ${what} in a file of ops/proxies`);
    text = text.replaceAll(what, by);
  }
  return text;
}

const launches: Readonly<Record<ProxyProgram, (text: string, folder: string, ports: Ports) => Launch>> = {
  nginx(text, folder, {plain, tls, millrace}) {
    const site = replaced(
      text.replaceAll(/^ *listen \[::\].*\n/gm, '').replaceAll('listen 80;', `listen 127.0.0.1:${plain};`),
      [/listen 443/g, `listen 127.0.0.1:${tls}`],
      [/\/etc\/ssl\/millrace|\/var\/log\/nginx/g, folder],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${millrace}`],
    );
    writeFileSync(join(folder, 'site.conf'), site);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    const configuration = [
      // One process of one user, which ends with its id.
      'daemon off; master_process off;',
      `pid ${folder}/nginx.pid; error_log stderr warn;`,
      'events {}',
      `http {${temporary.join(' ')} include ${folder}/site.conf;}`,
    ].join('\n');
    return {words: ['-e', 'stderr', '-p', folder, '-c'], configuration};
  },
  haproxy(text, folder, {plain, tls, millrace}) {
    const configuration = replaced(
      text,
      [/bind :80$/gm, `bind 127.0.0.1:${plain}`],
      [/bind :443/g, `bind 127.0.0.1:${tls}`],
      [/\/etc\/ssl\/millrace/g, folder],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${millrace}`],
    );
    return {words: ['-db', '-f'], configuration};
  },
  caddy(text, folder, {tls, millrace}) {
    const site = replaced(
      text,
      [/^(\S*example\.com) \{/gm, `$1:${tls} {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`],
      [/127\.0\.0\.1:8080/g, `127.0.0.1:${millrace}`],
    );
    return {
      words: ['run', '--adapter', 'caddyfile', '--config'],
      configuration: `{\n\tadmin off\n\tauto_https off\n}\n${site}`,
    };
  },
};

export class ReverseProxy {
  readonly host: string;
  readonly basePath: string;
  /** `https://` with the name of the certificate, which no resolver knows, and the port. */
  readonly origin: string;
  private readonly port: number;
  private readonly child: ChildProcess;
  private readonly agent: Agent;
  private output = '';

  private constructor(child: ChildProcess, basePath: string, port: number, ca: string) {
    this.child = child;
    this.basePath = basePath;
    this.port = port;
    this.host = basePath === '' ? 'analytics.example.com' : 'example.com';
    this.origin = `https://${this.host}:${port}`;
    this.agent = new Agent({keepAlive: true, ca, servername: this.host});
    const add = (bytes: Buffer): void => void (this.output += bytes.toString());
    child.stdout!.on('data', add);
    child.stderr!.on('data', add);
  }

  /** Listens, and Millrace answers through it. `basePath`: `` or `/analytics`. */
  static async start(program: ProxyProgram, basePath: string, millracePort: number): Promise<ReverseProxy> {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const ca = makeCertificate(folder);
    const ports = {plain: await freePort(), tls: await freePort(), millrace: millracePort};
    const {words, configuration} = launches[program](fileOf(program, basePath), folder, ports);
    const path = join(folder, 'main.conf');
    writeFileSync(path, configuration);
    mkdirSync(join(folder, 'home'));
    const env = {PATH: process.env.PATH, HOME: join(folder, 'home')};
    // The usual hard limit of open files: no file of ops/proxies may need more.
    const limited = ['-c', 'ulimit -n 4096 && exec "$0" "$@"', program];
    const child = spawn('sh', [...limited, ...words, path], {env, stdio: ['ignore', 'pipe', 'pipe']});
    running.add(child);
    child.once('exit', () => running.delete(child));
    const proxy = new ReverseProxy(child, basePath, ports.tls, ca);
    await until(`${program} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended:\n${proxy.output}`);
      const answer = await proxy.send('GET', '/openapi.json').catch(() => undefined);
      return answer?.status === 200;
    });
    return proxy;
  }

  logs(): string {
    return this.output;
  }

  /** `path` goes out as it stands, behind the base path. A reset connection is an error, and nothing is tried again. */
  send(
    method: string,
    path: string,
    key?: string,
    body?: unknown,
    headers?: RequestOptions['headers'],
  ): Promise<ProxyAnswer> {
    const options: RequestOptions = {
      method,
      host: '127.0.0.1',
      port: this.port,
      path: `${this.basePath}${path}`,
      agent: this.agent,
      headers: {
        Host: this.host,
        ...(key === undefined ? {} : {Authorization: `Bearer ${key}`}),
        ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
        ...headers,
      },
    };
    return new Promise((resolve, reject) => {
      const sent = request(options, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
        answer.once('error', reject);
        answer.once('end', () => resolve({status: answer.statusCode!, headers: answer.headers, text}));
      });
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async end(): Promise<void> {
    this.agent.destroy();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

/** For both host names, with itself as the authority; HAProxy reads both parts out of one file. */
function makeCertificate(folder: string): string {
  const key = join(folder, 'privkey.pem');
  const certificate = join(folder, 'fullchain.pem');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=test', '-addext', 'subjectAltName=DNS:example.com,DNS:analytics.example.com'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], {stdio: 'ignore'});
  const text = readFileSync(certificate, 'utf8');
  writeFileSync(join(folder, 'millrace.pem'), text + readFileSync(key, 'utf8'));
  return text;
}

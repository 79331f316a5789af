// What an operator takes for many machines: docker-compose.cluster.yml and ops/kubernetes.yaml, whose parts that need no container are
// run as they stand there.
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {jetstreamManager} from '@nats-io/jetstream';
import {afterAll, describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {readConfig} from '../src/config.js';
import {connectFirst, connectNats} from '../src/nats/client/connection.js';
import {freePort} from '../tools/chaos/free-port.js';
import {hasOwnNats, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const yamlOf = <T>(path: string): T => parse(readFileSync(join(root, path), 'utf8'), {merge: true}) as T;

interface ComposeService {
  readonly image?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly mem_limit?: string;
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<'nats' | 'proxy', {readonly content: string}>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
interface Container {
  readonly image: string;
  readonly env?: readonly {readonly name: string; readonly value?: string}[];
  readonly resources: {readonly limits: {readonly memory: string}};
  readonly securityContext: object;
  readonly volumeMounts: readonly {readonly name: string; readonly mountPath: string}[];
}
interface Pod {
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes?: readonly {readonly name: string}[];
}
interface Resource {
  readonly kind: string;
  readonly metadata: {readonly name: string};
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: {readonly matchLabels: object};
    readonly template?: {readonly metadata: {readonly labels: object}; readonly spec: Pod};
    readonly volumeClaimTemplates?: readonly {readonly metadata: {readonly name: string}}[];
  };
}

const compose = yamlOf<Compose>('docker-compose.cluster.yml');
const {items} = yamlOf<{items: readonly Resource[]}>('ops/kubernetes.yaml');
const resource = (kind: string, name: string): Resource => {
  const found = items.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`ops/kubernetes.yaml has no ${kind} ${name}`);
  return found;
};
const sets = items.filter(({kind}) => kind === 'StatefulSet');

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Values as Compose hands them over where the shell sets nothing. */
const withDefaults = (text: string): string => text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');

/** Fails where there is nothing to replace: another thing would run than an operator's. */
function replaced(text: string, ...pairs: readonly (readonly [RegExp, string])[]): string {
  for (const [what, by] of pairs) {
    if (text.search(what) < 0) throw new Error(`nothing matches ${what}:\n${text}`);
    text = text.replaceAll(new RegExp(what, `${what.flags}g`), by);
  }
  return text;
}

/** Runs the configuration as three servers; resolves with where they listen. */
async function clusterOf(configuration: string, names: readonly string[], token: string): Promise<string[]> {
  const folder = temporaryFolder();
  const places = await Promise.all(
    names.map(async (name) => ({name, clients: await freePort(), routes: await freePort(), http: await freePort()})),
  );
  for (const {name, clients, routes, http} of places) {
    const own = join(folder, name);
    mkdirSync(join(own, 'etc/nats/secrets'), {recursive: true});
    mkdirSync(join(own, 'secrets'));
    for (const secrets of ['secrets', 'etc/nats/secrets'])
      writeFileSync(join(own, secrets, 'authorization.conf'), `authorization { token: "${token}" }\n`);
    let text = replaced(
      configuration,
      [/^port: 4222$/m, `listen: "127.0.0.1:${clients}"`],
      [/^ {2}port: 6222$/m, `  listen: "127.0.0.1:${routes}"`],
      [/http_port: 8222/, `http: "127.0.0.1:${http}"`],
      [/store_dir: \/data/, `store_dir: "${own}/data"`],
    );
    for (const [i, place] of places.entries())
      text = replaced(text, [new RegExp(`nats://${names[i]}(\\.nats)?:6222`), `nats://127.0.0.1:${place.routes}`]);
    const path = join(own, 'etc/nats/millrace.conf');
    writeFileSync(path, text);
    const env = {...process.env, SERVER_NAME: name};
    children.push(spawn(process.env.NATS_SERVER_BIN!, ['-c', path], {stdio: 'ignore', env}));
  }
  return places.map(({clients}) => `nats://127.0.0.1:${clients}`);
}

describe.skipIf(!hasOwnNats)('three nats-servers', () => {
  const kubernetes = resource('ConfigMap', 'nats').data!['millrace.conf']!;
  test.each([
    ['docker-compose.cluster.yml', compose.configs.nats.content.replaceAll('$$', '$'), ['nats-1', 'nats-2', 'nats-3']],
    ['ops/kubernetes.yaml', kubernetes, ['nats-0', 'nats-1', 'nats-2']],
  ])('of %s are one cluster, which lets in whoever has the token, and keeps three copies', async (_, text, names) => {
    const token = 'aGVsbG8gd29ybGQ/1+2=';
    const servers = await clusterOf(text, names, token);
    const nc = await until('NATS takes the token', () => connectNats({servers, token}, 'test').catch(() => undefined));
    const config = {name: 'COPIES', subjects: ['copies'], num_replicas: 3};
    const stream = await until('three copies are kept', async () => {
      const jsm = await jetstreamManager(nc).catch(() => undefined);
      return await jsm?.streams.add(config).catch(() => undefined);
    });
    const {leader, replicas} = stream.cluster!;
    expect([leader, ...replicas!.map(({name}) => name)].sort()).toEqual(names);
    await nc.close();
    await expect(connectFirst({servers, token: 'another'}, 'test')).rejects.toThrow(/refuses the login/);
  });
});

describe('docker-compose.cluster.yml', () => {
  const roleOf = (service: ComposeService): string | undefined => service.environment?.ROLES as string | undefined;
  const services = Object.entries(compose.services);

  test('has three nats-servers, three workers, two for reports, two edges and a proxy, hardened and bounded', () => {
    const names = services.map(([name]) => name.replace(/-\d$/, ''));
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const expected = {prepare: 1, nats: 3, worker: 3, report: 2, edge: 2, proxy: 1};
    expect(Object.fromEntries(counts)).toEqual(expected);
    for (const [name, service] of services) {
      expect(service, name).toMatchObject({read_only: true, cap_drop: ['ALL']});
      if (name === 'prepare') continue;
      expect(service, name).toMatchObject({user: '1000:1000', restart: 'unless-stopped'});
      expect(withDefaults(service.mem_limit!), name).toMatch(/^\d+[gm]$/);
    }
    const images = services.map(([, {image}]) => image).filter((image) => image !== 'millrace-cluster');
    for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+\.\d+-[a-z-]+$/);
  });

  test('gives each a volume of its own, and all of them one configuration that Millrace reads', () => {
    const own = services.flatMap(([name, {volumes = []}]) =>
      name === 'prepare' ? [] : volumes.filter((volume) => volume.endsWith(':/data')),
    );
    expect(new Set(own).size).toBe(10);
    const named = new Set(services.flatMap(([, {volumes = []}]) => volumes.map((volume) => volume.split(':')[0])));
    expect([...named].sort()).toEqual(Object.keys(compose.volumes).sort());
    const millrace = services.filter(([, service]) => roleOf(service) !== undefined);
    expect(millrace.map(([, service]) => roleOf(service)).sort()).toEqual([
      ...Array(2).fill('edge'),
      ...Array(3).fill('partition'),
      ...Array(2).fill('report,deliver'),
    ]);
    for (const [, {environment}] of millrace) {
      const folder = temporaryFolder();
      const env = Object.fromEntries(
        Object.entries(environment!).map(([name, value]) => [name, withDefaults(`${value}`)]),
      );
      for (const name of ['NATS_TOKEN', 'ADMIN_TOKEN']) {
        const path = join(folder, name);
        writeFileSync(path, 'aGVsbG8gd29ybGQ/1+2=\n', {mode: 0o600});
        env[`${name}_FILE`] = path;
      }
      expect(readConfig(env)).toMatchObject({kind: 'config', config: {replicas: 3, partitions: 16}});
    }
  });

  const proxy = 'haproxy';
  const hasProxy = spawnSync(proxy, ['-v']).status === 0;
  if (!hasProxy) console.warn('the proxy of docker-compose.cluster.yml is not tested (Debian: haproxy)');
  test.skipIf(!hasProxy)('has a proxy whose configuration HAProxy reads', () => {
    const path = join(temporaryFolder(), 'haproxy.cfg');
    writeFileSync(path, replaced(compose.configs.proxy.content, [/edge-\d:8080/, '127.0.0.1:8080']));
    const {status, stderr} = spawnSync(proxy, ['-c', '-f', path], {encoding: 'utf8'});
    expect([status, stderr]).toEqual([0, expect.not.stringMatching(/ALERT/)]);
  });
});

describe('ops/kubernetes.yaml', () => {
  test('has the same processes, hardened and bounded, each with the folders that it mounts', () => {
    expect(sets.map(({metadata, spec}) => [metadata.name, spec!.replicas])).toEqual([
      ['nats', 3],
      ['worker', 3],
      ['report', 2],
      ['edge', 2],
    ]);
    for (const {metadata, spec} of sets) {
      const {template, selector, volumeClaimTemplates = []} = spec!;
      expect(template!.metadata.labels, metadata.name).toEqual(selector!.matchLabels);
      const pod = template!.spec;
      expect(pod.securityContext).toMatchObject({runAsNonRoot: true, runAsUser: 1000});
      const [container] = pod.containers;
      expect(container!.securityContext).toEqual({
        ...{allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: ['ALL']}},
      });
      expect(container!.resources.limits.memory).toMatch(/^\d+Gi$/);
      const volumes = [...(pod.volumes ?? []), ...volumeClaimTemplates.map((claim) => claim.metadata)];
      const mounted = container!.volumeMounts.map(({name}) => name);
      expect(volumes.map(({name}) => name).sort()).toEqual([...mounted].sort());
    }
  });

  test('gives Millrace a configuration that it reads', () => {
    const shared = resource('ConfigMap', 'millrace').data!;
    for (const name of ['worker', 'report', 'edge']) {
      const [container] = resource('StatefulSet', name).spec!.template!.spec.containers;
      const own = container!.env!.map((each) => [each.name, each.value ?? '']);
      const {NATS_TOKEN_FILE: _nats, ADMIN_TOKEN_FILE: _admin, ...rest} = shared;
      expect(readConfig({...rest, ...Object.fromEntries(own)})).toMatchObject({
        kind: 'config',
        config: {replicas: 3, partitions: 16},
      });
    }
  });
});

// The package as people install it: packed, installed with what a start needs alone, run by a newer Node than tests have.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {pack, unbundled, writePackedForm} from '../scripts/packed-form.mjs';
import {ask} from '../tools/http-client.js';
import {environmentOf, fetchNode} from '../tools/run/try-node.mjs';
import {packagesInBundles} from './support/bundle-modules.js';
import {temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const newerNode = '24';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface ComponentList {
  readonly components: readonly {readonly purl: string; readonly licenses?: readonly unknown[]}[];
}

let folder: string;
/** With the newer Node before the others: npm, and the first line of `millrace`, take that. */
let ofNode: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = temporaryFolder();
  ofNode = await environmentOf(await fetchNode(newerNode));
  await writePackedForm(join(folder, 'package'));
  const words = ['install', '--no-fund', '--no-audit', await pack(join(folder, 'package'), folder)];
  execFileSync('npm', words, {cwd: folder, env: environment(), stdio: 'ignore'});
});

const environment = (own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...ofNode,
  HOME: folder,
  NATS_SERVER_BIN: process.env.NATS_SERVER_BIN,
  ...own,
});

const millrace = (words: readonly string[], own: NodeJS.ProcessEnv = {}): ChildProcess =>
  spawn(join(folder, 'node_modules/.bin/millrace'), words, {
    cwd: folder,
    env: environment(own),
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function ended(child: ChildProcess): Promise<{code: number; stdout: string; stderr: string}> {
  const text = {stdout: '', stderr: ''};
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.setEncoding('utf8').on('data', (more: string) => (text[name] += more));
  const [code] = (await once(child, 'close')) as [number];
  return {code, ...text};
}

describe('the package', () => {
  test('installs what a start needs, and nothing else', () => {
    const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed.filter((name) => !['@uwsjs', 'millrace', ...unbundled].includes(name))).toEqual([]);
  });

  test('has a list of what runs in it, with versions and licences, and of nothing that only builds it', () => {
    const list = JSON.parse(readFileSync(join(folder, 'node_modules/millrace/sbom.cdx.json'), 'utf8')) as ComponentList;
    expect(list).toMatchObject({bomFormat: 'CycloneDX', metadata: {component: {name: 'millrace'}}});
    const components = new Map(list.components.map(({purl, licenses}) => [purl, licenses]));
    const {dependencies, devDependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
    const purlOf = ([name, spec]: [string, string]): string => {
      const [, alias = name, version] = /^(?:npm:(.+)@)?([^@]+)$/.exec(spec)!;
      return `pkg:npm/${alias.replace('@', '%40')}@${version}`;
    };
    expect(
      Object.entries(dependencies)
        .map(purlOf)
        .filter((purl) => !components.get(purl)?.length),
    ).toEqual([]);
    expect(
      Object.entries(devDependencies)
        .map(purlOf)
        .filter((purl) => components.has(purl)),
    ).toEqual([]);
  });

  describe('the notices', () => {
    /** A package's line, and the first words of its text: `zod 4.6.7 (MIT), in the service`. */
    const sectionsOf = (text: string): string[] => text.split(`\n${'-'.repeat(80)}\n`).slice(1);
    const namedIn = (sections: readonly string[]): Set<string> =>
      new Set(sections.join('').match(/^\S+ \S+(?= \([^)]+\), in the [a-z ]+$)/gm) ?? []);
    const differences = (named: ReadonlySet<string>, bundled: ReadonlySet<string>) => ({
      missing: [...bundled].filter((one) => !named.has(one)),
      needless: [...named].filter((one) => !bundled.has(one)),
    });
    let sections: string[];
    let bundled: ReadonlySet<string>;

    beforeAll(async () => {
      const path = join(folder, 'node_modules/millrace/dist/THIRD-PARTY-NOTICES.txt');
      sections = sectionsOf(readFileSync(path, 'utf8'));
      const {version} = JSON.parse(readFileSync(join(root, 'node_modules/assemblyscript/package.json'), 'utf8')) as {
        version: string;
      };
      bundled = new Set([...(await packagesInBundles(unbundled)), `assemblyscript ${version}`]);
    });

    test('have every package, font, icon set and compiler that the bundles have code of, and no other', () => {
      expect(bundled.size).toBeGreaterThan(30);
      for (const name of ['zod', 'preact', 'heroicons', '@fontsource-variable/inter', 'rolldown'])
        expect(
          [...bundled].some((one) => one.startsWith(`${name} `)),
          name,
        ).toBe(true);
      expect(differences(namedIn(sections), bundled)).toEqual({missing: [], needless: []});
    });

    test('without any one of them the comparison fails, and names it', () => {
      for (const one of bundled) {
        const without = sections.map((section) => section.replace(`${one} (`, `another 1.0.0 (`));
        expect(differences(namedIn(without), bundled)).toEqual({missing: [one], needless: ['another 1.0.0']});
      }
    });

    test('have the text of each licence', () => {
      const texts: readonly (readonly [license: RegExp, words: RegExp])[] = [
        [/\(MIT(?:-0)?\)/, /Permission is hereby granted, free of charge/i],
        [/\(ISC\)/, /Permission to use, copy, modify, and(?:\/or)? distribute this software/i],
        [/\(Apache-2\.0\)/, /TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/],
        [/\(BSD-3-Clause\)/, /Redistributions in binary form must reproduce/],
        [/\(OFL-1\.1\)/, /SIL OPEN FONT LICENSE Version 1\.1/i],
        [/\(Unlicense\)/, /free and unencumbered software released into the public domain/],
      ];
      for (const section of sections) {
        const [, words] = texts.find(([license]) => license.test(section)) ?? [];
        expect(words, section.slice(0, 200)).toBeDefined();
        expect(section).toMatch(words!);
      }
    });

    test('have every dependency in package.json but those that are installed beside: what runs is there, and nothing else', () => {
      const {dependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
      const nameOf = ([name, spec]: [string, string]): string => /^npm:(.+)@/.exec(spec)?.[1] ?? name;
      const needed = Object.entries(dependencies).filter(([name]) => !unbundled.includes(name));
      const named = new Set([...bundled].map((one) => one.split(' ')[0]));
      expect(needed.map(nameOf).filter((name) => !named.has(name))).toEqual([]);
    });
  });

  test('says what it has, which version it is, and which commands there are not', async () => {
    const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
    expect(await ended(millrace(['--version']))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^millrace ${version.replaceAll('.', '\\.')} \\(commit `)),
    });
    const help = await ended(millrace(['--help']));
    for (const word of [
      'serve',
      'dashboard',
      'keys',
      'names',
      'retention',
      'import',
      'relink',
      'repartition',
      'backup',
      'cluster',
      'demo',
      'doctor',
    ])
      expect(help.stdout).toContain(`  ${word} `);
    expect((await ended(millrace(['serve', '--help']))).stdout).toContain('DATA_DIR');
    expect(await ended(millrace(['walk']))).toMatchObject({
      code: 1,
      stderr: 'millrace: there is no command walk: see millrace --help\n',
    });
  });

  test('the doctor names what it looked at; what keeps a start from running ends it with 1', async () => {
    const well = await ended(millrace(['doctor']));
    expect(well).toMatchObject({code: 0, stderr: ''});
    for (const line of [
      /^ok +Node 24\./m,
      /^(ok|warn) +(HTTP server|HTTP is served)/m,
      /^ok +nats-server \d/m,
      /open files/m,
    ])
      expect(well.stdout).toMatch(line);
    const ill = await ended(millrace(['doctor'], {PORT: 'http'}));
    expect([ill.code, ill.stdout]).toEqual([1, expect.stringMatching(/^bad +.*PORT/m)]);
  });

  // Reports are as fresh as those of a new deployment.
  test('serves: an event in, the same in a report, and a SIGTERM ends it in order', async () => {
    const dataDir = join(folder, 'millrace-data');
    const service = millrace(['serve'], {
      DATA_DIR: dataDir,
      PORT: '0',
      BOOTSTRAP_WRITE_KEY: 'sk_write_0123456789abcdef',
      BOOTSTRAP_SECRET_KEY: 'sk_live_0123456789abcdef',
    });
    const end = ended(service);
    const note = join(dataDir, 'service.json');
    await until('the service listens or ends', () => existsSync(note) || service.exitCode !== null);
    const {baseUrl} = JSON.parse(readFileSync(note, 'utf8')) as {baseUrl: string};
    const sent = await ask(`${baseUrl}/v1/events`, {
      method: 'POST',
      key: 'sk_write_0123456789abcdef',
      json: {event: 'signup', userId: 'ada', timestamp: '2026-05-01T12:00:00Z'},
    });
    expect(sent.json()).toEqual({status: 'ok', received: 1});
    const total = async (): Promise<number | undefined> => {
      const path = '/v1/reports/events?event=signup&from=2026-05-01&to=2026-05-01';
      const report = await ask(baseUrl + path, {key: 'sk_live_0123456789abcdef'});
      return report.json<{total?: number}>().total;
    };
    await until('the event is in a report', async () => (await total()) === 1);
    expect((await ask(`${baseUrl}/dashboard`)).status).toBe(200);
    const licenses = await ask(`${baseUrl}/licenses`);
    expect(licenses.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(licenses.text).toBe(
      readFileSync(join(folder, 'node_modules/millrace/dist/THIRD-PARTY-NOTICES.txt'), 'utf8'),
    );
    service.kill('SIGTERM');
    expect((await end).code).toBe(0);
  });
});

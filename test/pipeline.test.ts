// The files of .github, which only GitHub runs as a whole. The linter reads the workflows; their `run:` steps run here, in the order of
// their job, against a service in place of the container. A step that cannot run here says why in a comment before it.
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, describe, expect, test} from 'vitest';
import {isMap, isScalar, isSeq, parse, parseDocument} from 'yaml';
import {z} from 'zod';
import {type Service, startService, temporaryFolder} from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesIn = (folder: string): string[] => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const run = promisify(execFile);

const {version, scripts, engines} = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
  engines: {node: string};
};

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly whyNotRun: string | undefined;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: {readonly matrix: Readonly<Record<string, unknown>>};
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** With the comment before each step. The first step of a list has its comment at the list. */
function workflowOf(path: string): Workflow {
  const document = parseDocument(read(path));
  expect(document.errors).toEqual([]);
  const workflow = document.toJS() as Workflow;
  const jobs = Object.entries(workflow.jobs).map(([name, job]) => {
    const list = document.getIn(['jobs', name, 'steps']);
    const steps = job.steps.map((step, index) => {
      const node = isSeq(list) ? list.items[index] : undefined;
      const key = isMap(node) ? node.items[0]?.key : undefined;
      const comment = (isMap(node) && node.commentBefore) || (isScalar(key) && key.commentBefore) || '';
      return {...step, whyNotRun: /^ not run: (.+)$/m.exec(comment)?.[1]};
    });
    return [name, {...job, steps}] as const;
  });
  return {...workflow, jobs: Object.fromEntries(jobs)};
}

const paths = filesIn('.github/workflows');
const workflows = paths.map((path) => ({path, workflow: workflowOf(path)}));
const jobs = workflows.flatMap(({path, workflow}) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({title: `${path}, job ${name}`, path, job})),
);
const stepsOf = (job: Job) =>
  job.steps.flatMap(({run: commands, ...step}) => (commands === undefined ? [] : [{...step, commands}]));
const runnable = (job: Job) => stepsOf(job).filter(({whyNotRun}) => whyNotRun === undefined);

/** As GitHub runs a step. */
const play = (commands: string, env: NodeJS.ProcessEnv): Promise<unknown> =>
  run('bash', ['-ec', commands], {cwd: root, env});

describe('the linter', () => {
  const complaints = (files: readonly string[]): Promise<string> =>
    run(process.execPath, ['tools/run/lint-workflows.mjs', ...files], {cwd: root}).then(
      ({stdout}) => stdout,
      (error: {stdout: string; stderr: string}) => error.stdout + error.stderr,
    );

  test('finds nothing in the workflows, and a mistake that is seeded into one', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'wrong.yml');
    writeFileSync(file, read('.github/workflows/ci.yml').replace('    steps:', '    needs: nobody\n    steps:'));
    const lines = (await complaints([...paths, file])).trim().split('\n');
    expect(lines).toEqual([expect.stringMatching(/^.*wrong\.yml.*job "nobody" which does not exist/)]);
  });
});

test('workflows may read unless a job says more, end, and pin each action to one commit with its version', () => {
  const pins = new Map<string, string>();
  for (const {path, workflow} of workflows) {
    expect([path, workflow.permissions]).toEqual([path, {contents: 'read'}]);
    expect(workflow.concurrency).toBeDefined();
    for (const [, used] of read(path).matchAll(/uses: *(.+)$/gm)) {
      expect(used).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      const [action, pin] = used!.split('@') as [string, string];
      expect([action, pins.get(action) ?? pin]).toEqual([action, pin]);
      pins.set(action, pin);
    }
  }
  for (const {title, job} of jobs) expect([title, job['timeout-minutes']]).toEqual([title, expect.any(Number)]);
  // P3
  const ofPullRequests = jobs.filter(({path, job}) => path.endsWith('/ci.yml') && job.permissions !== undefined);
  expect(ofPullRequests).toEqual([]);
});

test('steps run here in every job that has some which need neither Docker nor GitHub', () => {
  const names = jobs.filter(({job}) => runnable(job).length > 0).map(({title}) => title.replace(/.*\//, ''));
  expect(names.sort()).toEqual([
    'ci.yml, job everything',
    'ci.yml, job image',
    'release.yml, job image',
    'release.yml, job publish',
    'release.yml, job verify',
  ]);
});

test('npm test runs under each Node of the pipeline, which a start supports', () => {
  const nodes = jobs.find(({title}) => title.endsWith('ci.yml, job test'))?.job.strategy?.matrix.node as number[];
  expect(nodes).toEqual([20, 22, 24]);
  for (const node of nodes) expect(engines.node).toMatch(new RegExp(`\\^${node}\\b`));
});

/** Values of the first run of a matrix. */
const firstOf = ({include, ...lists}: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, (values as unknown[])[0]])),
  ...(include as Record<string, unknown>[] | undefined)?.[0],
});

/** Of expressions, variables of steps that run here have those of the matrix alone. */
function environmentOf(job: Job, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const matrix = firstOf(job.strategy?.matrix ?? {});
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ matrix\.(\w+) \}\}/g, (_, of: string) => String(matrix[of])),
  ]);
  expect(filled.filter(([, value]) => value!.includes('${{'))).toEqual([]);
  return Object.fromEntries(filled);
}

/** What GitHub sets; the home is not that of whoever runs the tests. */
function machine() {
  const folder = temporaryFolder();
  for (const name of ['home', 'temp']) mkdirSync(join(folder, name));
  return {
    PATH: process.env.PATH!,
    HOME: join(folder, 'home'),
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_WORKSPACE: root,
    GITHUB_REPOSITORY: 'Some-Owner/Millrace',
    GITHUB_REF_NAME: `v${version}`,
  };
}

// The jobs that start a container start it with the same variables, and what they send is known by its `messageId`: one service is enough.
let served: {readonly env: Record<string, string>; readonly service: Service} | undefined;
afterAll(async () => {
  await served?.service.stop();
});

async function serviceOf(env: Record<string, string>): Promise<Service> {
  served ??= {env, service: await startService({env: {...env, PARTITIONS: '1'}})};
  expect(env).toEqual(served.env);
  return served.service;
}

describe.each(jobs.map(({title, job}) => [title, job] as const))('%s', (_, job) => {
  test('its steps do what they say', async ({skip}) => {
    skip(runnable(job).length === 0, 'the reason stands at each of its steps');
    const {BASE: placeOfContainer, ARCH: _, ...env} = environmentOf(job, job.env);
    // docker-compose.yml hands these to the container.
    for (const name of Object.keys(env)) expect(read('docker-compose.yml')).toContain(` ${name}: \${${name}:-}\n`);
    const base = placeOfContainer === undefined ? {} : {BASE: (await serviceOf(env)).baseUrl};
    const around = {...machine(), ...env, ...base};
    for (const step of runnable(job)) await play(step.commands, {...around, ...environmentOf(job, step.env)});
  });

  for (const {commands, whyNotRun} of stepsOf(job)) {
    if (whyNotRun !== undefined) test(`NOT RUN: ${commands}`, ({skip}) => skip(whyNotRun));
  }
});

test('each step that is not run here is one command of bash, which names scripts and files that are there', async () => {
  const all = jobs.flatMap(({job}) => stepsOf(job));
  // An expression in a command would be text that a stranger can choose; a variable is not read as a command.
  for (const {commands} of all) expect(commands).not.toContain('${{');
  const notRun = all.filter(({whyNotRun}) => whyNotRun !== undefined);
  await run('bash', ['-nc', notRun.map(({commands}) => commands).join('\n')]);
  for (const {commands} of notRun) {
    const [program, word, of] = commands.split(/\s+/);
    const script = word === 'run' ? of : word;
    if (program === 'npm' && script !== 'audit') {
      const file = / node (?:--\S+ )*(\S+\.mjs)/.exec(scripts[script!] ?? '')?.[1];
      expect([commands, file !== undefined && existsSync(join(root, file))]).toEqual([commands, true]);
    } else if (program!.startsWith('.')) expect([program, existsSync(join(root, program!))]).toEqual([program, true]);
    else expect(['npm', 'docker', 'gh', 'echo']).toContain(program);
  }
});

// Without its own native HTTP server an image serves with node:http; without these it cannot be built.
test('the lock file has the binaries that build the image on both platforms of a release', () => {
  const {packages} = JSON.parse(read('package-lock.json')) as {packages: Record<string, {integrity?: string}>};
  const release = jobs.find(({title}) => title.endsWith('release.yml, job image'))?.job.strategy?.matrix;
  const platforms = (release!.include as {arch: string}[]).map(({arch}) => arch);
  expect(platforms).toEqual(['amd64', 'arm64']);
  for (const cpu of platforms.map((arch) => arch.replace('amd64', 'x64')))
    for (const name of [`@rolldown/binding-linux-${cpu}-gnu`, `lightningcss-linux-${cpu}-gnu`])
      expect([name, packages[`node_modules/${name}`]?.integrity]).toEqual([name, expect.stringMatching(/^sha512-/)]);
});

test('the step of the first event fails if the service counts it twice', async () => {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({total: request.url!.includes('event=first') ? 2 : 1}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const BASE = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {...machine(), BOOTSTRAP_WRITE_KEY: 'w', BOOTSTRAP_SECRET_KEY: 's', BASE};
  await expect(play('node tools/run/first-event.mjs "$BASE"', env)).rejects.toThrow(
    'millrace: the first event, which was sent twice, is not counted once: {"total":2}',
  );
  server.close();
});

describe('the release', () => {
  const steps = jobs.filter(({path}) => path.endsWith('/release.yml')).flatMap(({job}) => runnable(job));
  test('ends when the tag is not the version, or the changelog lacks it', async () => {
    const guards = steps.filter(({commands}) => /^test |grep/.test(commands));
    expect(guards.length).toBe(2);
    for (const {commands} of guards)
      await expect(play(commands, {...machine(), GITHUB_REF_NAME: 'v0.0.999'})).rejects.toThrow('Command failed');
  });

  test('has what the changelog says of its version as notes, and an image whose name is in small letters', async () => {
    const env = {...machine(), GITHUB_REF_NAME: 'v0.2.0'};
    for (const {commands} of steps.filter(({commands}) => /notes|OUTPUT/.test(commands))) await play(commands, env);
    const notes = readFileSync(join(env.RUNNER_TEMP, 'notes.md'), 'utf8');
    expect(notes).toMatch(/^\n### Added\n/);
    expect(read('CHANGELOG.md')).toContain(`## 0.2.0 - 2026-11-28\n${notes}`);
    expect(notes).not.toMatch(/^## /m);
    const output = readFileSync(env.GITHUB_OUTPUT, 'utf8');
    expect(output).toBe('name=ghcr.io/some-owner/millrace\nversion=0.2.0\n');
  });
});

// GitHub ignores a file of these with an unknown word without telling anybody.
const text = z.string().min(1);
const field = (attributes: z.ZodObject) =>
  z.strictObject({
    id: text,
    attributes: attributes.extend({label: text, description: text.optional()}),
    validations: z.strictObject({required: z.boolean()}).optional(),
  });
const form = z.strictObject({
  name: text,
  description: text,
  labels: z.array(text),
  body: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({type: z.literal('markdown'), attributes: z.strictObject({value: text})}),
        field(z.strictObject({placeholder: text.optional()})).extend({type: z.literal('input')}),
        field(z.strictObject({placeholder: text.optional(), render: text.optional()})).extend({
          type: z.literal('textarea'),
        }),
        field(z.strictObject({options: z.array(text).min(2)})).extend({type: z.literal('dropdown')}),
      ]),
    )
    .refine((body) => body.some(({type}) => type !== 'markdown'), 'a form asks something'),
});

describe('the forms of issues', () => {
  const [forms, [chooser]] = [filesIn('.github/ISSUE_TEMPLATE'), ['.github/ISSUE_TEMPLATE/config.yml']];

  test.each(forms.filter((path) => path !== chooser))('%s has the form that GitHub reads', (path) => {
    const {body} = form.parse(parse(read(path)));
    const ids = body.flatMap((part) => ('id' in part ? [part.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('are the only way, and the one for bugs sends what is secret elsewhere', () => {
    expect(parse(read(chooser!))).toEqual({blank_issues_enabled: false});
    expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toContain('(../security/advisories/new)');
    expect(read('SECURITY.md')).toContain('**Report a vulnerability**');
    for (const words of ['npm test', 'CONTRIBUTING.md'])
      expect(read('.github/pull_request_template.md')).toContain(words);
  });
});

describe('updates of dependencies', () => {
  const updates = z
    .strictObject({
      version: z.literal(2),
      updates: z.array(
        z.strictObject({
          'package-ecosystem': z.enum(['npm', 'docker', 'docker-compose', 'github-actions']),
          directory: z.literal('/'),
          schedule: z.strictObject({interval: z.enum(['daily', 'weekly', 'monthly'])}),
          'versioning-strategy': z.literal('increase').optional(),
          groups: z.record(
            text,
            z.union([
              z.strictObject({patterns: z.array(text)}),
              z.strictObject({'dependency-type': z.enum(['production', 'development'])}),
            ]),
          ),
          ignore: z
            .array(z.strictObject({'dependency-name': text, 'update-types': z.array(text).optional()}))
            .optional(),
        }),
      ),
    })
    .parse(parse(read('.github/dependabot.yml'))).updates;

  test('come for every kind of dependency that has versions here, each in one place', () => {
    expect(updates.map((update) => update['package-ecosystem']).sort()).toEqual([
      'docker',
      'docker-compose',
      'github-actions',
      'npm',
    ]);
  });

  test('find exact versions, and leave alone only packages that are there', () => {
    const packages = ['package.json', 'tools/package.json'].map(
      (path) => JSON.parse(read(path)) as Record<'dependencies' | 'devDependencies', Record<string, string>>,
    );
    const versions = packages.flatMap(({dependencies, devDependencies}) =>
      Object.entries({...dependencies, ...devDependencies}),
    );
    expect(versions.filter(([, of]) => !/^(npm:@?[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(of))).toEqual([]);
    const names = [...versions.map(([name]) => name), 'node'];
    for (const {ignore = []} of updates) for (const of of ignore) expect(names).toContain(of['dependency-name']);
  });
});

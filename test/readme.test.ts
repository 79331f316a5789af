// README.md and the pages of docs/ are run as they stand: their commands in a shell, against a fresh service, and what they show
// must come out. A block that cannot run here says why in a comment before it. Links and paths must lead somewhere.
import {execFile} from 'node:child_process';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {hasOwnNats, type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The README first: the others may rely on what its commands store. */
const pages = [
  'README.md',
  ...readdirSync(root).filter((name) => name.endsWith('.md') && name !== 'README.md'),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Step {
  readonly commands: string;
  /** What the page shows as the answer. */
  readonly shown: string | undefined;
  readonly whyNotRun: string | undefined;
}

/** Shell blocks in order, each with the comment before it and the JSON block after it. */
function stepsOf(page: string): Step[] {
  const blocks = read(page).matchAll(
    /(?:<!-- not run: ([^>]+) -->\n)?```sh\n([\s\S]*?)```(?:\n```json\n([\s\S]*?)```)?/g,
  );
  return [...blocks].map(([, whyNotRun, commands, shown]) => ({commands: commands!, shown: shown?.trim(), whyNotRun}));
}

let service: Service;
// The first hour of a deployment is what its reader sees.
beforeAll(async () => {
  service = await startService({env: {REPORT_REFRESH_SECONDS: ''}});
});
afterAll(() => service.stop());

async function shell(commands: string): Promise<string> {
  const {baseUrl, writeKey, secretKey, dataDir} = service;
  const env = {
    ...process.env,
    BASE: baseUrl,
    WRITE_KEY: writeKey,
    SECRET_KEY: secretKey,
    DATA_DIR: dataDir,
    BACKUP: join(temporaryFolder(), 'backup'),
  };
  const {stdout} = await run('bash', ['-euc', commands], {cwd: root, env});
  expect(stdout, `${commands} leaves the prompt on a line of its own`).toMatch(/^$|\n$/);
  return stdout.trim();
}

/** What the commands print, where their page shows no answer, because it differs each time. */
const expected: readonly (readonly [commands: RegExp, printed: RegExp])[] = [
  [/run import/, /accepted +6,150\b[\s\S]*refused +0\b/],
  // `pending` where the disk is slow.
  [/-X DELETE/, /"status":"(deleted|pending)","id":"ada"/],
  [/%\{http_code\}/, /"code":"user_not_found".* 404$/],
  [/healthz/, /"status":"ok"[\s\S]*"status":"ready"/],
  [/metrics/, /^millrace_ready 1$/],
  [/keys -- create/, /web[\s\S]*revoked/],
  [/run backup/, /backup/i],
  [/--print-config/, /"partitions": ?\d/],
  [/bench -- --help/, /ingest/],
  [/v1\/changes/, /"has_more":(true|false),"next":"/],
];

async function play({commands, shown}: Step): Promise<void> {
  if (shown !== undefined) {
    // Reports come with the next snapshot.
    await until(`the shown answer of ${commands}`, async () => (await shell(commands)) === shown).catch(
      async (error) => {
        expect(await shell(commands)).toBe(shown);
        throw error;
      },
    );
    return;
  }
  // A live read waits 2 s for its partition, which a busy machine can exceed.
  const {printed} = await until('no partition is behind its log', async () => {
    const printed = await shell(commands);
    return !printed.includes('the partition is behind its log') && {printed};
  });
  const pattern = expected.find(([of]) => of.test(commands))?.[1];
  expect(pattern, `what ${commands} prints`).toBeDefined();
  expect(printed).toMatch(pattern!);
}

describe.each(pages)('%s', (page) => {
  const steps = stepsOf(page);
  const toRun = steps.filter(({whyNotRun}) => whyNotRun === undefined);

  test.runIf(toRun.length > 0)('its commands do what it shows', async () => {
    for (const step of toRun) {
      if (hasOwnNats || !step.commands.includes('run backup')) await play(step);
    }
  });

  for (const {commands, whyNotRun} of steps) {
    if (whyNotRun !== undefined) test.skip(`NOT RUN, ${whyNotRun}: ${commands.split('\n')[0]}`, () => {});
  }

  test('every block of commands is one that is run, or says why not', () => {
    const opened = [...read(page).matchAll(/^```(\w*)$/gm)].map(([, language]) => language);
    // What a receiver or a page may have in its own language is no command.
    const ofReceivers = ['sql', 'js', 'ts', 'html', 'python', 'go', 'ruby'];
    expect(opened.filter((language) => !['', 'sh', 'json', 'conf', ...ofReceivers].includes(language!))).toEqual([]);
    expect(read(page).match(/<!-- not run/g)?.length ?? 0).toBe(steps.length - toRun.length);
  });

  test('its links lead to files and headings that are there', () => {
    const headingsOf = (path: string): string[] =>
      [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path, heading]) => {
      const target = path === '' ? page : join(dirname(page), path!);
      return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('the files and folders of ours that it names are there', () => {
    const named = read(page).matchAll(
      /`((?:actors|bench|dashboard|docs|examples|kernels|ops|reliability|scripts|src|test|tools)\/[^`\s*{]*)`/g,
    );
    const made = /^bench\/results\/?$/; // By a run.
    expect(
      [...named].map(([, path]) => path!).filter((path) => !made.test(path) && !existsSync(join(root, path))),
    ).toEqual([]);
  });
});

test('the README and the page for operators show what they do', () => {
  const ran = (page: string): Step[] => stepsOf(page).filter(({whyNotRun}) => whyNotRun === undefined);
  expect(ran('README.md').filter(({shown}) => shown !== undefined).length).toBe(3);
  expect(ran('docs/operating.md').length).toBeGreaterThan(2);
});

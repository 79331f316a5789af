// README.md and the pages of docs/ are run as they stand: their commands in a shell, against a fresh service, and what they show
// must come out. A block that cannot run here says why in a comment before it.
import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {documents} from './support/documents.js';
import {hasOwnNats, type Service, startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The README and the quickstart come before the pages that ask for what their commands store. */
const first = ['README.md', 'docs/api/quickstart.md'];
const pages = [...first, ...documents.filter((path) => !first.includes(path))];

interface Step {
  readonly commands: string;
  /** The answer that the page shows, JSON. */
  readonly shown: unknown;
  /** The same as a question, JSON. */
  readonly question: string | undefined;
  readonly whyNotRun: string | undefined;
}

/** Shell blocks in order, each with the comment before it, the JSON block after it, and the question after that. */
function stepsOf(page: string): Step[] {
  const blocks = read(page).matchAll(
    /(?:<!-- not run: ([^>]+) -->\n)?```sh\n([\s\S]*?)```(?:\n```json\n([\s\S]*?)```)?(?:\n\nAs a question: `([^`]+)`)?/g,
  );
  return [...blocks].map(([, whyNotRun, commands, shown, question]) => ({
    commands: commands!,
    shown: shown === undefined ? undefined : JSON.parse(shown),
    question,
    whyNotRun,
  }));
}

/** `…` stands for what differs each time: any value, or a part of a text. */
function asShown(shown: unknown): unknown {
  if (shown === '…') return {asymmetricMatch: () => true};
  if (typeof shown === 'string' && shown.includes('…')) return expect.stringMatching(patternOf(shown));
  if (Array.isArray(shown)) return shown.map(asShown);
  if (typeof shown !== 'object' || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, asShown(value)]));
}

const patternOf = (shown: string): RegExp =>
  new RegExp(`^${shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')}$`);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function shell(commands: string): Promise<string> {
  const {baseUrl, writeKey, secretKey, adminToken, dataDir} = service;
  const env = {
    ...process.env,
    BASE: baseUrl,
    WRITE_KEY: writeKey,
    SECRET_KEY: secretKey,
    ADMIN_TOKEN: adminToken,
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
  [/--name (assistant|grafana)/, /^sk_read_\w+$/],
  [/keys -- create/, /web[\s\S]*revoked/],
  [/run backup/, /backup/i],
  [/--print-config/, /"partitions": ?\d/],
  [/bench -- --help/, /ingest/],
  [/v1\/saved-reports/, /"id":"sr_.*"name":"Growth".*"report":"counts".*"range":"-30d"/],
  [/v1\/shares/, /"id":"sh_.*"name":"Growth".*"ends_at":"never","is_shown":true.*"token":"[\w-]{32}"/],
  [/-s ask -- ordered/, /^total +2 /],
  [/v1\/changes/, /"has_more":(true|false),"next":"/],
];

const [isTrue, isFalse] = [() => true, () => false];

async function answerTo(question: string): Promise<unknown> {
  const headers = {authorization: `Bearer ${service.secretKey}`, 'content-type': 'application/json'};
  const response = await fetch(`${service.baseUrl}/v1/query`, {method: 'POST', headers, body: question});
  return ((await response.json()) as {answer: unknown}).answer;
}

/** The documents say once what `meta` has: it differs each time. */
const withoutMeta = ({meta, ...answer}: {meta?: unknown}): object => answer;

async function play({commands, shown, question}: Step): Promise<void> {
  if (shown !== undefined) {
    const check = async (): Promise<void> => {
      const answer = JSON.parse(await shell(commands)) as object;
      expect('meta' in (shown as object) ? answer : withoutMeta(answer)).toEqual(asShown(shown));
      if (question !== undefined) expect(await answerTo(question)).toEqual(asShown(shown));
    };
    // Reports come with the next snapshot.
    await until(`the shown answer of ${commands}`, () => check().then(isTrue, isFalse)).catch(check);
    return;
  }
  // Where a busy machine is late, an answer is 503 for a moment. A deletion before it was made all the same.
  const tries: string[] = [];
  await until(
    'no answer is unavailable',
    async () => !tries[tries.push(await shell(commands)) - 1]!.includes('"unavailable"'),
  );
  const pattern = expected.find(([of]) => of.test(commands))?.[1];
  expect(pattern, `what ${commands} prints`).toBeDefined();
  expect(tries.join('\n')).toMatch(pattern!);
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
});

test('the README, the page for operators and those of the API show what they do', () => {
  const ran = (page: string): Step[] => stepsOf(page).filter(({whyNotRun}) => whyNotRun === undefined);
  expect(ran('README.md').filter(({shown}) => shown !== undefined).length).toBe(3);
  expect(ran('docs/operating.md').length).toBeGreaterThan(2);
  const ofReports = pages.filter((page) => /^docs\/api\/reports\/[a-z]/.test(page));
  expect(ofReports.length).toBe(7);
  for (const page of ofReports)
    expect(ran(page)[0], page).toMatchObject({shown: expect.anything(), question: expect.any(String)});
});

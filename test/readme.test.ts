// The README is run as it stands: its commands in a shell, against a fresh service, and what it shows must come out.
import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {type Service, startService} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

interface Step {
  readonly commands: string;
  /** What the README shows as the answer. */
  readonly shown: string | undefined;
}

/** Shell blocks in order, each with the JSON block right behind it. */
function stepsOf(readme: string): Step[] {
  const blocks = readme.matchAll(/```sh\n([\s\S]*?)```(?:\n```json\n([\s\S]*?)```)?/g);
  return [...blocks].map((block) => ({commands: block[1], shown: block[2]?.trim()}));
}

const steps = stepsOf(readFileSync(`${root}/README.md`, 'utf8'));
let service: Service;
// The first hour of a deployment is what its reader sees.
beforeAll(async () => {
  service = await startService({env: {REPORT_REFRESH_SECONDS: ''}});
});
afterAll(() => service.stop());

async function shell(commands: string): Promise<string> {
  const {baseUrl, writeKey, secretKey, dataDir} = service;
  const keys = `BASE=${baseUrl} WRITE_KEY=${writeKey} SECRET_KEY=${secretKey} DATA_DIR=${dataDir}`;
  const {stdout} = await run('bash', ['-euc', `export ${keys}\n${commands}`], {cwd: root});
  return stdout.trim();
}

test('the commands of the README give the answers of the README', async () => {
  expect(steps.filter(({shown}) => shown !== undefined).length).toBe(5);
  for (const {commands, shown} of steps) {
    // The start is the service that runs, and the keys are its own.
    if (commands.startsWith('npm start') || commands.startsWith('BASE=')) continue;
    if (shown === undefined) {
      // A live read waits 2 s for its partition, which a busy machine can exceed.
      const {printed} = await until('no partition is behind its log', async () => {
        const printed = await shell(commands);
        return !printed.includes('the partition is behind its log') && {printed};
      });
      if (commands.includes('import')) expect(printed).toMatch(/accepted +6,150\b[\s\S]*refused +0\b/);
      // `pending` where the disk is slow.
      if (commands.includes('DELETE'))
        expect(JSON.parse(printed)).toMatchObject({status: expect.stringMatching(/^(deleted|pending)$/), id: 'ada'});
      if (commands.includes('%{http_code}')) expect(printed).toMatch(/"code":"user_not_found".* 404$/);
      continue;
    }
    // Reports come with the next snapshot.
    await until(`the shown answer of ${commands}`, async () => (await shell(commands)) === shown).catch(
      async (error) => {
        expect(await shell(commands)).toBe(shown);
        throw error;
      },
    );
  }
});

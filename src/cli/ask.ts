// `millrace ask`, `npm run ask`: a question on the terminal (docs/api/query.md).

import {AdminFault} from './admin-client.js';
import {type AskedQuestion, CommandFault, readCommand, usage} from './ask/command.js';
import {type Answered, linesOf} from './ask/table.js';
import {findService} from './import/service-address.js';

/** Reports answer within a minute, or refuse. */
const answerMsMax = 90_000;

// The environment: this program reads it only here.
const {MILLRACE_KEY, MILLRACE_URL, DATA_DIR} = process.env;

async function run(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  if (command.kind === 'help') return say(usage);
  const url = command.url ?? (MILLRACE_URL || null);
  const service = await findService({
    url,
    key: url === null && !MILLRACE_KEY ? null : (MILLRACE_KEY ?? null),
    dataDir: DATA_DIR || './data',
    keyName: 'ask',
    keyKind: 'read',
  });
  try {
    const answer = await ask(service.baseUrl, service.key, command.question);
    say(command.isJson ? `${answer}\n` : `${linesOf(JSON.parse(answer) as Answered).join('\n')}\n`);
  } finally {
    await service.release();
  }
}

async function ask(baseUrl: string, key: string, question: AskedQuestion): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/query`, {
    method: 'POST',
    headers: {authorization: `Bearer ${key}`, 'content-type': 'application/json'},
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(answerMsMax),
  });
  const text = await answer.text();
  if (answer.ok) return text;
  const {error} = JSON.parse(text) as {readonly error?: {readonly message: string}};
  throw new AdminFault(`The service refused (${answer.status}): ${error?.message ?? answer.statusText}.`);
}

const say = (text: string): void => void process.stdout.write(text);

try {
  await run();
} catch (error) {
  if (!(error instanceof CommandFault || error instanceof AdminFault)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof CommandFault ? usage : ''}`);
  process.exitCode = 1;
}

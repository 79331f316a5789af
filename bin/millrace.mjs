#!/usr/bin/env node
// `millrace`: the service and its tools, as the package has them: compiled, with nothing to build.

import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {configuration} from '../scripts/configuration.mjs';
import {findNatsServer} from '../scripts/nats-server.mjs';
import {checkMachine} from '../scripts/machine.mjs';
import {inProject, runScript, SetupFault} from '../scripts/project.mjs';

const usage = `millrace [COMMAND]

  serve       the service (the default). Configuration comes from the environment: millrace serve --help
  dashboard   prints a link that signs in to the dashboard
  keys        creates, lists, limits and revokes API keys
  ask         a question on the terminal: how often, by what, who converts
  names       lists names of events, and deletes all events of a name
  retention   says from when on events are kept, and how many are older than N days
  export      writes all events and users to a file
  import      imports events from a file, and what export wrote
  relink      joins events that were stored while IDENTITY_JOIN was off
  repartition changes the number of partitions of a service that does not run
  backup      copies and restores the data of a service
  cluster     lists the processes beside an external NATS, and raises the level of formats
  demo        a service with the events of a web shop
  doctor      checks whether this machine can run the service, and says what to do
  --version   the version, and the commit that it was built from
  --help      this text
`;

/** Commands that start a nats-server where none is named. */
const needsNatsServer = ['serve', 'demo', 'repartition', 'backup', 'doctor'];
const programs = {
  serve: 'main',
  dashboard: 'cli/dashboard',
  keys: 'cli/keys',
  export: 'cli/export',
  ask: 'cli/ask',
  names: 'cli/names',
  retention: 'cli/retention',
  import: 'cli/import',
  relink: 'cli/relink',
  repartition: 'cli/repartition',
  backup: 'cli/backup',
  cluster: 'cli/cluster',
  demo: 'demo',
  doctor: 'cli/doctor',
};

/** With which `npm start` runs Node, too. */
const {scripts} = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const nodeFlags = scripts.start.match(/--[^ ]+/g);

await runScript(async () => {
  const [command = 'serve', ...words] = process.argv.slice(2);
  const asksForHelp = [command, ...words].some((word) => word === '--help' || word === '-h');
  if (asksForHelp && command.startsWith('-')) return say(usage);
  if (asksForHelp && command === 'serve') return say(`millrace serve\n\n${configuration}`);
  checkMachine();
  if (command === '--version') return run('main', ['--version'], {});
  const program = programs[command];
  if (program === undefined) throw new SetupFault(`there is no command ${command}: see millrace --help`);
  const starts = needsNatsServer.includes(command) && !asksForHelp && !words.includes('--print-config');
  return run(program, words, starts ? await natsServer(command) : {});
});

function say(text) {
  process.stdout.write(text);
}

function tell(line) {
  process.stderr.write(`${line}\n`);
}

/** In a folder of the user's: the package may lie where nobody may write. */
async function natsServer(command) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'nats');
  try {
    const {path, line} = await findNatsServer({cache, say: tell});
    if (command === 'serve' && path !== undefined) tell(`nats-server: ${line}`);
    return path === undefined ? {} : {NATS_SERVER_BIN: path};
  } catch (error) {
    if (command !== 'doctor' || !(error instanceof SetupFault)) throw error;
    return {NATS_SERVER_FAULT: error.message};
  }
}

/** A process of its own, as Node takes these flags at its start alone. It gets our signals, and we end as it does. */
async function run(program, words, env) {
  const path = inProject(`dist/service/${program}.js`);
  if (!existsSync(path)) throw new SetupFault(`${path} is missing: in a clone, npm run build makes it`);
  const child = spawn(process.execPath, [...nodeFlags, path, ...words], {stdio: 'inherit', env: {...process.env, ...env}});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

// `npm start`: sets up, then serves in this same process, so that signals reach the service.

import {configuration} from './configuration.mjs';
import {findNatsServer} from './nats-server.mjs';
import {runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

const usage = `npm start

Sets up what is missing (dependencies, build, nats-server) and serves. Ctrl-C stops it; accepted events are finished first.

  npm start -- --print-config        checks the configuration and prints it as JSON, without secrets; starts nothing
  npm start -- --version             the version, and the commit that it was built from
  npm start -- --help                this text

${configuration}`;

await runScript(async () => {
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  if (words.includes('--print-config') || words.includes('--version')) {
    await setUp({say: () => {}, needsNatsServer: false}); // Quiet: the output is only the answer.
    Object.assign(process.env, await knownNatsServer());
    await import('../dist/service/main.js');
    return;
  }
  if (words.length > 0) throw new SetupFault(`unknown option ${words[0]}: see npm start -- --help`);
  Object.assign(process.env, await setUp());
  await import('../dist/service/main.js');
});

/** Environment that a start would use, as far as it exists: nothing is fetched to answer a question. */
async function knownNatsServer() {
  try {
    const {path} = await findNatsServer({fetchers: []});
    return path === undefined ? {} : {NATS_SERVER_BIN: path};
  } catch (error) {
    if (error instanceof SetupFault) return {}; // A start will fetch one, or report the fault.
    throw error;
  }
}

// `npm start`: set up, then serve in this same process, so that signals reach the service.

import {findNatsServer} from './nats-server.mjs';
import {runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

const usage = `npm start

Sets up what is missing (dependencies, build, nats-server) and serves. Stop with Ctrl-C: it finishes what it took.

  npm start -- --print-config        checks the configuration and prints it as JSON, without secrets; starts nothing
  npm start -- --version             the version, and the commit that it was built from
  npm start -- --help                this text

Configuration comes from the environment:

  PORT=8080  HOST=127.0.0.1          where it listens (PORT=0: any free port)
  ADMIN_PORT=  ADMIN_HOST=127.0.0.1  where /admin, /metrics, /healthz and /readyz are; unset: on PORT
  DATA_DIR=./data                    everything it keeps, but for the journal of deletions
  DELETIONS_DIR=DATA_DIR-deletions   the journal of deletions, which a restored backup is held against
  NATS_URL=                          a NATS server to use; unset: its own, under DATA_DIR
  NATS_TOKEN= / NATS_CREDS=          how to log in there
  NATS_SERVER_BIN=                   the nats-server to run instead of the one that set-up finds
  PARTITIONS=4  REPLICAS=1           fixed once DATA_DIR or NATS holds data
  ROLES=edge,partition,report        what this process does
  REPORT_REFRESH_SECONDS=300         an accepted event is in every report after this long; unset: after 5 s in the
                                     first hour of a new deployment
  BOOTSTRAP_WRITE_KEY= / BOOTSTRAP_SECRET_KEY= / ADMIN_TOKEN=
                                     fixed secrets; unset: created on the first start
  ADMIN_TOKEN_FILE= / BOOTSTRAP_WRITE_KEY_FILE= / BOOTSTRAP_SECRET_KEY_FILE= / NATS_TOKEN_FILE=
                                     paths of files that hold them instead
  RATE_LIMIT_EVENTS_PER_SECOND=50000  RATE_LIMIT_READS_PER_MINUTE=600  RATE_LIMIT_DELETES_PER_SECOND=10
                                     per key; 0 switches one off
  TRUSTED_PROXIES=                   whose X-Forwarded-For is believed: addresses, blocks of them
  DASHBOARD_HOSTS=                   host names that the dashboard is served under, beside addresses and localhost
  BENCH_RESULTS_DIR=                 result files of npm run bench that the dashboard shows (bench/results, where it is there)
  MEMORY_CACHE_MIB=512  DEDUPE_MEMORY_MIB=512
  LOG_LEVEL=info
`;

await runScript(async () => {
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  if (words.includes('--print-config') || words.includes('--version')) {
    setUp({say: () => {}, needsNatsServer: false}); // Quiet: the output is the answer alone.
    Object.assign(process.env, knownNatsServer());
    await import('../dist/service/main.js');
    return;
  }
  if (words.length > 0) throw new SetupFault(`unknown option ${words[0]}: see npm start -- --help`);
  Object.assign(process.env, setUp());
  await import('../dist/service/main.js');
});

/** What a start would use, as far as it is there: nothing is fetched to answer a question. */
function knownNatsServer() {
  try {
    const {path} = findNatsServer({fetchers: []});
    return path === undefined ? {} : {NATS_SERVER_BIN: path};
  } catch (error) {
    if (error instanceof SetupFault) return {}; // A start will fetch one, or say what is wrong.
    throw error;
  }
}

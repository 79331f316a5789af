// `npm start`: set up, then serve in this same process, so that signals reach the service.

import {runScript} from './project.mjs';
import {setUp} from './setup.mjs';

const usage = `npm start

Sets up what is missing (dependencies, build, nats-server) and serves. Stop with Ctrl-C: it finishes what it took.
Configuration comes from the environment:

  PORT=8080  HOST=127.0.0.1          where it listens (PORT=0: any free port)
  DATA_DIR=./data                    everything it keeps
  NATS_URL=                          a NATS server to use; unset: its own, under DATA_DIR
  NATS_TOKEN= / NATS_CREDS=          how to log in there
  NATS_SERVER_BIN=                   the nats-server to run instead of the one that set-up finds
  PARTITIONS=4  REPLICAS=1           fixed once DATA_DIR or NATS holds data
  ROLES=edge,partition,report        what this process does
  REPORT_REFRESH_SECONDS=300         an accepted event is in every report after this long
  BOOTSTRAP_WRITE_KEY= / BOOTSTRAP_SECRET_KEY= / ADMIN_TOKEN=
                                     fixed secrets; unset: created on the first start
  RATE_LIMIT_EVENTS_PER_SECOND=50000  RATE_LIMIT_READS_PER_MINUTE=600  RATE_LIMIT_DELETES_PER_SECOND=10
                                     per key; 0 switches one off
  MEMORY_CACHE_MIB=512  DEDUPE_MEMORY_MIB=512
  LOG_LEVEL=info
`;

await runScript(async () => {
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage);
    return;
  }
  Object.assign(process.env, setUp());
  await import('../dist/src/main.js');
});

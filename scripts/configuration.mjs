// The variables of the service, for the help of those who start it.

export const configuration = `Configuration comes from the environment:

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

// A process that owns an embedded nats-server, for tests that kill it: `node embedded-parent.mjs <dataDir> <serverBin>`.
// Prints one line of JSON once the server runs.

import {lockDataDir} from '../../dist/src/data-lock.js';
import {startEmbeddedNats} from '../../dist/src/nats/server/embedded.js';
import {createLogger} from '../../dist/src/observe.js';

const [dataDir, serverBin] = process.argv.slice(2);
const lock = await lockDataDir(dataDir, () => {});
const nats = await startEmbeddedNats({dataDir, serverBin, lock, logger: createLogger('silent', 'test')});
process.stdout.write(`${JSON.stringify({address: nats.address, serverPid: nats.pid()})}\n`);
setInterval(() => {}, 60_000);

// Once per vitest run, also for `npx vitest run <file>`: compiled code for the integration tests, and a nats-server.

import {findNatsServer} from '../../scripts/nats-server.mjs';
import {BuildFault, setUp} from '../../scripts/setup.mjs';

export default async function setUpOnce(): Promise<void> {
  try {
    await setUp({say: () => {}, needs: 'everything'});
  } catch (error) {
    if (!(error instanceof BuildFault)) throw error;
    // `npm test` refuses to go on here. A single file under work may: the compiler has written what it could.
    process.stderr.write(`${error.message}\n`);
  }
  const {path} = await findNatsServer();
  if (path !== undefined) process.env.NATS_SERVER_BIN = path;
}

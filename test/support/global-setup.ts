// Once per vitest run, also for `npx vitest run <file>`: compiled code for the integration tests, and a nats-server.

import {setUp} from '../../scripts/setup.mjs';

export default function setUpOnce(): void {
  Object.assign(process.env, setUp({say: () => {}}));
}

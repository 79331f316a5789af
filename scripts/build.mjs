// `npm run build`: installs dependencies and compiles. `npm run build -- --nats-server` provides nats-server, too, as a start
// does.

import {runScript, SetupFault} from './project.mjs';
import {setUp} from './setup.mjs';

await runScript(async () => {
  const words = process.argv.slice(2);
  const unknown = words.find((word) => word !== '--nats-server');
  if (unknown !== undefined) throw new SetupFault(`unknown option ${unknown}: the only one is --nats-server`);
  await setUp({needsNatsServer: words.length > 0});
});

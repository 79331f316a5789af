// What an HTTP server does with a port that another one has.
import {expect, test} from 'vitest';
import {transports} from '../support/transports.js';

test.each(transports)('$name: of two that listen on one port, the second is refused', async (transport) => {
  const apps = [transport.newApp(), transport.newApp()] as const;
  const port = await apps[0].listen('127.0.0.1', 0);
  expect(port).toBeGreaterThan(0);
  expect(await apps[1].listen('127.0.0.1', port!)).toBeUndefined();
  for (const app of apps) app.close();
});

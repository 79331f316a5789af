// What an HTTP server does with a port that another one has.
import {expect, test} from 'vitest';
import {cureOf, reasonOf} from '../../src/edge/http/load.js';
import {transports} from '../support/transports.js';

test.each(transports)('$name: of two that listen on one port, the second is refused', async (transport) => {
  const apps = [transport.newApp(), transport.newApp()] as const;
  const port = await apps[0].listen('127.0.0.1', 0);
  expect(port).toBeGreaterThan(0);
  expect(await apps[1].listen('127.0.0.1', port!)).toBeUndefined();
  for (const app of apps) app.close();
});

test('why there is no native server is told in one line, with what would change it', () => {
  const words = 'This version supports only some versions of Node.\n\nError: ';
  const glibc = "/lib/libc.so.6: version `GLIBC_2.38' not found (required by uws_linux_x64_137.node)";
  const older = new Error(`${words}Cannot find module './uws_linux_x64_137.node'`);
  const reason = reasonOf(new AggregateError([new Error(words + glibc), older]));
  expect(reason).toBe(`Error: ${glibc}`);
  expect(cureOf(reason)).toMatch(/needs glibc 2\.38/);
  expect(cureOf(reasonOf(new AggregateError([older])))).toMatch(/no binary for this platform/);
});

test('a native server that was not installed is told by the name of its package, not as a wrong version of Node', () => {
  const lost = new Error(
    "This version supports only some versions of Node.\n\nError: Cannot find module '@uwsjs/linux-x64-20'",
  );
  const reason = reasonOf(new AggregateError([lost, lost]));
  expect(reason).toBe("Error: Cannot find module '@uwsjs/linux-x64-20'");
  expect(cureOf(reason)).toMatch(
    /^the package @uwsjs\/linux-x64-20 is not installed: .*the next npm start installs it$/,
  );
});

// What the native HTTP server does with a port that somebody has.
import {expect, test} from 'vitest';
import {listenAlone, loadNative} from '../../src/edge/native.js';

test('of two that listen on one port, the second is refused', async () => {
  const native = await loadNative();
  const apps = [native.App(), native.App()] as const;
  const first = await listenAlone(apps[0], '127.0.0.1', 0);
  if (!first) throw new Error('no port is free');
  expect(await listenAlone(apps[1], '127.0.0.1', native.us_socket_local_port(first))).toBe(false);
  for (const app of apps) app.close();
});

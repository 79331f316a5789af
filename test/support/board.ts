// The board of Overview, set as a test wants it.
import {expect} from 'vitest';
import type {BoardAnswer} from '../../src/edge/dashboard/answers.js';
import type {BrowserClient} from './browser-client.js';

const path = '/dashboard/api/board';

/** `client`: signed in as somebody who may change the board. */
export async function setPins(client: BrowserClient, pins: readonly string[]): Promise<void> {
  const {version} = (await client.get(path)).json<BoardAnswer>();
  const answer = await client.ask('PUT', path, {json: {pins}, headers: {'If-Match': `"${version}"`}});
  expect(answer.status).toBe(200);
}

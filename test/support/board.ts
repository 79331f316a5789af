// Boards, set as a test wants them.
import {expect} from 'vitest';
import type {BoardAnswer} from '../../src/edge/answers/boards.js';
import type {BrowserClient} from './browser-client.js';

const path = '/dashboard/api/v1/boards';

/** `client`: signed in. */
export const readBoards = async (client: BrowserClient): Promise<readonly BoardAnswer[]> =>
  (await client.get(path)).json<{data: readonly BoardAnswer[]}>().data;

/** Of the first board, which Overview shows. `client`: signed in as somebody who may change boards. */
export async function setPins(client: BrowserClient, pins: readonly string[]): Promise<void> {
  const [first] = await readBoards(client);
  const answer =
    first === undefined
      ? await client.post(path, {name: 'Main', pins})
      : await client.ask('PATCH', `${path}/${first.id}`, {json: {pins}});
  expect([200, 201]).toContain(answer.status);
}

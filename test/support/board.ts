// Boards, set as a test wants them.
import {expect} from 'vitest';
import type {BoardAnswer, BoardsAnswer} from '../../src/edge/dashboard/answers/boards.js';
import type {BrowserClient} from './browser-client.js';

/** `client`: signed in. */
export const readBoards = async (client: BrowserClient): Promise<readonly BoardAnswer[]> =>
  (await client.get('/dashboard/api/boards')).json<BoardsAnswer>().boards;

/** Of the first board, which Overview shows. `client`: signed in as somebody who may change boards. */
export async function setPins(client: BrowserClient, pins: readonly string[]): Promise<void> {
  const {id, name, place, version} = (await readBoards(client))[0]!;
  const json = {name, place, pins};
  const answer = await client.ask('PUT', `/dashboard/api/board?id=${id}`, {
    json,
    headers: {'If-Match': `"${version}"`},
  });
  expect(answer.status).toBe(200);
}

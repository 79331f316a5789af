// Boards, set as a test wants them.
import {expect} from 'vitest';
import {isReport, pinKey} from '../../dashboard/src/service/board-tiles.js';
import type {BoardAnswer} from '../../src/edge/answers/boards.js';
import type {BrowserClient} from './browser-client.js';
import {keptAt} from './kept-report.js';

const path = '/dashboard/api/v1/boards';

/** `client`: signed in. */
export const readBoards = async (client: BrowserClient): Promise<readonly BoardAnswer[]> =>
  (await client.get(path)).json<{data: readonly BoardAnswer[]}>().data;

/** Addresses of its reports. */
export const pinsOf = (board: BoardAnswer | undefined): string[] => (board?.tiles ?? []).filter(isReport).map(pinKey);

/** `pins`: addresses of reports, as `/trends?event=signup`. Of the first board, which Overview shows. `client`: signed in as somebody who may change boards. */
export async function setPins(client: BrowserClient, pins: readonly string[]): Promise<void> {
  const tiles = pins.map(keptAt);
  const [first] = await readBoards(client);
  const answer =
    first === undefined
      ? await client.post(path, {name: 'Main', tiles})
      : await client.ask('PATCH', `${path}/${first.id}`, {json: {tiles}});
  expect([200, 201]).toContain(answer.status);
}

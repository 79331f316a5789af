// The board of Overview, read and replaced as a whole. Its ETag is its version: who replaces it sends the one they read as If-Match.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {type Board, boardCharsMax, boardId, boardPinsMax, boardsOf} from '../../effects/board.js';
import {type Failure, type Header, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {storedChange} from '../routes/stored-change.js';
import type {BoardAnswer, BoardChangedMeanwhileAnswer} from './answers.js';

export const boardBodyBytesMax = 64 * 1024;

const pinRule =
  'pins must be addresses of trends or funnels, such as /trends?event=signup, without spaces and fragments';
const pinsRule = `pins must be up to ${boardPinsMax} different addresses of up to ${boardCharsMax} characters together`;
const pinPattern = /^\/(?:trends|funnels)\?[!"$-~]+$/; // BD3. Printable ASCII without `#`.

const content = z.strictObject({
  pins: z
    .array(z.string(pinRule).regex(pinPattern, pinRule), pinsRule)
    .max(boardPinsMax, pinsRule)
    .refine((pins) => new Set(pins).size === pins.length && pins.join('').length <= boardCharsMax, pinsRule),
});

const noVersion = invalidRequest(
  'If-Match must be the ETag that the board had when it was read, such as "3"',
  'If-Match',
);
const changedMeanwhile: Failure = {
  code: 'changed_meanwhile',
  message: 'somebody else changed the board meanwhile: nothing was changed',
};
const outcomeUnknown = unavailable(
  'the store of boards does not respond: the change may or may not have been made, read the board to see',
);

export const readBoard: Handle = ({hooks}, exchange) => {
  readQuery(exchange.query, noParameters);
  answer(exchange, boardsOf(hooks).get(boardId));
};

export async function replaceBoard(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const {pins} = readFields(content, body);
  const seen = seenVersion(exchange);
  const author = authorOf(front, exchange);
  let isOutdated = false;
  const edit = (known: Board | undefined): Board | undefined => {
    const {version, createdMs} = known ?? {version: 0, createdMs: front.wallMs()};
    isOutdated = version !== seen; // BD2
    if (isOutdated) return known;
    const touched = {changedMs: front.wallMs(), changedBy: exchange.session!.name};
    return {v: 1, id: boardId, createdMs, pins, version: version + 1, ...touched};
  };
  const board = await storedChange(front, outcomeUnknown, () => boardsOf(front.hooks).changeOrAdd(boardId, edit));
  if (isOutdated) {
    const more: BoardChangedMeanwhileAnswer = {board: shown(board)};
    return exchange.failWith(changedMeanwhile, more);
  }
  front.audit.defined('board.changed', author);
  answer(exchange, board);
}

/** @throws RequestFailure */
function seenVersion(exchange: Exchange): number {
  const [, digits] = /^"(\d{1,15})"$/.exec(exchange.page!.ifMatch) ?? [];
  if (digits === undefined) throw new RequestFailure(noVersion);
  return Number(digits);
}

function answer(exchange: Exchange, board: Board | undefined): void {
  const body = shown(board);
  const etag = `"${body.version}"`;
  const headers: readonly Header[] = [['ETag', etag]];
  if (exchange.ifNoneMatch === etag) exchange.answer('304 Not Modified', undefined, '', headers);
  else exchange.json('200 OK', JSON.stringify(body), headers);
}

/** Undefined: nobody has changed it yet. */
const shown = (board: Board | undefined): BoardAnswer => ({
  pins: board?.pins ?? [],
  version: board?.version ?? 0,
  changed_at: board === undefined ? null : isoText(board.changedMs),
  changed_by: board?.changedBy ?? null,
});

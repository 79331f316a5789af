// Boards: listed, made, replaced as a whole, deleted. Who replaces or deletes one sends the version that they read as If-Match.
import {createHash} from 'node:crypto';
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {idCharsMax} from '../../../actors/limits.js';
import {
  type Board,
  boardCharsMax,
  boardPinsMax,
  boardsIn,
  boardsMax,
  boardsOf,
  emptyBoard,
  firstBoardId,
  named,
} from '../../effects/board.js';
import {savedPages} from '../../effects/saved-report.js';
import {isName} from '../../ingest/validate.js';
import {type Failure, type Header, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {changeMeant, removeMeant, tagsOf} from '../routes/if-match.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {keyForm} from '../routes/keys.js';
import {storedChange} from '../routes/stored-change.js';
import type {BoardAnswer, BoardChangedMeanwhileAnswer, BoardsAnswer} from './answers/boards.js';

export const boardBodyBytesMax = 64 * 1024;

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;
const placeMax = 1e12;
const placeRule = `place must be a number from -${placeMax} to ${placeMax}`;
const pinRule = `pins must be addresses of ${savedPages.join(', ')}, such as /trends?event=signup, without spaces and fragments`;
const pinsRule = `pins must be up to ${boardPinsMax} different addresses of up to ${boardCharsMax} characters together`;
const pinPattern = new RegExp(`^(?:${savedPages.join('|')})(?:\\?[!"$-~]+)?$`); // BD3. Printable ASCII without `#`.

const name = z.string(nameRule).refine(isName, nameRule);
const newBoard = z.strictObject({name});
const content = z.strictObject({
  name,
  place: z.number(placeRule).min(-placeMax, placeRule).max(placeMax, placeRule),
  pins: z
    .array(z.string(pinRule).regex(pinPattern, pinRule), pinsRule)
    .max(boardPinsMax, pinsRule)
    .refine((pins) => new Set(pins).size === pins.length && pins.join('').length <= boardCharsMax, pinsRule),
});

const noVersion = invalidRequest(
  'If-Match must be the version that the board had when it was read, such as "3"',
  'If-Match',
);
const unknownBoard: Failure = {code: 'not_found', message: 'no such board'};
const tooMany = invalidRequest(`there are ${boardsMax} boards: delete one first`);
const lastBoard = invalidRequest('this is the last board: take its pins off instead', 'id');
const changedMeanwhile: Failure = {
  code: 'changed_meanwhile',
  message: 'somebody else changed the board meanwhile: nothing was changed',
};
const outcomeUnknown = unavailable(
  'the store of boards does not respond: the change may or may not have been made, read the boards to see',
);

export const listBoards: Handle = ({hooks}, exchange) => {
  readQuery(exchange.query, noParameters);
  const answer: BoardsAnswer = {boards: boardsIn(hooks).map(shown)};
  const body = JSON.stringify(answer);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers: readonly Header[] = [['ETag', etag]];
  if (exchange.ifNoneMatch === etag) exchange.answer('304 Not Modified', undefined, '', headers);
  else exchange.json('200 OK', body, headers);
};

export async function createBoard(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const {name: called} = readFields(newBoard, body);
  const known = boardsIn(front.hooks);
  if (known.length >= boardsMax) throw new RequestFailure(tooMany);
  const author = authorOf(front, exchange);
  const boards = boardsOf(front.hooks);
  const empty = emptyBoard(firstBoardId, front.wallMs());
  const place = Math.max(...known.map((board) => board.place)) + 1;
  const made = await changed(front, async () => {
    // Pages show the first board before it is stored: a second one must not replace it. BD1
    if (boards.list().length === 0) await boards.changeOrAdd(firstBoardId, (board) => board ?? empty);
    return boards.create({name: called, place, pins: [], version: 1, ...touched(front, exchange)});
  });
  front.audit.defined('board.created', author, made.id);
  exchange.json('201 Created', JSON.stringify(shown(named(made))));
}

export async function replaceBoard(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  const {id} = readQuery(exchange.query, keyForm);
  const fields = readFields(content, body);
  const seen = seenVersion(exchange);
  const author = authorOf(front, exchange);
  const boards = boardsOf(front.hooks);
  const empty = emptyBoard(firstBoardId, front.wallMs());
  const isUnstored = id === firstBoardId && boards.list().length === 0; // BD1
  const replaced = await changed(front, async () => {
    if (isUnstored) await boards.changeOrAdd(id, (board) => board ?? empty);
    return changeMeant(boards, id, isOfVersion(seen), (board) => ({
      ...board,
      ...fields,
      version: seen + 1,
      ...touched(front, exchange),
    }));
  });
  if (replaced === undefined) throw new RequestFailure(unknownBoard);
  const board = named(replaced.definition);
  if (replaced.isOutdated) return failOutdated(exchange, board);
  front.audit.defined('board.changed', author, id);
  exchange.json('200 OK', JSON.stringify(shown(board)));
}

export const deleteBoard: Handle = async (front, exchange) => {
  const {id} = readQuery(exchange.query, keyForm);
  const seen = seenVersion(exchange);
  const author = authorOf(front, exchange);
  const boards = boardsOf(front.hooks);
  const known = boardsIn(front.hooks);
  if (!known.some((board) => board.id === id)) throw new RequestFailure(unknownBoard);
  if (known.length === 1) throw new RequestFailure(lastBoard); // BD1
  const removed = await changed(front, () => removeMeant(boards, id, isOfVersion(seen)));
  if (removed === undefined) throw new RequestFailure(unknownBoard);
  if (removed.isOutdated) return failOutdated(exchange, named(removed.definition));
  front.audit.defined('board.deleted', author, id);
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

/** BD2 */
const isOfVersion =
  (seen: number) =>
  ({version}: Pick<Board, 'version'>): boolean =>
    version === seen;

/** @throws RequestFailure */
function seenVersion(exchange: Exchange): number {
  const [tag = '', ...more] = tagsOf(exchange.ifMatch ?? '') ?? [];
  const [, digits] = /^"(\d{1,15})"$/.exec(tag) ?? [];
  if (digits === undefined || more.length > 0) throw new RequestFailure(noVersion);
  return Number(digits);
}

function failOutdated(exchange: Exchange, board: Board): void {
  const more: BoardChangedMeanwhileAnswer = {board: shown(board)};
  exchange.failWith(changedMeanwhile, more);
}

const touched = (front: Front, exchange: Exchange): Pick<Board, 'changedMs' | 'changedBy'> => ({
  changedMs: front.wallMs(),
  changedBy: exchange.session!.name,
});

const shown = ({id, name: called, place, pins, version, changedMs, changedBy}: Board): BoardAnswer => ({
  ...{id, name: called, place, pins, version},
  changed_at: version === 0 ? null : isoText(changedMs),
  changed_by: version === 0 ? null : changedBy,
});

const changed = <Value>(front: Front, change: () => Promise<Value>): Promise<Value> =>
  storedChange(front, outcomeUnknown, change);

// GET /dashboard/api/record: the record of the deployment, a page of lines at a time.
import {isoText} from '../../../actors/calendar.js';
import type {Definition} from '../../kept/definition.js';
import type {KeptStore} from '../../kept/kept-store.js';
import {BucketFault} from '../../keys/key-bucket.js';
import type {KeyRing} from '../../keys/key-ring.js';
import type {AuditLine} from '../audit.js';
import {RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import {optional, wholeNumber} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import type {RecordPage} from '../stored-record.js';
import type {RecordAnswer, RecordLine} from './answers/record.js';

const recordForm = {
  before: optional(wholeNumber(999_999_999), {description: 'As the page before answered it.'}),
};

const noAnswer = unavailable('the record does not respond: nothing is lost, try again later');

export const readRecord: Handle = async (front, exchange) => {
  const {before} = readQuery(exchange.query, recordForm);
  const page = await pageOf(front, before);
  const answer: RecordAnswer = {
    record: page.lines.map((line) => shown(line, front.kept.keys.ring, front.kept.store)),
    before: page.before ?? null,
  };
  exchange.json('200 OK', JSON.stringify(answer));
};

/** @throws RequestFailure (503) */
async function pageOf(
  {operations: {obstacles}, kept: {record}}: Front,
  before: number | undefined,
): Promise<RecordPage> {
  if (obstacles.toChanges() !== undefined) throw new RequestFailure(noAnswer);
  try {
    return await record.page(before);
  } catch (error) {
    if (error instanceof BucketFault) throw new RequestFailure(noAnswer);
    throw error;
  }
}

const shown = (
  {atMs, what, by, subject, address, count = 1}: AuditLine,
  ring: KeyRing,
  store: KeptStore,
): RecordLine => ({
  at: isoText(atMs),
  what,
  by: by === undefined ? null : (ring.get(by)?.name ?? by),
  subject: subject ?? null,
  name: (subject !== undefined && (ring.get(subject)?.name ?? nameOf(store.get(subject)))) || null,
  address: address ?? null,
  count,
});

const nameOf = (definition: (Definition & {readonly name?: string}) | undefined): string | undefined =>
  definition?.name;

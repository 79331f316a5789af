// Saved reports: listed, made, changed, deleted. Everybody who may save sees and changes all of them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {idCharsMax} from '../../../actors/limits.js';
import {
  type SavedReport,
  savedPages,
  savedReportsMax,
  savedReportsOf,
  savedSearchCharsMax,
} from '../../effects/saved-report.js';
import {isName} from '../../ingest/validate.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {changeMeant} from '../routes/if-match.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {keyForm} from '../routes/keys.js';
import {removeDefinition} from '../routes/removed-definition.js';
import {storedChange} from '../routes/stored-change.js';
import type {ChangedMeanwhileAnswer, SavedReportAnswer, SavedReportsAnswer} from './answers/saved-reports.js';

/** The longest question, escaped throughout. */
export const savedReportBodyBytesMax = 128 * 1024;

const nameRule = `name must be 1 to ${idCharsMax} characters, none of them a control character`;
const pageRule = `page must be one of ${savedPages.join(', ')}`;
const searchRule = `search must be empty, or begin with ? and have up to ${savedSearchCharsMax} characters`;
const versionRule = 'version must be the number that the report had when it was read';
const placeMax = 1e12;
const placeRule = `place must be a number from -${placeMax} to ${placeMax}`;

const content = {
  name: z.string(nameRule).refine(isName, nameRule),
  page: z.enum(savedPages, pageRule),
  search: z
    .string(searchRule)
    .max(savedSearchCharsMax, searchRule)
    .regex(/^(\?[^#]*)?$/, searchRule),
};
const newReport = z.strictObject(content);
const contentChange = z.strictObject({
  version: z.int(versionRule).min(1, versionRule),
  name: content.name.optional(),
  page: content.page.optional(),
  search: content.search.optional(),
});
/** A move is no change of the content. */
const placeChange = z.strictObject({place: z.number(placeRule).min(-placeMax, placeRule).max(placeMax, placeRule)});

const unknownReport: Failure = {code: 'not_found', message: 'no such saved report'};
const tooMany = invalidRequest(`${savedReportsMax} reports are saved: delete one first`);
const changedMeanwhile: Failure = {
  code: 'changed_meanwhile',
  message: 'somebody else changed this report meanwhile: nothing was changed',
};
const outcomeUnknown = unavailable(
  'the store of saved reports does not respond: the change may or may not have been made, list the reports to see',
);

export const listSavedReports: Handle = ({hooks}, exchange) => {
  readQuery(exchange.query, noParameters);
  const answer: SavedReportsAnswer = {reports: inOrder(savedReportsOf(hooks).list()).map(shown)};
  exchange.json('200 OK', JSON.stringify(answer));
};

export async function saveReport(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const fields = readFields(newReport, body);
  const reports = savedReportsOf(front.hooks);
  const known = reports.list();
  if (known.length >= savedReportsMax) throw new RequestFailure(tooMany);
  const place = Math.max(0, ...known.map((report) => report.place)) + 1;
  const author = authorOf(front, exchange);
  const saved = await changed(front, () => reports.create({...fields, version: 1, place, ...touched(front, exchange)}));
  front.audit.defined('saved-report.created', author, saved.id);
  exchange.json('201 Created', JSON.stringify(shown(saved)));
}

export async function changeSavedReport(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  const {id} = readQuery(exchange.query, keyForm);
  const fields = 'place' in body ? readFields(placeChange, body) : readFields(contentChange, body);
  const isMeant = 'place' in fields ? undefined : ({version}: SavedReport): boolean => version === fields.version; // SV1
  const edit = (report: SavedReport): SavedReport => {
    if ('place' in fields) return report.place === fields.place ? report : {...report, place: fields.place};
    const {version, name = report.name, page = report.page, search = report.search} = fields;
    return {...report, name, page, search, version: version + 1, ...touched(front, exchange)};
  };
  const author = authorOf(front, exchange);
  const edited = await changed(front, () => changeMeant(savedReportsOf(front.hooks), id, isMeant, edit));
  if (edited === undefined) throw new RequestFailure(unknownReport);
  const report = shown(edited.definition);
  if (edited.isOutdated) {
    const more: ChangedMeanwhileAnswer = {report};
    return exchange.failWith(changedMeanwhile, more);
  }
  front.audit.defined('saved-report.changed', author, id);
  exchange.json('200 OK', JSON.stringify(report));
}

export const deleteSavedReport: Handle = async (front, exchange) => {
  const {id} = readQuery(exchange.query, keyForm);
  await removeDefinition(front, exchange, savedReportsOf(front.hooks), id, {
    what: 'saved-report.deleted',
    unknown: unknownReport,
    outcomeUnknown,
  });
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

const touched = (front: Front, exchange: Exchange): Pick<SavedReport, 'changedMs' | 'changedBy'> => ({
  changedMs: front.wallMs(),
  changedBy: exchange.session!.name,
});

const inOrder = (reports: readonly SavedReport[]): SavedReport[] =>
  [...reports].sort((a, b) => a.place - b.place || a.createdMs - b.createdMs);

const shown = (report: SavedReport): SavedReportAnswer => ({
  id: report.id,
  name: report.name,
  page: report.page,
  search: report.search,
  version: report.version,
  place: report.place,
  created_at: isoText(report.createdMs),
  changed_at: isoText(report.changedMs),
  changed_by: report.changedBy,
});

const changed = <Value>(front: Front, change: () => Promise<Value>): Promise<Value> =>
  storedChange(front, outcomeUnknown, change);

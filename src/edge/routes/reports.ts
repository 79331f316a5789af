// The common part of reports: the route turns parameters into a question, and the report role's answer into HTTP.
import {eventsAskedFor, propertiesAskedFor, quotedInHint} from '../../asked-names.js';
import type {HiddenTexts} from '../../asks/lists.js';
import type {ReportAnswer, ReportQuery} from '../../asks/report.js';
import {type Failure, type Header, invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {parquetType} from '../parquet/events-as-parquet.js';
import {askerOf} from '../query/asker-of.js';
import {optional, position} from '../query/parameters.js';
import {asSeenBy} from '../query/personal-data.js';
import {type QueryForm, type QueryValues, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {csvType, tableCsv} from '../tables/csv.js';
import {isListing, nextCursorIn} from '../tables/list-table.js';
import {tableOf} from '../tables/report-table.js';
import {answerIncluding, readMinPosition, reportIn} from './min-log-position.js';
import {type formatForm, jsonTags, type TableFormat, tableTag} from './report-format.js';
import {metaOf, withMeta} from './report-meta.js';

/** Parameters of every report. */
export const ofEveryReport = {
  at: optional(position, {
    description:
      'The `Report-Log-Position` of an earlier answer: answers over the same snapshots. ' +
      'They are held for up to 10 minutes; then, and after the deletion of a user: 410 `snapshot_gone`.',
  }),
};

/** The hidden texts of a question; empty if nothing is hidden. */
export const hiddenIn = (texts: readonly string[], areShown: boolean): {readonly hidden?: HiddenTexts} =>
  texts.length === 0 ? {} : {hidden: {texts, areShown}};

export const refused = (message: string, field: string): RequestFailure =>
  new RequestFailure(invalidRequest(message, field));

export const foreignCursor: Failure = {
  code: 'invalid_cursor',
  message: 'the cursor is damaged, or belongs to other parameters',
  field: 'cursor',
};

/** Values of a form with `filter`. */
interface Filtered {
  readonly filter: {readonly property: string} | undefined;
}

/** The handler of a report. */
export interface ReportRoute extends Handle {
  /** What a query means. @throws RequestFailure */
  readonly questionOf: (front: Front, query: string) => ReportQuery;
}

/** The route of a report. `read` turns the values of its form into a question. */
export function reportRoute<Form extends QueryForm & typeof ofEveryReport>(
  form: Form,
  read: (values: QueryValues<Form>, front: Front) => ReportQuery,
): ReportRoute {
  const questionOf = (front: Front, query: string): ReportQuery => read(readQuery(query, form), front);
  const handle = async (front: Front, exchange: Exchange): Promise<void> => {
    const values = readQuery(exchange.query, form);
    const query = asSeenBy(exchange, read(values, front));
    // Values are read as those of the forms that reports share: not every form has all of these.
    const {at, format, filter} = values as Partial<QueryValues<typeof ofEveryReport & typeof formatForm> & Filtered>;
    const table = format === 'json' ? undefined : format;
    const ifNoneMatch = table === undefined ? exchange.ifNoneMatch : jsonTags(exchange.ifNoneMatch, table);
    const includes = readMinPosition(exchange, front.partitionCount);
    if (at !== undefined && includes !== undefined)
      throw new RequestFailure(invalidRequest('at and Min-Log-Position exclude each other', 'at'));
    const asked = {
      ask: 'report',
      query,
      ...(ifNoneMatch === undefined ? {} : {ifNoneMatch}),
      ...(at === undefined ? {} : {at}),
    } as const;
    const answer =
      includes === undefined
        ? reportIn(await front.reads.asks.report(asked, askerOf(exchange)))
        : await answerIncluding(front, exchange, asked, includes);
    const hints = [...(filter === undefined ? [] : hintsOfFilter(filter)), ...hintsOf(query, front)];
    await answerReport(front, exchange, query, answer, hints, table);
  };
  return Object.assign(handle, {questionOf});
}

/** What the edge knows of a question that is probably a mistake. */
export const hintsOf = (query: ReportQuery, front: Front): readonly string[] => [
  ...hintsOfBreakdown(query),
  ...hintsOfHidden(query, front),
];

/** `plan!=pro` is the property `plan!`, as `filter` has always read it. */
const hintsOfFilter = ({property}: {readonly property: string}): readonly string[] =>
  /[!<>~]$/.test(property) ? ['operators go into where='] : [];

/** An id is no property: rows of a breakdown by one have it only if events carry a property of that name. */
function hintsOfBreakdown(query: ReportQuery): readonly string[] {
  const breakdowns = 'breakdown' in query ? (query.breakdown ?? []) : [];
  const isOfUser = breakdowns.some(({by, name}) => by === 'property' && ['userId', 'anonymousId'].includes(name));
  return isOfUser ? ['for users by their events ask /v1/users?sort=events'] : [];
}

/** A funnel may have 50 steps; proxies take some 8 KB of headers. */
const hiddenHintsMax = 3;

/** Hints for hidden names and properties: a question for one may come from an old link. */
function hintsOfHidden(query: ReportQuery, {kept: {keys}}: Front): readonly string[] {
  const {names, properties} = keys.lists;
  if (names.length === 0 && properties.length === 0) return [];
  const hidden = [
    ...eventsAskedFor(query).flatMap((name) => (names.includes(name) ? [`event ${quotedInHint(name)}`] : [])),
    ...propertiesAskedFor(query).flatMap((name) =>
      properties.includes(name) ? [`property ${quotedInHint(name)}`] : [],
    ),
  ];
  return [...new Set(hidden)].slice(0, hiddenHintsMax).map((what) => `${what} is hidden from lists`);
}

/** `ofEdge`: hints, which come before those of the answer. */
async function answerReport(
  front: Front,
  exchange: Exchange,
  query: ReportQuery,
  report: Extract<ReportAnswer, {kind: 'report'}>,
  ofEdge: readonly string[],
  table: TableFormat | undefined,
): Promise<void> {
  const {headers, body} = report;
  const hints = [...ofEdge, headers['Report-Hint']].filter((one) => one !== undefined);
  const list = Object.entries({
    ...headers,
    ...(table !== undefined && {ETag: tableTag(headers.ETag, table)}),
    ...(hints.length > 0 && {'Report-Hint': hints.join('; ')}),
  }) as Header[];
  if (body === null) return exchange.answer('304 Not Modified', undefined, '', list);
  if (table === undefined) return exchange.json('200 OK', withMeta(body, metaOf(query, report, ofEdge)), list);
  const all = isListing(query) ? [...list, ...nextCursorIn(body)] : list;
  if (table === 'csv') return exchange.answer('200 OK', csvType, tableCsv(tableOf(query, body)), all);
  const {'Report-As-Of': asOf, 'Report-Log-Position': position} = headers;
  const facts = {'Report-As-Of': asOf, 'Report-Log-Position': position};
  exchange.answer('200 OK', parquetType, await front.reads.parquet.write({query, body, facts}), all);
}

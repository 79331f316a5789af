// Links that share a report: made, listed and revoked by admins, read by whoever has one.
//   SH1. A link opens its one report, and takes no parameter: no session comes of it, and no other route knows its token.
//   SH2. Every read looks up the link, so that a revocation holds at once. Reads of a second share an answer, so that a change of the
//        report, and what is hidden, hold within a second.
//   SH3. A report that names people is shown only by a link whose maker agreed to that, also when it names them since later. Values that
//        few users have count then only if the report has listed them since: numbers may be small on some days.
//   SH4. Reads are counted here and stored about once a minute, so that a read writes nothing.
//   SH5. Each address has a limit of its own for each link: one reader does not close a link to the others.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import type {KeptStore} from '../../kept/kept-store.js';
import {savedReportsOf} from '../../kept/saved-report.js';
import {newShareToken, type Share, shareOf, sharesMax, sharesOf} from '../../kept/share.js';
import {hashKey} from '../../keys/key.js';
import {AddressLimits} from '../admission/address-limits.js';
import {type Failure, type Header, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {RateLimit} from '../http/rate-limit.js';
import {SharedAnswer} from '../http/shared-answer.js';
import {askerOf, shareCaller} from '../query/asker-of.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {keyForm} from '../routes/keys.js';
import {removeDefinition} from '../routes/removed-definition.js';
import {storedChange} from '../routes/stored-change.js';
import type {
  CreatedShareAnswer,
  ShareAnswer,
  SharedReportAnswer,
  ShareNeedsWordAnswer,
  SharesAnswer,
} from './answers/shares.js';
import {whyFew} from './names-people.js';
import {answersOf, type SharedReport} from './shared-report.js';

const readsPerMinute = 120;
const ofAddress = new RateLimit('reads', readsPerMinute, 60);
/** Reads at the same moment share one answer. */
const answerKeptMs = 1_000;
/** Answers in memory: each may have some MB. */
const answersMax = 16;
const dayMs = 86_400_000;
const daysDefault = 30;
const daysMax = 3_650;
const originsMax = 10;

const reportRule = 'report must be the id of a saved report';
const followsRule = 'follows must be true or false';
const daysRule = `days must be a whole number from 1 to ${daysMax}, or null for no end`;
const originRule = `origins must be up to ${originsMax} origins as browsers send them, such as https://example.com: no path, no "*"`;
const agreedRule = 'may_name_people must be true or false';

const newShare = z.strictObject({
  report: z.string(reportRule),
  /** Whether the link shows what the report becomes. */
  follows: z.boolean(followsRule),
  days: z.int(daysRule).min(1, daysRule).max(daysMax, daysRule).nullable().default(daysDefault),
  origins: z
    .array(z.string(originRule).refine(isWebOrigin, originRule), originRule)
    .max(originsMax, originRule)
    .default([]),
  may_name_people: z.boolean(agreedRule).default(false),
});

/** An origin that a policy can name. URLs allow `;` and `,` in a host, with which a policy would have further directives. */
function isWebOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const unknownReport: Failure = {code: 'not_found', message: 'no such saved report', field: 'report'};
const unknownShare: Failure = {code: 'not_found', message: 'no such link'};
const tooMany = invalidRequest(`there are ${sharesMax} links: revoke one first`);
const outcomeUnknown = unavailable(
  'the store of links does not respond: the change may or may not have been made, list the links to see',
);

// Refusals for the holder of a link. None of them says whether the link ever existed.
const noLink: Failure = {code: 'not_found', message: 'this link was revoked, has ended, or never was one'};
const noReport: Failure = {code: 'not_found', message: 'the report of this link was deleted'};
const namesPeople: Failure = {
  code: 'not_found',
  message: 'this report names people since it was shared: ask for a new link',
};

const unindexed: readonly Header[] = [['X-Robots-Tag', 'noindex']];

/** State of a link in this process, beyond its record. */
interface Watched {
  /** Reads since they were stored last. SH4 */
  reads: number;
  lastReadMs: number;
}

export class Shares {
  private readonly limits = new AddressLimits<'reads'>();
  private readonly watched = new Map<string, Watched>();
  /** Answer by id of the link, the least recently read first. */
  private readonly answers = new Map<string, SharedAnswer<string>>();

  constructor(private readonly monotonicMs: () => number) {}

  readonly list: Handle = ({kept: {store}}, exchange) => {
    readQuery(exchange.query, noParameters);
    const shares = sharesOf(store).list().reverse();
    const answer: SharesAnswer = {shares: shares.map((share) => this.shown(store, share))};
    exchange.json('200 OK', JSON.stringify(answer));
  };

  readonly create = async (front: Front, exchange: Exchange, bytes: Buffer): Promise<void> => {
    const body = readObject(bytes);
    readQuery(exchange.query, noParameters);
    const {report: id, follows, days, origins, may_name_people: mayNamePeople} = readFields(newShare, body);
    const report = savedReportsOf(front.kept.store).get(id);
    if (report === undefined) throw new RequestFailure(unknownReport);
    if (sharesOf(front.kept.store).list().length >= sharesMax) throw new RequestFailure(tooMany);
    const author = authorOf(front, exchange);
    const nowMs = front.wallMs();
    const {answers, naming} = await answersOf(front, report, askerOf(exchange));
    const people = [...naming.people, ...naming.few.map(whyFew)];
    const failing = answers.find((one) => 'error' in one);
    if (failing !== undefined) return exchange.failWith(unanswerable(failing.error.message), {});
    if (people.length > 0 && !mayNamePeople) {
      const asks: ShareNeedsWordAnswer = {people};
      return exchange.json('200 OK', JSON.stringify(asks));
    }
    const token = newShareToken();
    const {name, questions, view} = report;
    const made = await storedChange(front, outcomeUnknown, () =>
      sharesOf(front.kept.store).create({
        hash: hashKey(token),
        name,
        of: follows ? {follows: id} : {questions, ...(view && {view})},
        untilMs: days === null ? null : nowMs + days * dayMs,
        origins: [...new Set(origins)],
        mayNamePeople,
        brokenDownBy: naming.brokenDownBy,
        createdBy: exchange.caller.session!.name,
        reads: 0,
        lastReadMs: null,
      }),
    );
    front.kept.audit.defined('share.created', author, made.id);
    const answer: CreatedShareAnswer = {...this.shown(front.kept.store, made), token};
    exchange.json('201 Created', JSON.stringify(answer));
  };

  readonly revoke: Handle = async (front, exchange) => {
    const {id} = readQuery(exchange.query, keyForm);
    await removeDefinition(front, exchange, sharesOf(front.kept.store), id, {
      what: 'share.revoked',
      unknown: unknownShare,
      outcomeUnknown,
    });
    await front.kept.revocations.add({what: 'share', id});
    this.watched.delete(id);
    exchange.json('200 OK', JSON.stringify({status: 'revoked', id}));
  };

  /** SH1. A link that shows nothing is answered with 200 and the error: browsers write any other status into their console. */
  readonly read: Handle = async (front, exchange, token) => {
    readQuery(exchange.query, noParameters);
    exchange.isAbsenceAnswered = true;
    const share = shareOf(front.kept.store, token, front.wallMs());
    if (share === undefined) throw new RequestFailure(noLink);
    const watched = this.watchedOf(share);
    const admitted = this.limits.admit(
      ofAddress,
      share.id,
      front.operations.clientAddresses.of(exchange),
      exchange.receivedMs,
    ); // SH5
    if (typeof admitted !== 'function') {
      const message = `this link is read more than ${readsPerMinute} times a minute from your address: try again later`;
      return exchange.fail({...admitted, message});
    }
    watched.reads += 1;
    watched.lastReadMs = front.wallMs();
    const text = await this.answerOf(front, share).get(exchange.gone);
    if (shareOf(front.kept.store, token, front.wallMs()) === undefined) throw new RequestFailure(noLink); // SH2
    exchange.json('200 OK', text, unindexed);
  };

  /** Origins that may embed the page of a token; none where it is no link. */
  originsOf({wallMs, kept: {store}}: Front, token: string): readonly string[] {
    return shareOf(store, token, wallMs())?.origins ?? [];
  }

  /** SH4. A failure keeps the counts for the next time. Rejects with a `BucketFault`. */
  async saveReads(store: KeptStore): Promise<void> {
    for (const [id, watched] of this.watched) {
      const {reads, lastReadMs} = watched;
      if (reads === 0) continue;
      await sharesOf(store).change(id, (share) => ({
        ...share,
        reads: share.reads + reads,
        lastReadMs: Math.max(share.lastReadMs ?? 0, lastReadMs),
      }));
      watched.reads -= reads;
    }
    for (const id of this.watched.keys()) if (sharesOf(store).get(id) === undefined) this.watched.delete(id);
  }

  private watchedOf({id}: Share): Watched {
    const watched = this.watched.get(id) ?? {reads: 0, lastReadMs: 0};
    this.watched.set(id, watched);
    return watched;
  }

  private answerOf(front: Front, {id}: Share): SharedAnswer<string> {
    const answer =
      this.answers.get(id) ?? new SharedAnswer(answerKeptMs, this.monotonicMs, (stop) => this.answer(front, id, stop));
    this.answers.delete(id);
    this.answers.set(id, answer);
    if (this.answers.size > answersMax) this.answers.delete(this.answers.keys().next().value!);
    return answer;
  }

  /** SH2, SH3 */
  private async answer(front: Front, id: string, gone: AbortSignal): Promise<string> {
    const share = sharesOf(front.kept.store).get(id);
    if (share === undefined) throw new RequestFailure(noLink);
    const report = reportOf(front.kept.store, share);
    if (report === undefined) throw new RequestFailure(noReport);
    const nowMs = front.wallMs();
    const asker = {caller: shareCaller(id), gone};
    const {answers, naming} = await answersOf(front, report, asker).catch((error: unknown) => {
      throw error instanceof RequestFailure ? new RequestFailure(notShown(error.failure)) : error;
    });
    const isNaming = naming.people.length > 0 || naming.few.some((name) => !share.brokenDownBy.includes(name));
    if (isNaming && !share.mayNamePeople) throw new RequestFailure(namesPeople);
    const {name, view} = report;
    const answer: SharedReportAnswer = {name, ...(view && {view}), at: isoText(nowMs), answers};
    return JSON.stringify(answer);
  }

  private shown(store: KeptStore, share: Share): ShareAnswer {
    const {id, name, of, origins, createdMs, createdBy, untilMs, reads, lastReadMs} = share;
    const here = this.watched.get(id);
    const lastMs = Math.max(lastReadMs ?? 0, here?.lastReadMs ?? 0);
    return {
      id,
      name: reportOf(store, share)?.name ?? name,
      follows: 'follows' in of ? of.follows : null,
      is_shown: reportOf(store, share) !== undefined,
      origins,
      created_at: isoText(createdMs),
      created_by: createdBy,
      ends_at: untilMs === null ? null : isoText(untilMs),
      reads: reads + (here?.reads ?? 0),
      last_read_at: lastMs === 0 ? null : isoText(lastMs),
    };
  }
}

/** Report of a link; undefined: it was deleted. */
const reportOf = (store: KeptStore, {name, of}: Share): SharedReport | undefined =>
  'follows' in of ? savedReportsOf(store).get(of.follows) : {name, ...of};

const unanswerable = (message: string): Failure =>
  invalidRequest(`the report cannot be answered: ${message}`, 'report');

/** The refusal without its reason, which only the owners of the report may know. */
const notShown = (failure: Failure): Failure =>
  failure.code === 'invalid_request'
    ? {code: 'not_found', message: 'this report is not shared any more: ask who gave you the link'}
    : failure;

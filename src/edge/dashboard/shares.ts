// Reads of links that share a report, by people who have one. src/edge/resources/shares.ts creates, changes and deletes links.
//   SH1. A link opens its one report or board, and takes no parameter: no session comes of it, and no other route knows its token.
//   SH2. Every read looks up the link, so that a revocation holds at once. Reads of a second share an answer, so that a change of the
//        report, and what is hidden, hold within a second.
//   SH3. A report or board that names people is shown only by a link whose maker agreed to that, also when it names them since later.
//        Values that few users have count then only if the report has listed them since: numbers may be small on some days.
//   SH4. Reads are counted (src/kept/share-reads.ts): a read writes nothing.
//   SH5. Each address has a limit of its own for each link: one reader does not close a link to the others.
import {isoText} from '../../../actors/calendar.js';
import {isDefinitionId} from '../../kept/definition.js';
import {type Share, type SharedReport, sharedOf, shareOf, sharesOf} from '../../kept/share.js';
import {AddressLimits} from '../admission/address-limits.js';
import {type Failure, type Header, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {RateLimit} from '../http/rate-limit.js';
import {SharedAnswer} from '../http/shared-answer.js';
import {shareCaller} from '../query/asker-of.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {answersOf, boardAnswersOf} from '../routes/shared-report.js';
import type {SharedBoardAnswer, SharedReportAnswer} from './answers/shared-report.js';

const readsPerMinute = 120;
const ofAddress = new RateLimit('reads', readsPerMinute, 60);
/** Reads at the same moment share one answer. */
const answerKeptMs = 1_000;
/** Answers in memory: each may have some MB. */
const answersMax = 16;

// Refusals for the holder of a link. None of them says whether the link ever existed.
const noLink: Failure = {code: 'not_found', message: 'this link was revoked, has ended, or never was one'};
const wasDeleted = ({of}: Share): Failure => {
  const what = 'follows' in of && isDefinitionId('bd', of.follows) ? 'board' : 'report';
  return {code: 'not_found', message: `the ${what} of this link was deleted`};
};
const namesPeople: Failure = {
  code: 'not_found',
  message: 'this report names people since it was shared: ask for a new link',
};

const unindexed: readonly Header[] = [['X-Robots-Tag', 'noindex']];

export class Shares {
  private readonly limits = new AddressLimits<'reads'>();
  /** Answer by id of the link, the least recently read first. */
  private readonly answers = new Map<string, SharedAnswer<string>>();

  constructor(private readonly monotonicMs: () => number) {}

  /** SH1. A link that shows nothing is answered with 200 and the error: browsers write any other status into their console. */
  readonly read: Handle = async (front, exchange, token) => {
    readQuery(exchange.query, noParameters);
    exchange.isAbsenceAnswered = true;
    const share = shareOf(front.kept.store, token, front.wallMs());
    if (share === undefined) throw new RequestFailure(noLink);
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
    front.kept.shareReads.add(share, front.wallMs()); // SH4
    const text = await this.answerOf(front, share).get(exchange.gone);
    if (shareOf(front.kept.store, token, front.wallMs()) === undefined) throw new RequestFailure(noLink); // SH2
    exchange.json('200 OK', text, unindexed);
  };

  /** Origins that may embed the page of a token; none where it is no link. */
  originsOf({wallMs, kept: {store}}: Front, token: string): readonly string[] {
    return shareOf(store, token, wallMs())?.origins ?? [];
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
    const of = sharedOf(front.kept.store, share);
    if (of === undefined) throw new RequestFailure(wasDeleted(share));
    const nowMs = front.wallMs();
    const asker = {caller: shareCaller(id), gone};
    const asked = 'tiles' in of ? boardAnswersOf(front, of.tiles, asker) : answersOf(front, of, asker);
    const {naming, ...answered} = await asked.catch((error: unknown) => {
      throw error instanceof RequestFailure ? new RequestFailure(notShown(error.failure)) : error;
    });
    const isNaming = naming.people.length > 0 || naming.few.some((name) => !share.brokenDownBy.includes(name));
    if (isNaming && !share.mayNamePeople) throw new RequestFailure(namesPeople);
    const head = {name: of.name, at: isoText(nowMs)};
    if ('tiles' in answered) return JSON.stringify({...head, tiles: answered.tiles} satisfies SharedBoardAnswer);
    const {view} = of as SharedReport;
    return JSON.stringify({...head, ...(view && {view}), answers: answered.answers} satisfies SharedReportAnswer);
  }
}

/** The refusal without its reason, which only the owners of the report may know. */
const notShown = (failure: Failure): Failure =>
  failure.code === 'invalid_request'
    ? {code: 'not_found', message: 'this report is not shared any more: ask who gave you the link'}
    : failure;

// The pass of digests: what is due by a published set is stored with its message, and then queued.
//   DG1. A record has the end of what was told last (due.ts DU1), written together with the message (src/alerts/kept-records.ts). The id of a
//        message follows from the digest and this end: a second copy has the same id.
//   DG2. A digest without numbers now is due again in the next pass, as are the others once no edge answers. One whose report or board was deleted, and
//        one that is paused, is passed over, and so is what it would have told.
import {isoText} from '../../actors/calendar.js';
import {throwBroken} from '../../actors/invariant.js';
import {type KeptPorts, KeptRecords, type WaitingMessage} from '../alerts/kept-records.js';
import type {PublishedSet} from '../alerts/published-set.js';
import {addressOf, type KeptReport, type ReportQuestion} from '../asks/address.js';
import type {FiguresAnswer, FiguresQuestion} from '../asks/figures.js';
import type {Logger} from '../observe.js';
import type {Digest} from './definition.js';
import {type Due, dueAt} from './due.js';
import {changeOf} from './figures.js';
import {finished} from './finished.js';
import {digestText, type ToldReport} from './texts.js';
import {type ToldRecord, toldName} from './told.js';

/** A digest comes with the first publication after its hour: a later one is late by more than this. */
const lateMs = 5 * 60_000;

/** A saved report, or a board. */
export interface Digested {
  readonly name: string;
  readonly reports: readonly KeptReport[];
}

export interface DigestPorts extends KeptPorts {
  digests(): readonly Digest[];
  /** What a digest has the numbers of; undefined: it was deleted. */
  digested(id: string): Digested | undefined;
  /** Ids of the endpoints that subscribe to digests of this name. */
  subscribers(name: string): readonly string[];
  /** Asks an edge. Resolves to undefined if none answers. */
  figures(question: FiguresQuestion): Promise<FiguresAnswer | undefined>;
  /** Address of the dashboard, without a slash at its end; undefined: messages have no links. */
  readonly dashboardUrl: string | undefined;
  readonly messageId: (...parts: readonly string[]) => string;
  readonly wallMs: () => number;
  readonly logger: Logger;
}

export class Digests {
  private readonly ports: DigestPorts;
  private readonly records: KeptRecords<ToldRecord>;

  constructor(ports: DigestPorts) {
    this.ports = ports;
    this.records = new KeptRecords(ports, 'report.digest');
  }

  /** Whether there are any, or records of those that were deleted. */
  get isNeeded(): boolean {
    return this.ports.digests().length > 0 || this.records.names().length > 0;
  }

  /** Queues what is due at the end of `set`. */
  async judge(set: PublishedSet): Promise<void> {
    const digests = this.ports.digests();
    for (const digest of digests) {
      try {
        if (!(await this.judgeOne(digest, set))) break; // DG2
      } catch (error) {
        throwBroken(error);
        this.ports.logger.warn({err: error, digest: digest.id}, 'a digest could not be sent, and is again later');
      }
    }
    const names = new Set(digests.map(({id}) => toldName(id)));
    for (const name of this.records.names()) if (!names.has(name)) await this.records.remove(name);
  }

  /** Forgets the records: another process was the owner meanwhile, and its records count. */
  forget(): void {
    this.records.forget();
  }

  /** False: no edge answers. */
  private async judgeOne(digest: Digest, {asOfMs, refreshMs}: PublishedSet): Promise<boolean> {
    // Before the first one there is no record to read.
    if (dueAt(digest, digest.createdMs, 0, asOfMs) === undefined) return true;
    const name = toldName(digest.id);
    const kept = await this.records.queue(name, await this.records.load(name));
    const due = dueAt(digest, digest.createdMs, kept?.record.toldMs ?? 0, asOfMs);
    if (due === undefined) return true;
    const digested = digest.isPaused ? undefined : this.ports.digested(digest.of);
    const waiting = digested === undefined ? [] : await this.messagesOf(digest, digested, due, refreshMs);
    if (waiting === 'later') return true;
    if (waiting === 'away') return false;
    const stored = await this.records.store(name, kept, {toldMs: due.untilMs, waiting});
    await this.records.queue(name, stored);
    return true;
  }

  private async messagesOf(
    {id, of, weekday, endpoints}: Digest,
    {name, reports}: Digested,
    {dueMs, untilMs, missed}: Due,
    refreshMs: number,
  ): Promise<readonly WaitingMessage[] | 'later' | 'away'> {
    const {messageId, wallMs, subscribers} = this.ports;
    const told: (ToldReport & {readonly address: string})[] = [];
    for (const report of reports) {
      const one = await this.toldOf(report, dueMs, untilMs);
      if (one === 'later' || one === 'away') return one;
      told.push(one);
    }
    const isWeekly = weekday !== undefined;
    const nowMs = wallMs();
    const isLate = missed > 0 || nowMs - dueMs > refreshMs + lateMs;
    const data = {
      digest: {id},
      of: {id: of, name},
      every: isWeekly ? 'week' : 'day',
      due_at: isoText(dueMs),
      late: isLate,
      missed,
      reports: told.map(({figures, ...one}) => ({
        ...one,
        figures: figures.map((figure) => ({...figure, change: changeOf(figure)})),
      })),
      text: digestText({name, isWeekly, dueMs, isLate, missed, reports: told}),
    };
    const receivers = endpoints ?? subscribers(name);
    if (receivers.length === 0) return [];
    return [{id: messageId('digest', id, String(untilMs)), timestampMs: nowMs, data, endpoints: receivers}]; // DG1
  }

  private async toldOf({questions, view}: KeptReport, dueMs: number, untilMs: number) {
    const asked = questions.map((one) => finished(one, dueMs));
    const [question] = asked as [ReportQuestion];
    const answer = await this.ports.figures({question, untilMs});
    if (answer === undefined) return 'away';
    if (answer.kind === 'later') return 'later';
    const {from = '', to = ''} = typeof question.range === 'object' ? question.range : {};
    const {page, search} = addressOf({questions: asked, view}, undefined);
    const address = `/dashboard${page}${search}`;
    const {dashboardUrl} = this.ports;
    return {
      ...{from, to, address},
      ...(dashboardUrl !== undefined && {link: `${dashboardUrl}${page}${search}`}),
      figures: answer.kind === 'figures' ? answer.figures : [],
      ...(answer.kind === 'refused' && {error: answer.message}),
    };
  }
}

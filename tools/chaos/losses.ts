// Losses of a power cut, where the durability class allows them: counted, compared, sent again.
//   Only events that were acknowledged before the last start may be missing. With a message id they are sent again, and must
//   then be there exactly once; without one they are lost for good.

import {setTimeout as delay} from 'node:timers/promises';
import type {Broken} from './broken.js';
import {groupBy} from './grouping.js';
import type {EventThing, Thing} from './journal.js';
import type {EventRow, Readback} from './readback.js';
import type {Sender} from './sender.js';
import {brokenEvents, type EventFate} from './stored-events.js';
import type {IdentifyFate} from './stored-profiles.js';
import type {Reports} from './stored-reports.js';
import type {Truth} from './truth.js';

const batchEvents = 200;
const askAgainMs = 50;
const mendMsMax = 120_000;

export class Losses {
  private startedAt = 0;
  /** Numbers of events that are lost for good. */
  private readonly gone = new Set<number>();
  readonly counts = {
    'acknowledged events lost': 0,
    'of these brought back by a retry': 0,
    'acknowledged identifies lost, and sent again': 0,
  };

  constructor(
    private readonly truth: Truth,
    private readonly readback: Readback,
    private readonly reports: Reports,
    private readonly sender: Sender,
  ) {}

  /** A power cut happened: everything acknowledged up to now may be missing. */
  startedAgain(): void {
    this.startedAt = performance.now();
  }

  readonly isGone = ({n}: EventThing): boolean => this.gone.has(n);

  /** `covered`: position of a fence after all events. `fence`: writes another one. */
  async mend(round: number, covered: string, fence: () => Promise<string>): Promise<Broken[]> {
    this.truth.catchUp();
    const rows = await this.readback.history({});
    const fates = [...this.truth.fates.values()];
    const lost = this.lostEvents(fates.filter(isEvent), rows);
    for (const {thing} of lost) this.gone.add(thing.n);
    const broken = [
      ...brokenEvents(fates.filter(isEvent), rows, () => false, this.isGone),
      ...(await this.reports.brokenOver(round, rows, covered)),
    ];
    const rounds = new Set([round, ...lost.map(({thing}) => thing.round)]);
    const identifies = await this.lostIdentifies(fates.filter(isIdentify).filter(({thing}) => rounds.has(thing.round)));
    await this.sendAgain(lost, identifies);
    this.reports.setDays(round, await this.settledRows(fence));
    return broken;
  }

  /** History once reports include everything that is there now. */
  private async settledRows(fence: () => Promise<string>): Promise<EventRow[]> {
    await fence();
    return this.readback.history({});
  }

  private lostEvents(fates: readonly EventFate[], rows: readonly EventRow[]): EventFate[] {
    const present = new Set(rows.map(({properties}) => Number(properties.n)));
    return fates.filter(
      ({thing, acked, ackedAt}) =>
        acked > 0 && ackedAt < this.startedAt && !present.has(thing.n) && !this.gone.has(thing.n),
    );
  }

  private async lostIdentifies(fates: readonly IdentifyFate[]): Promise<Thing[]> {
    const lost: IdentifyFate[] = [];
    const mayBeLost = fates.filter(({acked, ackedAt}) => acked > 0 && ackedAt < this.startedAt);
    for (const [userId, own] of groupBy(mayBeLost, ({thing}) => thing.userId)) {
      const answer = await this.readback.get(`/v1/users/${encodeURIComponent(userId)}`);
      const {traits} = answer.status === 200 ? (JSON.parse(answer.text) as {traits: object}) : {traits: {}};
      lost.push(...own.filter(({thing}) => !Object.hasOwn(traits, `t${thing.n}`)));
    }
    return lost.sort((a, b) => a.ackedAt - b.ackedAt).map(({thing}) => thing);
  }

  private async sendAgain(events: readonly EventFate[], identifies: readonly Thing[]): Promise<void> {
    const named = events.filter(({thing}) => thing.body.messageId != null).map(({thing}) => thing);
    const deadlineMs = performance.now() + mendMsMax;
    for (let at = 0; at < named.length; at += batchEvents) {
      await this.untilAcked(named.slice(at, at + batchEvents), deadlineMs);
    }
    for (const thing of identifies) await this.untilAcked([thing], deadlineMs);
    for (const {n} of named) this.gone.delete(n);
    this.counts['acknowledged events lost'] += events.length;
    this.counts['of these brought back by a retry'] += named.length;
    this.counts['acknowledged identifies lost, and sent again'] += identifies.length;
    if (events.length + identifies.length === 0) return;
    process.stdout.write(
      `  lost: ${events.length} acknowledged events, ${named.length} of them brought back; ${identifies.length} identifies sent again\n`,
    );
  }

  private async untilAcked(things: readonly Thing[], deadlineMs: number): Promise<void> {
    for (;;) {
      const {outcomes} = await this.sender.send(things);
      if (!outcomes.includes('unknown')) return;
      if (performance.now() > deadlineMs) throw new Error(`what was lost could not be sent again in ${mendMsMax} ms`);
      await delay(askAgainMs);
    }
  }
}

const isEvent = (fate: {thing: Thing}): fate is EventFate => fate.thing.kind === 'event';
const isIdentify = (fate: {thing: Thing}): fate is IdentifyFate => fate.thing.kind === 'identify';

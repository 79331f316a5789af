// Asks the service for everything that a round wrote, and compares it with the journal.

import {availabilityOf} from './availability.js';
import type {Broken} from './broken.js';
import {Erasures} from './erasure-record.js';
import {groupBy} from './grouping.js';
import type {Nemesis, Stage} from './nemesis.js';
import type {EventRow} from './readback.js';
import {brokenEvents, type EventFate} from './stored-events.js';
import {brokenAbsence, brokenProfile, type IdentifyFate} from './stored-profiles.js';
import type {Reports} from './stored-reports.js';
import type {Fate, Truth} from './truth.js';
import {dateOfRound, untimedNameOf} from './workload.js';

// Profiles are asked one by one; history and reports cover the other users of a round.
const profilesMax = 60;

export interface Checked {
  readonly broken: readonly Broken[];
  readonly events: number;
  readonly sends: number;
  readonly unknown: number;
  readonly firstSuccessMs: number;
  readonly slowestMs: number;
}

export class Checker {
  private strangeSeen = 0;
  private wentBackSeen = 0;
  private endsSeen = 0;

  constructor(
    private readonly stage: Stage,
    private readonly nemesis: Nemesis,
    private readonly truth: Truth,
    private readonly reports: Reports,
    private readonly patience: number,
  ) {}

  close(): void {
    this.truth.close();
  }

  async check(round: number, beganAt: number, covered: string): Promise<Checked> {
    this.truth.catchUp();
    const fates = [...this.truth.fates.values()].filter(({thing}) => thing.round === round);
    const erasures = new Erasures(fates);
    const rows = await this.rowsOf(round);
    const events = fates.filter(isEvent);
    const availability = availabilityOf(this.truth, beganAt, this.patience);
    const broken = [
      ...brokenEvents(events, rows, (thing) => erasures.have(thing), this.stage.losses.isGone),
      ...(await this.brokenUsers(fates, rows, erasures)),
      ...(await this.reports.brokenAfter(round, rows, covered)),
      ...((await this.nemesis.check?.(this.stage, this.truth, round)) ?? []),
      ...availability.broken,
      ...this.brokenSinceLastTime(),
    ];
    return {
      ...availability,
      broken,
      events: events.length,
      sends: fates.reduce((sum, {sends}) => sum + sends, 0),
      unknown: fates.filter(({acked, refused, unknown}) => acked + refused === 0 && unknown > 0).length,
    };
  }

  /** Checks all rounds once more, in one reading. */
  async checkAll(rounds: number, covered: string): Promise<Broken[]> {
    this.truth.catchUp();
    const fates = [...this.truth.fates.values()];
    const erasures = new Erasures(fates);
    const rows = await this.stage.readback.history({});
    return [
      ...brokenEvents(fates.filter(isEvent), rows, (thing) => erasures.have(thing), this.stage.losses.isGone),
      ...(await this.reports.brokenOver(rounds, rows, covered)),
      ...((await this.nemesis.conclude?.(this.stage, this.truth)) ?? []),
      ...this.brokenSinceLastTime(),
    ];
  }

  private async rowsOf(round: number): Promise<EventRow[]> {
    const date = dateOfRound(round);
    const {readback} = this.stage;
    const timed = await readback.history({from: date, to: date});
    const untimed = await readback.history({event: untimedNameOf(round)});
    return [...untimed, ...timed];
  }

  private async brokenUsers(fates: readonly Fate[], rows: readonly EventRow[], erasures: Erasures): Promise<Broken[]> {
    const remaining = fates.filter(isIdentify).filter(({thing}) => !erasures.have(thing));
    const identifies = groupBy(remaining, ({thing}) => thing.userId);
    const rowsByUser = groupBy(
      rows.filter(({userId}) => userId !== null),
      ({userId}) => userId!,
    );
    const users = [...new Set([...identifies.keys(), ...rowsByUser.keys()])];
    const broken: Broken[] = [];
    for (const userId of users.slice(0, profilesMax)) {
      const [own, events] = [identifies.get(userId) ?? [], rowsByUser.get(userId) ?? []];
      broken.push(...(await brokenProfile(this.stage.readback, userId, own, events)));
    }
    const cameBack = new Set(
      fates.filter(isEvent).flatMap(({thing}) => (erasures.have(thing) ? [] : thing.body.userId)),
    );
    for (const userId of erasures.users) {
      if (!cameBack.has(userId)) broken.push(...(await brokenAbsence(this.stage.readback, userId)));
    }
    return broken;
  }

  /** Findings without a question: strange answers, reports that went back, a service that ended. */
  private brokenSinceLastTime(): Broken[] {
    const {service, readback} = this.stage;
    const strange = this.truth.strange.slice(this.strangeSeen);
    const wentBack = readback.wentBack.slice(this.wentBackSeen);
    const ends = this.nemesis.mayEndService === true ? [] : service.ownEnds.slice(this.endsSeen);
    this.strangeSeen = this.truth.strange.length;
    this.wentBackSeen = readback.wentBack.length;
    this.endsSeen = service.ownEnds.length;
    return [
      ...strange.map((detail): Broken => ({invariant: 'answer', detail})),
      ...wentBack.map((detail): Broken => ({invariant: 'position', detail})),
      ...ends.map((how): Broken => ({invariant: 'recovery', detail: `the service ended by itself: ${how}`})),
    ];
  }
}

const isEvent = (fate: Fate): fate is EventFate => fate.thing.kind === 'event';
const isIdentify = (fate: Fate): fate is IdentifyFate => fate.thing.kind === 'identify';

// Plays one workload against a running service and the model at once, and compares every answer.
//   Owns:   the service of this seed (it is stopped and started in between), and what was learned from it.
//   D1. Requests are awaited one after the other (bursts excepted), so the order of arrival is the order of sending.
//   D2. What only the server knows is checked apart: an event's id is unique, has one value for ever, and names the one
//       partition of the id that it was sent with; `received_at` lies between the sending of the event and the answer.

import assert from 'node:assert/strict';
import {isDeepStrictEqual} from 'node:util';

import {expect} from 'vitest';
import {activeUsersOf} from '../../tools/model/active-users.js';
import {activityOf} from '../../tools/model/activity.js';
import {dayMs, formatTime, parseRange, parseTime} from '../../tools/model/calendar.js';
import {eventCountsOf} from '../../tools/model/event-counts.js';
import {funnelOf} from '../../tools/model/funnel.js';
import {eventJson, type HistoryQuery, historyOf, pageOf, profileOf} from '../../tools/model/history.js';
import {lifecycleOf, stickinessOf} from '../../tools/model/lifecycle.js';
import {
  type EventBody,
  type JsonObject,
  Model,
  type Received,
  type StoredEvent,
  type UserRef,
  userKeyOf,
  userOf,
} from '../../tools/model/model.js';
import {namesOf} from '../../tools/model/names.js';
import {pathsOf} from '../../tools/model/paths.js';
import {retentionOf} from '../../tools/model/retention.js';
import {
  type Answer,
  Client,
  type EventAnswer,
  expectJson,
  type HistoryAnswer,
  type ProfileBody,
  query,
  userPath,
} from '../support/http.js';
import {type Metrics, scrape} from '../support/metrics.js';
import {Positions, reportCovering, until} from '../support/reports.js';
import {type Service, startService} from '../support/service.js';
import {eventNames, type Workload} from './workload.js';

interface ExpectedRefusal {
  readonly index: number;
  readonly code: string;
  readonly field: string;
  readonly messageId?: unknown;
}

interface Receipt {
  readonly id: string;
  readonly status: string;
  readonly log_position: string;
  readonly events_deleted: number;
}

/** Events that are sent across at once. */
const acrossCount = 2;

export class Driver {
  readonly model = new Model(true);
  private positions = new Positions();
  private readonly idOfArrival = new Map<number, string>();
  private readonly arrivalOfId = new Map<string, number>();
  private write: Client;
  private read: Client;

  private constructor(
    private service: Service,
    private readonly env: Readonly<Record<string, string>>,
    private readonly workload: Workload,
  ) {
    this.write = new Client(service.baseUrl, service.writeKey);
    this.read = new Client(service.baseUrl, service.secretKey);
  }

  static async start(env: Readonly<Record<string, string>>, workload: Workload): Promise<Driver> {
    return new Driver(await startService({env}), env, workload);
  }

  async stop(): Promise<void> {
    expect(await this.service.stop()).toBe(0);
  }

  /** For the end of a failed run too: a service that is gone already is fine. */
  async abandon(): Promise<void> {
    await this.service.kill();
  }

  /** Resolves when all events older than `keptDays` have expired. */
  async expire(keptDays: number): Promise<void> {
    const answer = await until(
      () => this.read.get('/v1/names?from=1970-01-01&to=2100-01-01'),
      ({headers}) => retainedFrom(headers) > Date.now() - (keptDays + 2) * dayMs,
      'the older events expire',
    );
    const keptFromMs = retainedFrom(answer.headers);
    // Reports leave out what has expired in one partition; a live read knows its own.
    await until(
      () => this.historyPage({to: new Date(keptFromMs - 1).toISOString(), limit: 1}),
      ({data}) => data.length === 0,
      'every partition has expired them',
    );
    this.model.expire(keptFromMs);
  }

  async restart(how: 'stop' | 'kill', more: Readonly<Record<string, string>>): Promise<void> {
    if (how === 'stop') await this.stop();
    else await this.service.kill();
    this.service = await startService({env: {...this.env, ...more}, dataDir: this.service.dataDir});
    this.write = new Client(this.service.baseUrl, this.service.writeKey);
    this.read = new Client(this.service.baseUrl, this.service.secretKey);
  }

  async step(): Promise<void> {
    const {workload} = this;
    const kind = workload.random.weighted({
      single: 8,
      kiosk: 2,
      batch: 5,
      burst: 1,
      identify: 4,
      erase: 1,
      profile: 2,
      timeline: 2,
    });
    if (kind === 'single') await this.sendEvent(workload.event());
    else if (kind === 'kiosk') await this.sendEvent(workload.eventOfKiosk());
    else if (kind === 'batch') await this.sendBatch();
    else if (kind === 'burst') await Promise.all(workload.burst().map((body) => this.sendEvent(body)));
    else if (kind === 'identify') await this.sendIdentify();
    else if (kind === 'erase') await this.sendDeletion(workload.random.pick(workload.people));
    else await this.compareUser(kind, workload.user());
  }

  /** What a user's events are while some are on their way to it depends on how far they are. */
  private async compareUser(kind: 'profile' | 'timeline', user: UserRef): Promise<void> {
    if (this.model.joining.has(userKeyOf(user))) return;
    if (kind === 'profile') await this.compareProfile(user);
    else await this.compareTimeline(user);
  }

  private async sendEvent(body: EventBody, key = this.drawKey()): Promise<void> {
    const [answer, received] = await timed(() => this.clientOf(key).post('/v1/events', body));
    expectJson(answer, 200);
    expect(answer.json()).toEqual({status: 'ok', received: 1});
    this.positions.note(answer);
    this.model.event(body, received, key);
  }

  private drawKey(): 'write' | 'secret' {
    return this.workload.random.chance(0.3) ? 'secret' : 'write';
  }

  private clientOf(key: 'write' | 'secret'): Client {
    return key === 'secret' ? this.read : this.write;
  }

  private async sendBatch(): Promise<void> {
    const good = this.workload.batch();
    const {events, errors} = this.withInvalidOnes(good);
    const key = this.drawKey();
    const [answer, received] = await timed(() => this.clientOf(key).post('/v1/events/batch', {events}));
    expectJson(answer, errors.length === 0 ? 200 : 207);
    const body = answer.json<{errors: {message?: string; messageId?: unknown}[]}>();
    expect({...body, errors: body.errors.map(withoutMessage)}).toEqual({
      status: errors.length === 0 ? 'ok' : 'partial',
      received: good.length,
      rejected: errors.length,
      errors: errors.map((error, at) => (error.field === 'messageId' ? {...error, ...echoed(body.errors[at])} : error)),
      ...expectedConflicts(events, good),
    });
    this.positions.note(answer);
    this.model.batch(good, received, key);
  }

  /** A few items that must be refused, among those that must be taken; together no more than a batch may have. */
  private withInvalidOnes(good: readonly EventBody[]): {events: unknown[]; errors: ExpectedRefusal[]} {
    const {random} = this.workload;
    const events: unknown[] = [...good];
    const errors: ExpectedRefusal[] = [];
    const places = random.chance(0.3) && good.length <= 990 ? random.between(1, 5) : 0;
    for (let index = random.between(0, 3), left = places; left > 0 && index <= events.length; left--) {
      const {body, field} = this.workload.invalidEvent();
      events.splice(index, 0, body);
      const isEchoed = field !== 'messageId' && body.messageId !== undefined;
      errors.push({index, code: 'invalid_event', field, ...(isEchoed ? {messageId: body.messageId} : {})});
      index += random.between(1, 5);
    }
    return {events, errors};
  }

  private async sendIdentify(): Promise<void> {
    const body = this.workload.identify();
    const key = this.drawKey();
    const [answer, received] = await timed(() => this.clientOf(key).post('/v1/users/identify', body));
    expectJson(answer, 200);
    expect(answer.json()).toEqual({status: 'ok', userId: body.userId});
    this.positions.note(answer);
    this.model.identify(body, received, key);
  }

  private async sendDeletion(user: UserRef): Promise<void> {
    const answer = await this.read.delete(pathOf(user));
    // Copies of events that the user has are told apart when they arrive.
    const copies = this.model.joining.get(userKeyOf(user)) ?? 0;
    const deleted = this.model.delete(user);
    if (deleted === undefined) {
      this.expectUnknown(answer, user);
      return;
    }
    expect([200, 202], answer.text).toContain(answer.status);
    const {deletion, ...rest} = answer.json<{deletion: Receipt}>();
    expect(rest).toEqual({status: answer.status === 200 ? 'deleted' : 'pending', id: user.id});
    const completed = await until(
      () => this.read.get(`/v1/deletions/${deletion.id}`),
      (state) => state.json<{deletion: Receipt}>().deletion.status === 'completed',
      'the deletion completes',
    );
    const {log_position, events_deleted} = completed.json<{deletion: Receipt}>().deletion;
    assert(
      deleted <= events_deleted && events_deleted <= deleted + copies,
      `${deleted} events of ${userKeyOf(user)} are deleted, and up to ${copies} copies: not ${events_deleted}`,
    );
    this.positions.add(log_position);
  }

  private expectUnknown(answer: Answer, {kind, id}: UserRef): void {
    expect(answer.status, answer.text).toBe(404);
    const {error, linked_to} = answer.json<{error: {code: string}; linked_to?: string}>();
    const owner = kind === 'anonymous' ? this.model.persons.ownerOf(id) : undefined;
    expect([error.code, linked_to]).toEqual(['user_not_found', owner]);
  }

  /** Resolves when all that is joined is with its person, and in the reports that cover `positions`. */
  async allJoined(): Promise<void> {
    const partitions = Number(this.env.PARTITIONS);
    const metrics = await until(
      async () => {
        await this.historyPage({limit: 1}); // All partitions have folded what was acknowledged before.
        return scrape(this.service.baseUrl);
      },
      // A partition that is too slow to answer is not in them.
      (seen) =>
        seen.find('millrace_snapshot_sequence').length === partitions &&
        seen.find('millrace_join_candidates').length === partitions &&
        seen.sum('millrace_join_candidates') + seen.sum('millrace_moves_pending') === 0,
      'all moves have arrived',
    );
    for (let partition = 0; partition < partitions; partition++)
      this.positions.add(publishedPosition(metrics, partition));
    this.model.joining.clear();
  }

  /** Every report, the history and the profiles by random queries; the service stands still meanwhile. */
  async compareEverything(queries: number): Promise<void> {
    await this.allJoined();
    await this.learnPartitions();
    for (const user of this.workload.people) await this.compareProfile(user);
    for (const event of eventNames) await this.compareWholeMonths(event);
    for (let left = queries; left > 0; left--) {
      await this.compareReport('events', this.workload.eventCounts(), eventCountsOf);
      await this.compareReport('users', this.workload.activeUsers(), activeUsersOf);
      await this.compareActivity();
      await this.compareFunnel();
      await this.compareEngagement();
      await this.compareNames();
      await this.compareHistory(this.workload.history(), this.workload.random.between(1, 300));
    }
    await this.comparePagesWhileEventsArrive();
    await this.sendAcross();
  }

  /**
   * A messageId that was sent with a device alone comes with both ids, and one of the user with a device alone: nothing is new, as the
   * key is of the same kind. With another kind it would be an event of its own, on its way to a user who may use this messageId.
   */
  private async sendAcross(): Promise<void> {
    const {model, workload} = this;
    const named = model.events.filter(({messageId, user}) => messageId !== undefined && user.kind === 'user');
    const joined = named.filter(({isJoined}) => isJoined);
    for (const {user, anonymousId, messageId, isSecret} of some(workload, joined))
      await this.sendEvent({...workload.event(user), anonymousId, messageId: messageId!}, keyOf(isSecret));
    const ofOwners = named.filter(({isJoined, user}) => !isJoined && model.persons.devicesOf(user.id).length > 0);
    for (const {user, messageId, isSecret} of some(workload, ofOwners)) {
      const device = workload.random.pick(model.persons.devicesOf(user.id));
      await this.sendEvent(
        {...workload.event({kind: 'anonymous', id: device}), messageId: messageId!},
        keyOf(isSecret),
      );
    }
  }

  private async compareReport<Q extends object>(
    report: string,
    asked: Q,
    expected: (model: Model, asked: Q) => JsonObject,
  ): Promise<void> {
    await this.compareAt(`/v1/reports/${report}?${query(asked as Record<string, string>)}`, (model) =>
      expected(model, asked),
    );
  }

  private async compareAt(path: string, expected: (model: Model) => JsonObject): Promise<void> {
    const answer = await reportCovering(this.read, path, this.positions);
    expectJson(answer, 200);
    expectSame(answer.json(), expected(this.model), decodeURIComponent(path));
  }

  /** Active users of an event by value: trailing windows have users from before `from`. */
  private async compareActivity(): Promise<void> {
    const {random} = this.workload;
    const event = random.pick(eventNames);
    const breakdown = {by: 'property', name: random.pick(['plan', 'n', 'on']), limit: random.between(1, 3)} as const;
    const texts = {event, breakdown: breakdown.name, breakdown_limit: String(breakdown.limit)};
    const range = this.workload.activeUsers();
    await this.compareReport('users', {...range, ...texts}, (model) =>
      activityOf(model, {...range, did: {event, where: []}, breakdown}),
    );
  }

  private async compareFunnel(): Promise<void> {
    const {steps, ...rest} = this.workload.funnel();
    await this.compareReport('funnel', {'steps[]': steps, ...rest}, (model) => funnelOf(model, {steps, ...rest}));
  }

  /** One of the reports about what users do over time. */
  private async compareEngagement(): Promise<void> {
    const {random} = this.workload;
    const {event, filter: _, interval = 'day', ...range} = this.workload.eventCounts();
    const asked = {did: {event, where: []}, ...range, interval};
    switch (random.pick(['retention', 'lifecycle', 'stickiness', 'paths'] as const)) {
      case 'lifecycle':
        await this.compareReport('lifecycle', {event, ...range, interval}, (model) => lifecycleOf(model, asked));
        return;
      case 'stickiness':
        await this.compareReport('stickiness', {event, ...range, interval}, (model) =>
          stickinessOf(model, asked, false),
        );
        return;
      case 'paths': {
        const [depth, limit] = [random.between(2, 6), random.between(1, 5)];
        const direction = random.pick(['after', 'before'] as const);
        const place = direction === 'after' ? {start: event} : {end: event};
        const texts = {...place, ...range, depth: String(depth), limit: String(limit)};
        const path = {...asked, event, direction, where: [], depth, limit};
        await this.compareReport('paths', texts, (model) => pathsOf(model, path));
        return;
      }
      case 'retention':
        await this.compareRetention(event, range);
    }
  }

  private async compareRetention(start: string, range: {from: string; to: string; timezone?: string}): Promise<void> {
    const {random} = this.workload;
    const returning = random.pick(eventNames);
    const rules = {
      interval: random.pick(['day', 'week', 'month'] as const),
      cohort: random.pick(['first', 'recurring']),
      criteria: random.pick(['on', 'on_or_after']),
      frame: random.pick(['calendar', 'rolling']),
    };
    const periods = random.between(1, 6);
    const texts = query({...range, ...rules, start, return: returning, periods: String(periods)});
    const answer = await reportCovering(this.read, `/v1/reports/retention?${texts}`, this.positions);
    expectJson(answer, 200);
    const [did, returns] = [start, returning].map((event) => ({event, where: []}));
    const asked = {...range, ...rules, periods, start: did!, return: returns!};
    const asOfMs = parseTime(String(answer.headers['report-as-of']));
    expectSame(answer.json(), retentionOf(this.model, asked, asOfMs), texts);
  }

  private async compareNames(): Promise<void> {
    const {from, to} = this.workload.eventCounts();
    await this.compareAt(`/v1/names?${query({from, to, limit: '1000'})}`, (model) =>
      namesOf(model, parseRange(from, to)),
    );
  }

  /** One wide report per event, so that no stored event stands outside every comparison. */
  private async compareWholeMonths(event: string): Promise<void> {
    const to = formatTime(Date.now() + 2 * dayMs).slice(0, 10);
    await this.compareReport('events', {event, from: '1970-01-01', to, interval: 'month'}, eventCountsOf);
  }

  private async compareProfile(user: UserRef): Promise<void> {
    const answer = await this.read.get(pathOf(user));
    const expected = profileOf(this.model, user);
    if (expected === undefined) {
      this.expectUnknown(answer, user);
      return;
    }
    expectJson(answer, 200);
    const {anonymous_ids, created_at, last_seen, events, traits_over_limit = 0, ...rest} = answer.json<ProfileBody>();
    expect(anonymous_ids === undefined ? undefined : [...anonymous_ids].sort()).toEqual(
      expected.anonymousIds?.toSorted(),
    );
    expect(rest).toEqual({id: user.id, traits: expected.traits, events_has_more: expected.hasMore});
    expect(traits_over_limit).toBe(expected.traitsOverLimit);
    expectWithin(created_at, expected.createdAt);
    expectWithin(last_seen, expected.lastSeen);
    this.compareRows(events, expected.rows);
  }

  private async compareTimeline(user: UserRef): Promise<void> {
    const asked: HistoryQuery = user.kind === 'user' ? {userId: user.id} : {anonymousId: user.id};
    await this.compareHistory(asked, 1_000);
  }

  private async compareHistory(asked: HistoryQuery, limit: number): Promise<void> {
    const {anonymousId} = asked;
    if (anonymousId !== undefined && this.model.persons.ownerOf(anonymousId) !== undefined) {
      this.expectUnknown(await this.read.get(`/v1/events?${query({...asked})}`), {kind: 'anonymous', id: anonymousId});
      return;
    }
    const rows = historyOf(this.model, asked);
    let cursor: string | undefined;
    for (let start = 0; start === 0 || start < rows.length; start += limit) {
      const page = await this.historyPage({...asked, limit, cursor});
      const expected = pageOf(rows, start, limit);
      this.compareRows(page.data, expected.rows);
      expect([page.has_more, page.next_cursor !== null]).toEqual([expected.hasMore, expected.hasMore]);
      cursor = page.next_cursor ?? undefined;
    }
  }

  /** Pages stand still: what arrives after the first page is in none of them. */
  private async comparePagesWhileEventsArrive(): Promise<void> {
    const rows = historyOf(this.model, {});
    const seen: EventAnswer[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.historyPage({limit: this.workload.random.between(1, 200), cursor});
      seen.push(...page.data);
      cursor = page.next_cursor ?? undefined;
      await this.sendEvent(this.workload.plainEvent());
    } while (cursor !== undefined);
    this.compareRows(seen, rows);
  }

  private async historyPage(
    parameters: HistoryQuery & {limit: number; cursor?: string | undefined},
  ): Promise<HistoryAnswer> {
    const answer = await this.read.get(`/v1/events?${query({...parameters})}`);
    expectJson(answer, 200);
    const page = answer.json<HistoryAnswer>();
    expect(Object.keys(page).sort()).toEqual(['data', 'has_more', 'next_cursor']);
    return page;
  }

  /** Equal milliseconds of different users stand in the order of their partitions, which the ids tell. */
  private async learnPartitions(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await this.historyPage({limit: 1_000, cursor});
      for (const event of page.data) this.notePartition(event);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  private notePartition(event: EventAnswer): void {
    const user: UserRef =
      event.userId === null || event.joined
        ? {kind: 'anonymous', id: event.anonymousId!}
        : {kind: 'user', id: event.userId};
    const partition = partitionOf(event.id);
    assert.equal(this.model.partitions.get(userKeyOf(user)) ?? partition, partition, 'a user lives in one partition');
    this.model.partitions.set(userKeyOf(user), partition);
  }

  private compareRows(actual: readonly EventAnswer[], expected: readonly StoredEvent[]): void {
    const shown = actual.map(({id: _id, received_at: _receivedAt, ...rest}) => rest);
    expectSame(shown, expected.map(eventJson));
    for (const [at, event] of actual.entries()) this.checkServerFields(event, expected[at]!); // D2
  }

  private checkServerFields(actual: EventAnswer, expected: StoredEvent): void {
    this.notePartition(actual);
    expectWithin(actual.received_at, expected.received);
    assert.equal(this.idOfArrival.get(expected.arrival) ?? actual.id, actual.id, 'an event keeps its id');
    assert.equal(this.arrivalOfId.get(actual.id) ?? expected.arrival, expected.arrival, 'an id has one event');
    this.idOfArrival.set(expected.arrival, actual.id);
    this.arrivalOfId.set(actual.id, expected.arrival);
  }
}

/** 0: it kept everything that was asked for. */
const retainedFrom = (headers: Answer['headers']): number =>
  Date.parse(String(headers['report-retained-from'] ?? '1970-01-01'));

const keyOf = (isSecret: boolean): 'write' | 'secret' => (isSecret ? 'secret' : 'write');

const some = <T>({random}: Workload, items: readonly T[]): T[] =>
  items.length === 0 ? [] : Array.from({length: acrossCount}, () => random.pick(items));

function publishedPosition(metrics: Metrics, partition: number): string {
  const generation = metrics.sum('millrace_log_generation', {partition: String(partition)});
  return `${partition}:${generation}.${metrics.sum('millrace_snapshot_sequence', {partition: String(partition)})}`;
}

/** As toEqual, which takes its time over thousands of rows: it is asked only for the words of a failure. */
function expectSame(actual: unknown, expected: unknown, about?: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, about).toEqual(expected);
}

const pathOf = (user: UserRef): string => `${userPath(user.id)}${user.kind === 'anonymous' ? '?kind=anonymous' : ''}`;

async function timed(call: () => Promise<Answer>): Promise<[Answer, Received]> {
  const earliestMs = Date.now();
  const answer = await call();
  return [answer, {earliestMs, latestMs: Date.now()}];
}

function partitionOf(id: string): number {
  assert.match(id, /^\d+-\d+$/);
  return Number(id.split('-')[0]);
}

function expectWithin(timestamp: string, {earliestMs, latestMs}: Received): void {
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const timeMs = Date.parse(timestamp);
  assert(earliestMs <= timeMs && timeMs <= latestMs, `${timestamp} lies within [${earliestMs}, ${latestMs}]`);
}

function withoutMessage({message, ...rest}: {message?: string}): object {
  expect(message).toMatch(/\S/);
  return rest;
}

/** Whether a refused messageId comes back with its refusal is left open. */
const echoed = (error: {messageId?: unknown} | undefined): {messageId?: unknown} =>
  error?.messageId === undefined ? {} : {messageId: error.messageId};

/** Places in `events` of good ones that have the messageId of another event of their user before them. */
function expectedConflicts(events: readonly unknown[], good: readonly EventBody[]): {conflicts?: number[]} {
  const firsts = new Map<string, string>();
  const conflicts: number[] = [];
  for (const body of good) {
    if (body.messageId == null) continue;
    const id = JSON.stringify([userKeyOf(userOf(body)), body.messageId]);
    const first = firsts.get(id);
    if (first === undefined) firsts.set(id, contentOf(body));
    else if (first !== contentOf(body)) conflicts.push(events.indexOf(body));
  }
  return conflicts.length === 0 ? {} : {conflicts};
}

/** What a retry has again. */
const contentOf = ({event, userId, anonymousId, properties, timestamp}: EventBody): string =>
  JSON.stringify([
    event,
    userId ?? null,
    anonymousId ?? null,
    properties ?? {},
    timestamp == null ? null : parseTime(timestamp),
  ]);

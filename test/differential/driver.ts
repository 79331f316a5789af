// Plays one workload against a running service and the model at once, and compares every answer. A second deployment, of many
// processes, may get the same requests: it must answer as the service does.
//   Owns:   the service of this seed (it is stopped and started in between), and what was learned from it.
//   D1. Requests are awaited one after the other (bursts excepted), so the order of arrival is the order of sending.
//   D2. What only the server knows is checked apart: an event's id is unique, has one value for ever, and names the one
//       partition of the id that it was sent with; `received_at` lies between the sending of the event and the answer.
//   D3. Reports of two deployments are equal byte for byte, but for `meta` (when and where each published), cursors (sealed with the
//       secret of each) and times at which the service received something.

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
import {questionsOf} from './questions.js';
import {SharedProcesses} from './shared-processes.js';
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

/** What takes the requests, and what was learned from it. */
class Deployment {
  readonly positions = new Positions();
  readonly idOfArrival = new Map<number, string>();
  readonly arrivalOfId = new Map<string, number>();
  write: Client;
  read: Client;

  constructor(public service: Service) {
    this.write = new Client(service.baseUrl, service.writeKey);
    this.read = new Client(service.baseUrl, service.secretKey);
  }

  startedAnew(service: Service): void {
    this.service = service;
    this.write = new Client(service.baseUrl, service.writeKey);
    this.read = new Client(service.baseUrl, service.secretKey);
  }

  async post(key: 'write' | 'secret', path: string, body: unknown): Promise<Answer> {
    return this.positions.note(await (key === 'secret' ? this.read : this.write).post(path, body));
  }

  report(path: string): Promise<Answer> {
    return reportCovering(this.read, path, this.positions);
  }
}

export class Driver {
  readonly model = new Model(true);
  private readonly own: Deployment;
  /** The own one, and the one of many processes if there is one. */
  private readonly deployments: readonly Deployment[];

  private constructor(
    service: Service,
    private readonly shared: SharedProcesses | undefined,
    private readonly env: Readonly<Record<string, string>>,
    private readonly workload: Workload,
  ) {
    this.own = new Deployment(service);
    this.deployments = shared === undefined ? [this.own] : [this.own, new Deployment(shared.edge)];
  }

  static async start(env: Readonly<Record<string, string>>, workload: Workload, isShared: boolean): Promise<Driver> {
    const shared = isShared ? await SharedProcesses.start(env) : undefined;
    return new Driver(await startService({env}), shared, env, workload);
  }

  async stop(): Promise<void> {
    expect(await this.own.service.stop()).toBe(0);
    await this.shared?.stop();
  }

  /** For the end of a failed run too: a service that is gone already is fine. */
  async abandon(): Promise<void> {
    await this.own.service.kill();
    await this.shared?.abandon();
  }

  /** Resolves when all events older than `keptDays` have expired. */
  async expire(keptDays: number): Promise<void> {
    const {read} = this.own;
    const answer = await until(
      () => read.get('/v1/names?from=1970-01-01&to=2100-01-01'),
      ({headers}) => retainedFrom(headers) > Date.now() - (keptDays + 2) * dayMs,
      'the older events expire',
    );
    const keptFromMs = retainedFrom(answer.headers);
    // Reports leave out what has expired in one partition; a live read knows its own.
    await until(
      () => historyPage(this.own, {to: new Date(keptFromMs - 1).toISOString(), limit: 1}),
      ({data}) => data.length === 0,
      'every partition has expired them',
    );
    this.model.expire(keptFromMs);
  }

  async restart(how: 'stop' | 'kill', more: Readonly<Record<string, string>>): Promise<void> {
    const {service} = this.own;
    if (how === 'stop') expect(await service.stop()).toBe(0);
    else await service.kill();
    await this.shared?.killSome();
    this.own.startedAnew(await startService({env: {...this.env, ...more}, dataDir: service.dataDir}));
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
    else if (kind === 'burst') await this.sendBurst();
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
    const [answer, received] = await this.post(key, '/v1/events', body);
    expectJson(answer, 200);
    expect(answer.json()).toEqual({status: 'ok', received: 1});
    this.model.event(body, received, key);
  }

  /** At once, but for two deployments: what each one stores first would be no question of what it is. */
  private async sendBurst(): Promise<void> {
    const bodies = this.workload.burst();
    if (this.shared === undefined) await Promise.all(bodies.map((body) => this.sendEvent(body)));
    else for (const body of bodies) await this.sendEvent(body);
  }

  /** To every deployment: they answer the same. */
  private async post(key: 'write' | 'secret', path: string, body: unknown): Promise<[Answer, Received]> {
    const earliestMs = Date.now();
    const answers: Answer[] = [];
    for (const deployment of this.deployments) answers.push(await deployment.post(key, path, body));
    for (const {status, text} of answers) expect([status, text]).toEqual([answers[0]!.status, answers[0]!.text]);
    return [answers[0]!, {earliestMs, latestMs: Date.now()}];
  }

  private drawKey(): 'write' | 'secret' {
    return this.workload.random.chance(0.3) ? 'secret' : 'write';
  }

  private async sendBatch(): Promise<void> {
    const good = this.workload.batch();
    const {events, errors} = this.withInvalidOnes(good);
    const key = this.drawKey();
    const [answer, received] = await this.post(key, '/v1/events/batch', {events});
    expectJson(answer, errors.length === 0 ? 200 : 207);
    const body = answer.json<{errors: {message?: string; messageId?: unknown}[]}>();
    expect({...body, errors: body.errors.map(withoutMessage)}).toEqual({
      status: errors.length === 0 ? 'ok' : 'partial',
      received: good.length,
      rejected: errors.length,
      errors: errors.map((error, at) => (error.field === 'messageId' ? {...error, ...echoed(body.errors[at])} : error)),
      ...expectedConflicts(events, good),
    });
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
    const [answer, received] = await this.post(key, '/v1/users/identify', body);
    expectJson(answer, 200);
    expect(answer.json()).toEqual({status: 'ok', userId: body.userId});
    this.model.identify(body, received, key);
  }

  private async sendDeletion(user: UserRef): Promise<void> {
    // Copies of events that the user has are told apart when they arrive.
    const copies = this.model.joining.get(userKeyOf(user)) ?? 0;
    const deleted = this.model.delete(user);
    for (const deployment of this.deployments) await this.deleteAt(deployment, user, deleted, copies);
  }

  private async deleteAt(
    {read, positions}: Deployment,
    user: UserRef,
    deleted: number | undefined,
    copies: number,
  ): Promise<void> {
    const answer = await read.delete(pathOf(user));
    if (deleted === undefined) {
      this.expectUnknown(answer, user);
      return;
    }
    expect([200, 202], answer.text).toContain(answer.status);
    const {deletion, ...rest} = answer.json<{deletion: Receipt}>();
    expect(rest).toEqual({status: answer.status === 200 ? 'deleted' : 'pending', id: user.id});
    const completed = await until(
      () => read.get(`/v1/deletions/${deletion.id}`),
      (state) => state.json<{deletion: Receipt}>().deletion.status === 'completed',
      'the deletion completes',
    );
    const {log_position, events_deleted} = completed.json<{deletion: Receipt}>().deletion;
    assert(
      deleted <= events_deleted && events_deleted <= deleted + copies,
      `${deleted} events of ${userKeyOf(user)} are deleted, and up to ${copies} copies: not ${events_deleted}`,
    );
    positions.add(log_position);
  }

  private expectUnknown(answer: Answer, {kind, id}: UserRef): void {
    expect(answer.status, answer.text).toBe(404);
    const {error, linked_to} = answer.json<{error: {code: string}; linked_to?: string}>();
    const owner = kind === 'anonymous' ? this.model.persons.ownerOf(id) : undefined;
    expect([error.code, linked_to]).toEqual(['user_not_found', owner]);
  }

  /** Resolves when all that is joined is with its person, and in the reports that cover `positions`. */
  async allJoined(): Promise<void> {
    await Promise.all(this.deployments.map((deployment) => this.allJoinedAt(deployment)));
    this.model.joining.clear();
  }

  private async allJoinedAt(deployment: Deployment): Promise<void> {
    const partitions = Number(this.env.PARTITIONS);
    const metrics = await until(
      async () => {
        await historyPage(deployment, {limit: 1}); // All partitions have folded what was acknowledged before.
        return scrape(deployment.service.baseUrl);
      },
      // A partition that is too slow to answer is not in them.
      (seen) =>
        seen.find('millrace_snapshot_sequence').length === partitions &&
        seen.find('millrace_join_candidates').length === partitions &&
        seen.sum('millrace_join_candidates') + seen.sum('millrace_moves_pending') === 0,
      'all moves have arrived',
    );
    for (let partition = 0; partition < partitions; partition++)
      deployment.positions.add(publishedPosition(metrics, partition));
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
    if (this.shared !== undefined) await this.compareDeployments(this.shared);
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
    const [answer, ...others] = await Promise.all(this.deployments.map((deployment) => deployment.report(path)));
    expectJson(answer!, 200);
    expectSame(answer!.json(), expected(this.model), decodeURIComponent(path));
    for (const {text, headers} of others)
      expect([text, headers.etag], decodeURIComponent(path)).toEqual([answer!.text, answer!.headers.etag]); // D3
  }

  /** What the model does not know. */
  private async compareDeployments(shared: SharedProcesses): Promise<void> {
    for (const questions of questionsOf(this.workload)) {
      const texts = await Promise.all(this.deployments.map((deployment) => answersTo(deployment, questions)));
      expectAllSame(texts, JSON.stringify(questions));
    }
    const exported = await Promise.all(this.deployments.map((deployment) => deployment.report('/v1/export')));
    expectAllSame(
      exported.map(({text}) => comparable(text)),
      'an export',
    );
    expect(shared.asked.size).toBeGreaterThan(0);
    await shared.sendGarbage();
  }

  /** Active users of an event by value: trailing windows have users from before `from`. */
  private async compareActivity(): Promise<void> {
    const {random} = this.workload;
    const event = random.pick(eventNames);
    const broken = {by: 'property', name: random.pick(['plan', 'n', 'on']), limit: random.between(1, 3)} as const;
    const texts = {event, breakdown: broken.name, breakdown_limit: String(broken.limit)};
    const range = this.workload.activeUsers();
    await this.compareReport('users', {...range, ...texts}, (model) =>
      activityOf(model, {...range, did: {event, where: []}, breakdown: [broken]}),
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
    const [did, returns] = [start, returning].map((event) => ({event, where: []}));
    const asked = {...range, ...rules, periods, start: did!, return: returns!};
    // Whether a period is over depends on when a deployment published: each is compared with the model.
    for (const deployment of this.deployments) {
      const answer = await deployment.report(`/v1/reports/retention?${texts}`);
      expectJson(answer, 200);
      const asOfMs = parseTime(String(answer.headers['report-as-of']));
      expectSame(answer.json(), retentionOf(this.model, asked, asOfMs), texts);
    }
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
    for (const deployment of this.deployments) await this.compareProfileAt(deployment, user);
  }

  private async compareProfileAt(deployment: Deployment, user: UserRef): Promise<void> {
    const answer = await deployment.read.get(pathOf(user));
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
    this.compareRows(deployment, events, expected.rows);
  }

  private async compareTimeline(user: UserRef): Promise<void> {
    const asked: HistoryQuery = user.kind === 'user' ? {userId: user.id} : {anonymousId: user.id};
    await this.compareHistory(asked, 1_000);
  }

  private async compareHistory(asked: HistoryQuery, limit: number): Promise<void> {
    for (const deployment of this.deployments) await this.compareHistoryAt(deployment, asked, limit);
  }

  private async compareHistoryAt(deployment: Deployment, asked: HistoryQuery, limit: number): Promise<void> {
    const {anonymousId} = asked;
    if (anonymousId !== undefined && this.model.persons.ownerOf(anonymousId) !== undefined) {
      const answer = await deployment.read.get(`/v1/events?${query({...asked})}`);
      this.expectUnknown(answer, {kind: 'anonymous', id: anonymousId});
      return;
    }
    const rows = historyOf(this.model, asked);
    let cursor: string | undefined;
    for (let start = 0; start === 0 || start < rows.length; start += limit) {
      const page = await historyPage(deployment, {...asked, limit, cursor});
      const expected = pageOf(rows, start, limit);
      this.compareRows(deployment, page.data, expected.rows);
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
      const page = await historyPage(this.own, {limit: this.workload.random.between(1, 200), cursor});
      seen.push(...page.data);
      cursor = page.next_cursor ?? undefined;
      await this.sendEvent(this.workload.plainEvent());
    } while (cursor !== undefined);
    this.compareRows(this.own, seen, rows);
  }

  /** Equal milliseconds of different users stand in the order of their partitions, which the ids tell. */
  private async learnPartitions(): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await historyPage(this.own, {limit: 1_000, cursor});
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

  private compareRows(deployment: Deployment, actual: readonly EventAnswer[], expected: readonly StoredEvent[]): void {
    const shown = actual.map(({id: _id, received_at: _receivedAt, ...rest}) => rest);
    expectSame(shown, expected.map(eventJson));
    for (const [at, event] of actual.entries()) this.checkServerFields(deployment, event, expected[at]!); // D2
  }

  private checkServerFields({idOfArrival, arrivalOfId}: Deployment, actual: EventAnswer, expected: StoredEvent): void {
    this.notePartition(actual);
    expectWithin(actual.received_at, expected.received);
    assert.equal(idOfArrival.get(expected.arrival) ?? actual.id, actual.id, 'an event keeps its id');
    assert.equal(arrivalOfId.get(actual.id) ?? expected.arrival, expected.arrival, 'an id has one event');
    idOfArrival.set(expected.arrival, actual.id);
    arrivalOfId.set(actual.id, expected.arrival);
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

async function historyPage(
  {read}: Deployment,
  parameters: HistoryQuery & {limit: number; cursor?: string | undefined},
): Promise<HistoryAnswer> {
  const path = `/v1/events?${query({...parameters})}`;
  // A partition whose owner was killed is answered once another one owns it.
  const answer = await until(
    () => read.get(path),
    ({status}) => status !== 503,
    path,
  );
  expectJson(answer, 200);
  const page = answer.json<HistoryAnswer>();
  expect(Object.keys(page).sort()).toEqual(['data', 'has_more', 'next_cursor']);
  return page;
}

/** The text of the answers, each of which covers what was written. */
async function answersTo({read, positions}: Deployment, questions: readonly unknown[]): Promise<string> {
  const {status, text} = await until(
    () => read.post('/v1/query', {questions}),
    (answer) => {
      expectJson(answer, 200);
      return positions.areCoveredBy(answer.json<{log_position: string}>().log_position);
    },
    'the answers cover what was written',
  );
  expect([status, text.match(/"error":\{[^{}]*\}/g)]).toEqual([200, null]);
  return comparable(text);
}

/** Without what no two deployments have the same. D3 */
const comparable = (text: string): string =>
  text
    .replace(/,"meta":\{[^{}]*\}/g, '')
    .replace(/,"log_position":"[^"]*"/g, '')
    .replace(/"created_at":"[^"]*","last_seen":"[^"]*"/g, '')
    .replace(/"(next_cursor|received_at)":"[^"]*"/g, '"$1":""')
    .replace(/"id":"(\d+)-\d+"/g, '"id":"$1"');

function expectAllSame([first, ...others]: readonly string[], about: string): void {
  for (const other of others) expect(other, about).toBe(first);
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

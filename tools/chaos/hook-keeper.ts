// The operator of the webhooks: makes them, resumes those that are disabled, and sends dead letters again.

import {setTimeout as delay} from 'node:timers/promises';
import {writeCondition} from '../../actors/report/rows/condition-text.js';
import type {Condition} from '../model/conditions.js';
import {type Answer, Http} from './http.js';
import type {EventRule} from './told-messages.js';

const askAgainMs = 500;
const madeMsMax = 60_000;

export interface HookRule {
  readonly path: string;
  /** Undefined: it is told of users. */
  readonly events?: EventRule;
  readonly batch?: {readonly events: number; readonly ms: number};
  readonly ordered?: boolean;
  /** Share of the deliveries that fail once. */
  readonly failingShare: number;
}

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly secret: string;
}

export class HookKeeper {
  resumed = 0;
  replayed = 0;
  private readonly http: Http;
  private readonly ids = new Map<string, string>();
  private isStopping = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(port: number, key: string) {
    this.http = new Http(port, key);
  }

  /** @returns its secret */
  async make({path, events, batch, ordered}: HookRule, receiverPort: number): Promise<string> {
    const types =
      events === undefined
        ? [{type: 'user.identified'}, {type: 'user.deleted'}]
        : [{type: 'event.tracked', names: events.names, where: events.where.map(textOf)}];
    const url = `http://127.0.0.1:${receiverPort}${path}`;
    const deadlineMs = performance.now() + madeMsMax;
    for (;;) {
      const answer = await this.http.send('POST', '/v1/webhooks', {kind: 'webhook', url, types, batch, ordered});
      if (answer.kind === 'answer' && answer.status === 201) {
        const {id, secret} = JSON.parse(answer.text) as Webhook;
        this.ids.set(path, id);
        return secret;
      }
      if (performance.now() > deadlineMs) throw new Error(`no webhook: ${JSON.stringify(answer)}`);
      await delay(askAgainMs);
    }
  }

  start(): void {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.ended;
    this.http.close();
  }

  /** How an endpoint fares, in words. */
  async wordsOn(path: string): Promise<string> {
    const id = this.ids.get(path)!;
    const asked = [`/v1/webhooks/${id}`, ...['pending', 'dead'].map((status) => this.pathOf(id, status))];
    const answers = await Promise.all(asked.map((one) => this.http.send('GET', one)));
    return answers.map((answer) => (answer.kind === 'lost' ? answer.why : answer.text.slice(0, 400))).join(' | ');
  }

  private readonly pathOf = (id: string, status: string): string => `/v1/webhooks/${id}/deliveries?status=${status}`;

  private async run(): Promise<void> {
    while (!this.isStopping) {
      for (const id of this.ids.values()) await this.keep(id);
      await delay(askAgainMs);
    }
  }

  private async keep(id: string): Promise<void> {
    const webhook = await this.get<Webhook>(`/v1/webhooks/${id}`);
    if (webhook?.state === 'disabled') {
      const answer = await this.http.send('POST', `/v1/webhooks/${id}/resume`, {});
      if (isAnswered(answer, 200)) this.resumed += 1;
    }
    const dead = await this.get<{data: readonly {readonly id: string}[]}>(this.pathOf(id, 'dead'));
    const deliveries = [...new Set((dead?.data ?? []).map((letter) => letter.id))];
    if (deliveries.length === 0) return;
    const answer = await this.http.send('POST', `/v1/webhooks/${id}/replay`, {deliveries});
    if (isAnswered(answer, 202)) this.replayed += deliveries.length;
  }

  /** Undefined when the service does not answer. */
  private async get<T>(path: string): Promise<T | undefined> {
    const answer = await this.http.send('GET', path);
    return isAnswered(answer, 200) ? (JSON.parse(answer.text) as T) : undefined;
  }
}

const isAnswered = (answer: Awaited<ReturnType<Http['send']>>, status: number): answer is Answer =>
  answer.kind === 'answer' && answer.status === status;

const textOf = (condition: Condition): string => writeCondition(condition as Parameters<typeof writeCondition>[0]);

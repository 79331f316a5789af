// GET /v1/webhooks/{id}/deliveries: newest attempts, waiting deliveries, dead letters.

import type {Placed} from '../../webhooks/delivery-queue.js';
import type {Endpoint} from '../../webhooks/endpoint.js';
import {readHealth} from '../../webhooks/stored-health.js';
import type {DeliveriesAnswer, DeliveryAnswer} from '../answers/webhooks.js';
import type {Front} from '../front.js';
import {optional, wholeNumber, withDefault, word} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {shownAttempt, shownDead, shownHeld, shownWaiting} from './webhook-body.js';
import {heldRetriesOf, tried, webhookOf} from './webhook-records.js';

const deliveriesShown = 100;
/** Place in the stream before its first message. */
const firstPlace = 1;

export const deliveriesForm = {
  status: withDefault(word(['recent', 'pending', 'dead']), 'recent', {
    description:
      '`recent`: the newest 50 attempts, newest first. `pending`: messages that wait for an attempt, and `dead`: dead letters, ' +
      'kept for 30 days; oldest first. Events that were not sent yet are not listed.',
  }),
  cursor: optional(wholeNumber(999_999_999), {description: 'The `next_cursor` of the page before.'}),
};

export const listDeliveries: Handle = async (front, exchange, segment) => {
  const {status, cursor = firstPlace} = readQuery(exchange.query, deliveriesForm);
  const endpoint = webhookOf(front, segment);
  const {data, next_cursor: next} = await tried(() => deliveriesOf(front, endpoint, status, cursor));
  const answer: DeliveriesAnswer = {data, has_more: next !== null, next_cursor: next};
  exchange.json('200 OK', JSON.stringify(answer));
};

type Page = Omit<DeliveriesAnswer, 'has_more'>;

async function deliveriesOf(front: Front, endpoint: Endpoint, status: string, cursor: number): Promise<Page> {
  const {id} = endpoint;
  if (status === 'recent') {
    const {attempts} = await readHealth(front.kept.store.bucket, id);
    return {data: attempts.map(shownAttempt), next_cursor: null};
  }
  const page = async <Content>(
    read: (endpoint: string, from: number, countMax: number) => Promise<readonly Placed<Content>[]>,
    shown: (content: Content) => DeliveryAnswer,
  ): Promise<Page> => {
    const found = await read(id, cursor, deliveriesShown + 1);
    const next = found[deliveriesShown]?.sequence;
    return {
      data: found.slice(0, deliveriesShown).map(({content}) => shown(content)),
      next_cursor: next === undefined ? null : String(next),
    };
  };
  const {deliveryQueue} = front.kept;
  if (status === 'dead') return page((...asked) => deliveryQueue.dead(...asked), shownDead);
  const queued = await page((...asked) => deliveryQueue.waiting(...asked), shownWaiting);
  if (cursor > firstPlace) return queued;
  const held = await heldRetriesOf(front, endpoint);
  return {...queued, data: [...held.map(shownHeld), ...queued.data]};
}

// GET /v1/webhooks/{id}/deliveries: newest attempts, waiting deliveries, dead letters.

import type {Placed} from '../../effects/letters.js';
import type {DeliveriesAnswer, DeliveryAnswer} from '../answers/webhooks.js';
import type {Front} from '../front.js';
import {optional, wholeNumber, withDefault, word} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {shownAttempt, shownDead, shownWaiting} from './webhook-body.js';
import {standingOf, tried, webhookOf} from './webhook-records.js';

const deliveriesShown = 100;

export const deliveriesForm = {
  status: withDefault(word(['recent', 'pending', 'dead']), 'recent', {
    description:
      '`recent`: the newest 50 attempts, newest first. `pending`: messages that wait for an attempt, and `dead`: dead letters, ' +
      'kept for 30 days; oldest first. Events that were not sent yet wait where they are stored, and are not listed.',
  }),
  cursor: optional(wholeNumber(999_999_999), {description: 'The `next_cursor` of the page before.'}),
};

export const listDeliveries: Handle = async (front, exchange, segment) => {
  const {status, cursor = 1} = readQuery(exchange.query, deliveriesForm);
  const {id} = webhookOf(front, segment);
  const shown = await tried(() => deliveriesOf(front, id, status, cursor));
  exchange.json('200 OK', JSON.stringify(shown));
};

async function deliveriesOf(front: Front, id: string, status: string, cursor: number): Promise<DeliveriesAnswer> {
  if (status === 'recent') {
    const {attempts} = await standingOf(front, id);
    return {data: attempts.map(shownAttempt), next_cursor: null};
  }
  const page = async <Content>(
    read: (endpoint: string, from: number, countMax: number) => Promise<readonly Placed<Content>[]>,
    shown: (content: Content) => DeliveryAnswer,
  ): Promise<DeliveriesAnswer> => {
    const found = await read(id, cursor, deliveriesShown + 1);
    const next = found[deliveriesShown]?.sequence;
    return {
      data: found.slice(0, deliveriesShown).map(({content}) => shown(content)),
      next_cursor: next === undefined ? null : String(next),
    };
  };
  const {letters} = front;
  return status === 'pending'
    ? page((...asked) => letters.waiting(...asked), shownWaiting)
    : page((...asked) => letters.dead(...asked), shownDead);
}

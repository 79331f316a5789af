// What is asked of partitions comes behind what they have to fold for it.
import {expect, test} from 'vitest';
import {askPartitionSubject, type PartitionAnswer, type PartitionQuestion} from '../../src/asks.js';
import {Asks, type Requester} from '../../src/edge/asks.js';

/** Notes what happens, in its order. */
function noted(): {readonly asks: Asks; readonly events: string[]} {
  const events: string[] = [];
  const requester: Requester = {
    async request(subject, question): Promise<PartitionAnswer> {
      const {ask} = question as PartitionQuestion;
      events.push(`${ask} to ${subject}`);
      return ask === 'bodies' ? {kind: 'bodies', events: []} : {kind: 'known_user'};
    },
  };
  return {events, asks: new Asks(requester, () => events.push('handed over'))};
}

test('what was acked is handed over before a live question leaves', async () => {
  const {asks, events} = noted();
  await asks.partition(3, {ask: 'exists', user: {kind: 'user', id: 'ada'}}, ['known_user']);
  expect(events).toEqual(['handed over', `exists to ${askPartitionSubject(3)}`]);
});

test('bodies of rows that were found already need nothing folded', async () => {
  const {asks, events} = noted();
  await asks.partition(3, {ask: 'bodies', ordinals: [1]}, ['bodies']);
  expect(events).toEqual([`bodies to ${askPartitionSubject(3)}`]);
});

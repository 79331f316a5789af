// What a key says about its entries (`eventFlag.secret`, `eventFlag.apart`): message ids are remembered by kind of key, and what joins
// no ids takes no link back.
import {expect, test} from 'vitest';
import {
  type AcceptedEvent,
  eventFlag,
  markEntry,
  writeErase,
  writeEvent,
  writeIdentify,
  writeLink,
} from '../../actors/log/entries.js';
import {MemoryShell} from '../support/memory-shell.js';

const day = Date.UTC(2026, 4, 1);
const {secret, apart} = eventFlag;
const open = 0;
const order = {event: 'purchase', userId: 'ada', messageId: 'order-1001'};

type Sent = Partial<AcceptedEvent>;

async function send(shell: MemoryShell, mark: number, event: Sent): Promise<void> {
  await shell.append((writer) => {
    const start = writer.position;
    writeEvent(writer, {event: 'x', ...event, timeMs: day, receivedMs: day});
    markEntry(writer.bytes, start, mark);
  });
}

async function identify(shell: MemoryShell, mark: number, traits: object): Promise<void> {
  await shell.append((writer) => {
    const start = writer.position;
    writeIdentify(writer, 'ada', JSON.stringify(traits), day, {messageId: 'order-1001'});
    markEntry(writer.bytes, start, mark);
  });
}

const tallyOf = ({partition}: MemoryShell) => ({
  ...partition.events.tally,
  conflicts: partition.dedupe.conflicts.count,
});

test('an id that a public key used suppresses no event of a secret key, and retries of each count once', async () => {
  let shell = new MemoryShell();
  await send(shell, open, {...order, properties: {amount: 0}});
  await send(shell, secret, {...order, properties: {amount: 90}});
  for (const isRestarted of [false, true]) {
    if (isRestarted) {
      await shell.publish();
      shell = await shell.restarted();
    }
    const before = tallyOf(shell);
    await send(shell, secret, {...order, properties: {amount: 90}});
    await send(shell, open, {...order, properties: {amount: 0}});
    expect(tallyOf(shell)).toMatchObject({counted: before.counted, duplicate: before.duplicate + 2, conflicts: 0});
    await send(shell, open, {...order, properties: {amount: 1}});
    expect(tallyOf(shell)).toMatchObject({counted: before.counted, conflicts: before.conflicts + 1});
    if (isRestarted) continue;
    expect(before.counted).toBe(2);
    await send(shell, secret, {...order, messageId: 'order-1002'});
    shell.partition.dedupe.conflicts.count = 0;
  }
});

test('the same of identify calls', async () => {
  const shell = new MemoryShell();
  await identify(shell, open, {plan: 'none'});
  await identify(shell, secret, {plan: 'pro'});
  await identify(shell, secret, {plan: 'pro'});
  expect(shell.partition.events.identifies).toEqual({counted: 2, duplicate: 1, tombstoned: 0});
});

test('an event that joins its user keeps its kind of key: a public copy suppresses no secret one on the way either', async () => {
  const shell = new MemoryShell();
  await send(shell, open, {...order, userId: undefined, anonymousId: 'd'});
  await send(shell, secret, order);
  await shell.append((writer) => writeLink(writer, 'd', 'ada', day));
  await shell.leave();
  await shell.publish();
  await shell.sendTo(shell, shell.partition.moves.pending[0]!);
  expect(shell.partition.events.tally).toMatchObject({counted: 2, arrived: 1, duplicate: 0});
  // The same event with both ids: its id came with the device alone, by the same kind of key.
  await send(shell, open, {...order, anonymousId: 'd'});
  expect(shell.partition.events.tally).toMatchObject({counted: 2, duplicate: 1});
});

test('ids of a deleted user are remembered by kind of key, those of bodies and of identify calls too', async () => {
  const shell = new MemoryShell();
  await send(shell, secret, order);
  await identify(shell, secret, {plan: 'pro'});
  await shell.publish(); // The body is read from its part.
  await shell.append((writer) => writeErase(writer, 'u', 'ada', 'deletion', day));
  await send(shell, secret, order);
  await identify(shell, secret, {plan: 'pro'});
  expect([shell.partition.events.tally.tombstoned, shell.partition.events.identifies.tombstoned]).toEqual([1, 1]);
  expect(shell.partition.deletions.hasErasedInLog).toBe(true);
  await send(shell, open, order);
  expect(shell.partition.events.tally, 'a public copy is an event of its own').toMatchObject({
    tombstoned: 1,
    counted: 2,
  });
});

test('a late copy of a deleted event that joined no ids takes no link back', async () => {
  const shell = new MemoryShell();
  await send(shell, apart, {...order, anonymousId: 'd'});
  await shell.append((writer) => writeErase(writer, 'u', 'ada', 'deletion', day));
  await send(shell, apart, {...order, anonymousId: 'd'});
  expect(shell.partition.events.tally.tombstoned).toBe(1);
  expect(shell.partition.identity.lateLinks.size).toBe(0);
});

test('an event says that it joins none of its ids, in the open chunk and in parts; with one id it joins none anyway', async () => {
  const shell = new MemoryShell();
  await send(shell, apart, {userId: 'ada', anonymousId: 'd', properties: {n: 1}});
  await send(shell, apart, {userId: 'ada'});
  await send(shell, apart, {anonymousId: 'd'});
  await send(shell, secret, {userId: 'ada', anonymousId: 'd'});
  const {events} = (await shell.state()) as {events: string[]};
  expect(events.map((text) => text.includes('"joins":false')).filter(Boolean)).toHaveLength(1);
  expect(events.find((text) => text.includes('"joins":false'))).toContain('"properties":{"n":1}');
});

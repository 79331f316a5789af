// A server that is stopped keeps its connections open: its silence is noticed within seconds, its first word at once.

import type {NatsConnection} from 'nats';
import {afterEach, describe, expect, test} from 'vitest';
import {connectNats} from '../../../src/nats/client/connection.js';
import {lookEveryMs, Pulse, type PulseState, Silence, silentMs} from '../../../src/nats/client/pulse.js';
import {halt} from '../../support/halt.js';
import {startTestNats} from '../../support/nats.js';
import {until} from '../../support/until.js';

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

describe('silence', () => {
  const looks = Math.ceil(silentMs / lookEveryMs);

  test('is judged after the whole time without an answer, and ended by a pong', () => {
    const silence = new Silence();
    const judged = Array.from({length: looks}, () => {
      silence.waited(lookEveryMs);
      return silence.isSilent;
    });
    expect(judged).toEqual([...Array<boolean>(looks - 1).fill(false), true]);
    silence.answered();
    expect(silence.isSilent).toBe(false);
  });

  test('a thread that was busy itself heard nothing: its absence counts as one late look', () => {
    const silence = new Silence();
    for (let stall = 0; stall < 4; stall++) silence.waited(60_000);
    expect(silence.isSilent).toBe(false);
    silence.waited(60_000);
    expect(silence.isSilent).toBe(true);
  });

  test('what else arrives puts the judgement off, but does not take it back', () => {
    const silence = new Silence();
    for (let i = 0; i < 3 * looks; i++) {
      silence.waited(lookEveryMs);
      if (i % 5 === 4) silence.heard();
    }
    expect(silence.isSilent).toBe(false);
    for (let i = 0; i < looks; i++) silence.waited(lookEveryMs);
    silence.heard();
    expect(silence.isSilent).toBe(true);
  });
});

async function connected(): Promise<{nc: NatsConnection; serverPid: number}> {
  const server = await startTestNats(1);
  ended.push(() => server.stop());
  const nc = await connectNats(server.nats.address, 'test');
  ended.push(() => nc.close());
  return {nc, serverPid: server.nats.pid()!};
}

test('a server that is stopped is silent until it goes on; one that is killed is lost until it is back', async () => {
  const {nc, serverPid} = await connected();
  const pulse = new Pulse(nc);
  const changes: PulseState[] = [];
  pulse.onChange((state) => changes.push(state));
  const stoppedMs = performance.now();
  await halt(serverPid);
  ended.push(() => {
    if (changes.length < 2) process.kill(serverPid, 'SIGCONT');
  });
  await until('the silence is noticed', () => pulse.state === 'silent');
  const noticedMs = performance.now() - stoppedMs;
  expect(noticedMs).toBeGreaterThan(silentMs - lookEveryMs);
  // On a busy machine looks come late, and a late one counts as one. The client itself would notice after half a minute.
  expect(noticedMs).toBeLessThan(5 * (silentMs + 2 * lookEveryMs));
  process.kill(serverPid, 'SIGCONT');
  await until('it answers', () => pulse.state === 'answers');
  process.kill(serverPid, 'SIGKILL');
  await until('it is lost, and another one answers', () => changes.length >= 4);
  expect(changes).toEqual(['silent', 'answers', 'lost', 'answers']);
});

test('a thread that does not listen for longer than that hears no silence', async () => {
  const {nc} = await connected();
  const pulse = new Pulse(nc);
  const changes: PulseState[] = [];
  pulse.onChange((state) => changes.push(state));
  const busyUntilMs = performance.now() + silentMs + 4 * lookEveryMs;
  while (performance.now() < busyUntilMs); // As a long garbage collection does.
  let pongs = 0;
  await until('it listened again', async () => {
    await nc.flush();
    pongs += 1;
    return pongs > 20;
  });
  expect(changes).toEqual([]);
});

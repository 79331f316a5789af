// Rounds of a bench, with measurements that are numbers of the test.

import {spawn} from 'node:child_process';
import {cpus} from 'node:os';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {Latencies} from '../bench/load/latency.js';
import {cpuSecondsOf, memoryOf} from '../bench/machine/processes.js';
import {playRounds, ratioOf, roundsText, VoidRound} from '../bench/rounds.js';
import {until} from './support/until.js';

const everything = {foreignShareMax: 1};
const silent = (): void => {};

test('rounds: contenders take turns, the warm-up is not counted', async () => {
  const played: string[] = [];
  const contender = (name: string) => async (round: number) => {
    played.push(`${name}${round}`);
    return round;
  };
  const contenders = {floor: contender('f'), ours: contender('o'), peer: contender('p')};
  const {rounds, voided} = await playRounds(contenders, {...everything, rounds: 2}, silent);
  expect(played).toEqual(['f0', 'o0', 'p0', 'f1', 'o1', 'p1', 'f2', 'o2', 'p2']);
  expect(rounds.map(({round, samples}) => [round, samples])).toEqual([
    [1, {floor: 1, ours: 1, peer: 1}],
    [2, {floor: 2, ours: 2, peer: 2}],
  ]);
  expect(voided).toEqual([]);
});

test('rounds: where the order changes, the last one begins every second round', async () => {
  const played: string[] = [];
  const contender = (name: string) => async (round: number) => played.push(`${name}${round}`);
  const contenders = {quick: contender('q'), plain: contender('p')};
  await playRounds(contenders, {...everything, rounds: 2, takesTurns: true}, silent);
  expect(played).toEqual(['q0', 'p0', 'q1', 'p1', 'p2', 'q2']);
});

test('rounds: a figure is the median of the ratios of each round, with its spread', async () => {
  const floors = [0, 1, 20, 3];
  const ours = [0, 2, 25, 12];
  const contenders = {
    floor: async (round: number) => floors[round]!,
    ours: async (round: number) => ours[round]!,
  };
  const played = await playRounds(contenders, {...everything, rounds: 3}, silent);
  expect(ratioOf(played, ({floor, ours}) => floor / ours)).toEqual({
    median: 0.5,
    min: 0.25,
    max: 0.8,
    all: [0.5, 0.8, 0.25],
  });
});

test('rounds: one that was void is played again from its start, and reported', async () => {
  const played: string[] = [];
  let isFirst = true;
  const contenders = {
    floor: async (round: number) => played.push(`floor ${round}`),
    ours: async (round: number) => {
      played.push(`ours ${round}`);
      if (round === 2 && isFirst) {
        isFirst = false;
        throw new VoidRound('the generator was late');
      }
      return 0;
    },
  };
  const {rounds, voided} = await playRounds(contenders, {...everything, rounds: 2}, silent);
  expect(played.slice(2)).toEqual(['floor 1', 'ours 1', 'floor 2', 'ours 2', 'floor 2', 'ours 2']);
  expect(rounds.map(({round}) => round)).toEqual([1, 2]);
  expect(voided).toEqual([{round: 2, reason: 'the generator was late'}]);
  expect(roundsText({rounds, voided})).toMatch(/^2 rounds, 1 void; /);
});

test('rounds: a measurement that is worth nothing in the warm-up leaves nobody behind it cold', async () => {
  const played: string[] = [];
  const contenders = {
    ours: async (round: number) => {
      played.push(`ours ${round}`);
      if (round === 0) throw new VoidRound('the generator was late');
      return 1;
    },
    floor: async (round: number) => played.push(`floor ${round}`),
  };
  const {rounds, voided} = await playRounds(contenders, {...everything, rounds: 1}, silent);
  expect(played).toEqual(['ours 0', 'floor 0', 'ours 1', 'floor 1']);
  expect([rounds.length, voided]).toEqual([1, []]);
});

test('rounds: void ones end at a bound: fewer rounds are told loudly, none at all is an error', async () => {
  const told: string[] = [];
  let calls = 0;
  const onceGood = async () => {
    if (++calls > 2) throw new VoidRound('it rains');
    return 0;
  };
  const {rounds, voided} = await playRounds({ours: onceGood}, {...everything, rounds: 3}, (text) => told.push(text));
  expect([rounds.length, voided.length]).toEqual([1, 4]);
  expect(told.at(-1)).toBe('ONLY 1 OF 3 ROUNDS: 4 were void');
  const neverGood = () => Promise.reject(new VoidRound('it rains'));
  await expect(playRounds({ours: neverGood}, {...everything, rounds: 1}, silent)).rejects.toThrow('it rains');
});

test('rounds: an error that is no void round ends the bench', async () => {
  const broken = () => Promise.reject(new Error('wrong answer'));
  await expect(playRounds({ours: broken}, {...everything, rounds: 1}, silent)).rejects.toThrow('wrong answer');
});

test('latencies of several runs together are those of one run that had them all', () => {
  const [first, second, all] = [new Latencies(), new Latencies(), new Latencies()];
  for (let i = 0; i < 1_000; i++) {
    const ms = ((i * 7_919) % 1_000) / 3 + (i % 50 === 0 ? 400 : 0);
    (i % 3 === 0 ? first : second).record(ms);
    all.record(ms);
  }
  const together = Latencies.together([first, second]);
  expect(together.summary()).toEqual(all.summary());
  expect([first.count, second.count, together.count]).toEqual([334, 666, 1_000]);
  expect(first.summary().p99).not.toBe(all.summary().p99);
});

const isLinux = process.platform === 'linux';

/** Nobody's child, as its shell ends at once; ends by itself. */
const startForeignWork = (): void => {
  spawn('sh', ['-c', 'timeout 2 sh -c "while :; do :; done" &'], {stdio: 'ignore'});
};

const work = (ms: number): void => {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
};

test.runIf(isLinux)('rounds: CPU of processes that are not the bench is seen, its own is not', async () => {
  let ownCpuMs = 0;
  const own = async () => {
    const before = process.cpuUsage();
    work(500);
    const {user, system} = process.cpuUsage(before);
    ownCpuMs = (user + system) / 1_000;
  };
  const [round] = (await playRounds({own}, {...everything, rounds: 1}, silent)).rounds;
  // Neighbours may have used what was left, and not what we used ourselves. (Ticks of 10 ms: hence the tolerance.)
  const ownShare = ownCpuMs / (round!.elapsedMs * cpus().length);
  expect(round!.foreignShare + ownShare).toBeLessThan(1.1);

  const besideOthers = async (round: number) => {
    if (round === 1) startForeignWork();
    await pause(1_000);
  };
  const beside = await playRounds({besideOthers}, {...everything, rounds: 1}, silent);
  expect(beside.rounds[0]!.foreignShare).toBeGreaterThan(0.25 / cpus().length);
});

test.runIf(process.platform === 'linux')('the CPU time of a process counts, also after it ended', async () => {
  const burn = 'while (process.cpuUsage().user < 300_000);';
  const parent = spawn('/bin/sh', ['-c', `"$0" -e '${burn}'; exec sleep 600`, process.execPath]);
  try {
    await until('the child ended', () => memoryOf(parent.pid!).some(({name}) => name === 'sleep'));
    expect(cpuSecondsOf(parent.pid!)).toBeGreaterThan(0.25);
  } finally {
    parent.kill('SIGKILL');
  }
});

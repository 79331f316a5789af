// The hosts of chaos: what is lost on the way there, and what arrives. Without the permission for network namespaces they are skipped.
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest';
import {type Host, Hosts} from '../../tools/chaos/hosts.js';
import {NotPermitted} from '../../tools/chaos/nemesis.js';
import {until} from '../support/until.js';

/** Sends a line to each of the other hosts 50 times a second, and prints each line that it gets: the number of who sent it. */
const program = `
const [own, ...addresses] = process.argv.slice(1);
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (text) => console.log(String(text)));
socket.on('error', (error) => { throw error; });
const send = () => addresses.forEach((address) => socket.send(own, 4000, address, () => {}));
socket.bind(4000, '0.0.0.0', () => setInterval(send, 20));
`;

let hosts: Hosts | undefined;
let refusal = '';
const running: ChildProcess[] = [];
/** Lines that a host got, by who sent them. */
const got: Map<string, number>[] = [];

function begin({launcher, address}: Host, number: number, all: readonly Host[]): void {
  const others = all.map((host) => host.address).filter((other) => other !== address);
  const words = [...launcher, process.execPath, '-e', program, String(number), ...others];
  const child = spawn(words[0]!, words.slice(1), {stdio: ['ignore', 'pipe', 'inherit']});
  const lines = new Map<string, number>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.trim().split('\n')) lines.set(line, (lines.get(line) ?? 0) + 1);
  });
  running.push(child);
  got.push(lines);
}

beforeAll(() => {
  try {
    hosts = new Hosts(3);
  } catch (error) {
    if (!(error instanceof NotPermitted)) throw error;
    refusal = error.message;
    return;
  }
  for (const [number, host] of hosts.all.entries()) begin(host, number, hosts.all);
});

beforeEach((context) => {
  if (hosts === undefined) context.skip(refusal);
});

async function end(): Promise<void> {
  await Promise.all(
    running.splice(0).map((child) => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    }),
  );
  hosts?.remove();
}

afterAll(end);

/** Who is heard by whom, as "from>to", once nothing that was on its way before can arrive any more. */
async function heard(expected: readonly string[]): Promise<void> {
  await until(`heard: ${expected.join(' ')}`, async () => {
    for (const lines of got) lines.clear();
    // Whoever is heard is heard thrice, and others in the same time not once.
    await until('three lines each', () => expected.every((way) => countOf(way) >= 3));
    const ways = got.flatMap((lines, to) => [...lines.keys()].map((from) => `${from}>${to}`));
    return ways.sort().join() === [...expected].sort().join();
  });
}

const countOf = (way: string): number => {
  const [from, to] = way.split('>') as [string, string];
  return got[Number(to)]!.get(from) ?? 0;
};

const all = ['0>1', '0>2', '1>0', '1>2', '2>0', '2>1'];

test('everybody hears everybody', () => heard(all));

test('a host whose cable is pulled hears nobody, and is heard by nobody, until it is plugged in', async () => {
  hosts!.setCable(1, 'down');
  await heard(['0>2', '2>0']);
  hosts!.setCable(1, 'up');
  await heard(all);
});

test('what is lost on one way arrives on the other', async () => {
  hosts!.loseOnTheWay(0, 2);
  await heard(all.filter((way) => way !== '0>2'));
  hosts!.findOnTheWay(0, 2);
  await heard(all);
});

test('nothing is left of hosts that are removed', async () => {
  await end();
  expect(() => hosts!.setCable(0, 'up')).toThrow(/Cannot find device/);
});

// The load process: prepares requests and runs loops for the benchmark that forked it.

import {ExpectedAnswers} from '../workload/expected.js';
import {ClosedLoop, type LoadPlan} from './closed-loop.js';
import type {FromLoad, ToLoad} from './messages.js';
import {OpenLoop, type OpenPlan} from './open-loop.js';
import {type PreparedRequests, prepareRequests} from './requests.js';

const progressIntervalMs = 500;
const prepared = new Map<string, PreparedRequests>();

function tell(message: FromLoad): void {
  process.send!(message);
}

function prepare({name, workload, batchEvents, key, copies}: Extract<ToLoad, {kind: 'prepare'}>): void {
  const expected = new ExpectedAnswers();
  const requests = prepareRequests(workload, batchEvents, key, copies, (event) => expected.add(event));
  prepared.set(name, requests);
  tell({
    kind: 'prepared',
    requests: requests.buffers.length,
    bytesPerEvent: requests.bytesPerEvent,
    expected: expected.answers(),
  });
}

async function run(name: string, plan: LoadPlan): Promise<void> {
  const loop = new ClosedLoop(prepared.get(name)!, plan);
  const timer = setInterval(
    () => tell({kind: 'progress', requests: loop.requests, events: loop.events}),
    progressIntervalMs,
  );
  try {
    tell({kind: 'done', result: await loop.run()});
  } finally {
    clearInterval(timer);
  }
}

async function offer(name: string, plan: OpenPlan): Promise<void> {
  tell({kind: 'offered', result: await new OpenLoop(prepared.get(name)!, plan).run()});
}

async function obey(message: ToLoad): Promise<void> {
  if (message.kind === 'prepare') prepare(message);
  else if (message.kind === 'run') await run(message.name, message.plan);
  else await offer(message.name, message.plan);
}

process.on('message', (message: ToLoad) => {
  obey(message).catch((error: Error) => tell({kind: 'failed', message: error.message}));
});
// Ends with the benchmark that forked it.
process.on('disconnect', () => process.exit(0));

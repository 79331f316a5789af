import {expect, test} from 'vitest';
import {SharedRun} from '../../src/pacing/shared-run.js';
import {neverStops, newStop, Stopped} from '../../src/pacing/stop.js';

function startedRun() {
  let end = (_text: string): void => undefined;
  let stop: AbortSignal = neverStops;
  const run = new SharedRun<string>(async (given) => {
    stop = given;
    return new Promise<string>((resolve) => {
      end = resolve;
    });
  });
  return {run, end: (text: string) => end(text), isTold: () => stop.aborted};
}

test('who leaves gets nothing, and the run goes on for the others', async () => {
  const {run, end, isTold} = startedRun();
  const [hasty, patient] = [newStop(), newStop()];
  const [first, second] = [run.join(hasty.signal), run.join(patient.signal)];
  await Promise.resolve();
  hasty.abort();
  await expect(first).rejects.toBeInstanceOf(Stopped);
  expect([run.isStopped, isTold()]).toEqual([false, false]);
  end('done');
  expect(await second).toBe('done');
  expect([run.isStopped, await run.join(neverStops)]).toEqual([false, 'done']);
});

test('it stops when the last one has left', async () => {
  const {run, isTold} = startedRun();
  const stops = [newStop(), newStop()];
  const joined = stops.map(({signal}) => run.join(signal));
  await Promise.resolve();
  for (const stop of stops) stop.abort();
  for (const one of joined) await expect(one).rejects.toBeInstanceOf(Stopped);
  expect([run.isStopped, isTold()]).toEqual([true, true]);
});

test('a failure reaches all who wait', async () => {
  const run = new SharedRun<string>(async () => {
    throw new Error('on purpose');
  });
  const joined = [run.join(neverStops), run.join(newStop().signal)];
  for (const one of joined) await expect(one).rejects.toThrow('on purpose');
  expect(run.isStopped).toBe(false);
});

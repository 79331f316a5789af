// Work that many ask for runs once at a time, and who asks while it runs gets one that began after.
import {expect, test} from 'vitest';
import {SingleFlight} from '../src/single-flight.js';

test('there is one at a time, also when somebody asks in the moment in which one ends', async () => {
  let running = 0;
  let mostAtOnce = 0;
  const shared = new SingleFlight(async () => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
  });
  const asks = [shared.run(), shared.run()];
  const askBehind = async (turns: number): Promise<void> => {
    await asks[0];
    for (let turn = 0; turn < turns; turn++) await undefined;
    await shared.run();
  };
  await Promise.all([...asks, ...Array.from({length: 6}, (_, turns) => askBehind(turns))]);
  expect(mostAtOnce).toBe(1);
});

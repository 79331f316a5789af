import {expect, test} from 'vitest';
import {QuietTurns, Turns} from '../../src/report/turns.js';
import {until} from '../support/until.js';

/** Work whose end somebody else decides. */
function held() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {end, work: () => ended};
}

test('quiet work begins when nobody is at work any more, and one after the other', async () => {
  const reports = new Turns(2, 10);
  const building = new QuietTurns(reports, 3_600_000);
  const story: string[] = [];
  const [report, built] = [held(), held()];
  const answered = reports.take(report.work).then(() => story.push('answered'));
  const all = ['first', 'second'].map((name) =>
    building.take(async () => {
      story.push(`${name} begins`);
      await built.work();
      story.push(`${name} ends`);
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(story).toEqual([]);
  report.end();
  await until('building has begun', () => story.includes('first begins'));
  await answered;
  built.end();
  await Promise.all(all);
  expect(story.filter((each) => each !== 'answered')).toEqual([
    'first begins',
    'first ends',
    'second begins',
    'second ends',
  ]);
});

test('under reports without end quiet work begins all the same', async () => {
  const reports = new Turns(1, 10);
  const report = held();
  let isAnswered = false;
  const answered = reports.take(report.work).then(() => {
    isAnswered = true;
  });
  expect(await new QuietTurns(reports, 20).take(async () => 'built')).toBe('built');
  expect(isAnswered).toBe(false);
  report.end();
  await answered;
});

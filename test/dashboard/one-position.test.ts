// Numbers that stand side by side count the same events, whatever the service publishes while they are asked for.
import {expect, test} from 'vitest';
import {isNewer} from '../../dashboard/src/service/freshness.js';
import {atOnePosition} from '../../dashboard/src/service/one-position.js';

interface Report {
  readonly path: string;
  readonly position: string;
}

/** Publishes before an answer where `publishes` says so, and holds the newest `heldMax` sets of snapshots. */
class Service {
  readonly asked: string[] = [];
  private newest = 1;

  constructor(
    private readonly publishes: (answer: number) => boolean,
    private readonly heldMax: number,
  ) {}

  readonly read = async (before: Report, at?: string): Promise<Report> => {
    await Promise.resolve();
    this.asked.push(`${before.path}@${at ?? 'newest'}`);
    if (this.publishes(this.asked.length)) this.newest += 1;
    const wanted = at === undefined ? this.newest : Number(at.slice('0:1.'.length));
    return wanted > this.newest - this.heldMax ? {path: before.path, position: `0:1.${wanted}`} : before;
  };
}

function ask(service: Service, before: readonly Report[], at?: string): Promise<readonly Report[]> {
  let newest = at ?? '';
  return atOnePosition(
    before,
    {
      read: service.read,
      positionOf: ({position}) => position,
      isOver: () => false,
      note: (position) => {
        if (isNewer(position, newest)) newest = position;
        return newest;
      },
    },
    at,
  );
}

const unasked = ['counts', 'users'].map((path): Report => ({path, position: ''}));
const positionsOf = (reports: readonly Report[]): string[] => reports.map(({position}) => position);

test('an older answer is asked for again, at the position of the newer one', async () => {
  const service = new Service((answer) => answer === 2, 10);
  expect(positionsOf(await ask(service, unasked))).toEqual(['0:1.2', '0:1.2']);
  expect(service.asked).toEqual(['counts@newest', 'users@newest', 'counts@0:1.2']);
});

test('all are asked again where the service does not hold those snapshots any more', async () => {
  const service = new Service((answer) => answer === 2 || answer === 3, 1);
  expect(positionsOf(await ask(service, unasked))).toEqual(['0:1.3', '0:1.3']);
});

test('what was whole before stays where the service publishes faster than it is asked', async () => {
  const before = unasked.map(({path}): Report => ({path, position: '0:1.1'}));
  expect(await ask(new Service(() => true, 1), before)).toBe(before);
  // Others of the page are newer already, and their snapshots gone.
  expect(await ask(new Service(() => true, 1), before, '0:1.1')).toEqual(before);
});

test('the first answers come after some rounds, even then', async () => {
  const service = new Service(() => true, 1);
  expect(positionsOf(await ask(service, unasked))).not.toContain('');
  expect(service.asked.length).toBeLessThan(20);
});

test('one that has no answer holds up nobody', async () => {
  const service = new Service(() => false, 1);
  const read = async (one: Report, at?: string): Promise<Report> =>
    one.path === 'users' ? one : service.read(one, at);
  const note = (position: string): string => position;
  const reads = {read, positionOf: ({position}: Report) => position, isOver: () => false, note};
  expect(positionsOf(await atOnePosition(unasked, reads))).toEqual(['0:1.1', '']);
  expect(service.asked).toHaveLength(1);
});

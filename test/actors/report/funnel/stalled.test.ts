// Who stalled, over random partitions, equals a plain twin, on one page and on many, whatever ranges of deadlines are asked for.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Stall, StallPage, StallPlace} from '../../../../src/asks/stalled.js';
import {hourMs} from '../../../../tools/model/calendar.js';
import type {JsonObject} from '../../../../tools/model/model.js';
import {denseStory, windows} from '../../../support/funnel-worlds.js';
import {partitionOfUser, tell, users} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

interface Event {
  readonly name: string;
  readonly timeMs: number;
  readonly properties: JsonObject;
}

/** `B+`: a B whose property is set. */
const isStep = ({name, properties}: Event, step: string): boolean =>
  name === step[0] && (step.length === 1 || properties.a !== undefined);
const isSet = {property: 'a', op: 'set' as const, values: []};
const chosen = (step: string) => ({event: step[0]!, ...(step.length > 1 && {where: [isSet]})});

/** The rules of docs/api/alerts.md word by word. `events`: of one user, in order. */
function stallsOf(events: readonly Event[], steps: readonly string[], withinMs: number, windowMs: number) {
  const found = [];
  for (let first = 0; first < events.length; ) {
    const entry = events[first]!;
    if (!isStep(entry, steps[0]!)) {
      first += 1;
      continue;
    }
    const attempt = events.slice(first).filter(({timeMs}) => timeMs <= entry.timeMs + windowMs);
    const path = [entry];
    let at = 0;
    for (const step of steps.slice(1)) {
      at = attempt.findIndex((event, i) => i > at && isStep(event, step));
      if (at < 0) break;
      path.push(attempt[at]!);
    }
    const [reached, next] = [path[steps.length - 2], path[steps.length - 1]];
    if (reached !== undefined && (next === undefined || next.timeMs > reached.timeMs + withinMs))
      found.push({deadlineMs: reached.timeMs + withinMs, enteredMs: entry.timeMs, reachedMs: reached.timeMs});
    first += attempt.length;
  }
  return found;
}

const someAsked = fc.record({
  steps: fc.array(fc.constantFrom('A', 'B', 'C', 'A+', 'B+'), {minLength: 2, maxLength: 4}),
  windowMs: fc.constantFrom(undefined, ...Object.values(windows)),
  withinMs: fc.integer({min: 1, max: 72}).map((hours) => hours * hourMs),
  cuts: fc.array(
    fc.integer({min: 0, max: 20 * 24}).map((hour) => Date.UTC(2024, 1, 22, hour)),
    {maxLength: 4},
  ),
  limit: fc.integer({min: 1, max: 4}),
});

test('who stalled, in one range and in many, on one page and on many', async () => {
  const property = fc.asyncProperty(
    denseStory,
    fc.array(someAsked, {minLength: 4, maxLength: 4}),
    async (story, all) => {
      const world = tell(story);
      for (const {steps, windowMs, withinMs, cuts, limit} of all) {
        const query = {
          report: 'stalled' as const,
          steps: steps.map(chosen),
          ...(windowMs === undefined ? {} : {windowMs}),
          withinMs,
        };
        const ask = async (from: StallPlace, untilMs: number, most: number) =>
          (await world.ask({...query, from, untilMs, limit: most})) as StallPage;
        const start: StallPlace = {deadlineMs: 0, partition: 0, user: 0};
        const end = Date.UTC(2030, 0, 1);
        const whole = await ask(start, end, 10_000);
        expect(whole.has_more).toBe(false);
        const expected = users.map((id) =>
          world.model
            .eventsOf({kind: 'user', id})
            .toSorted((a, b) => a.timeMs - b.timeMs || a.arrival - b.arrival)
            .filter((event) => steps.some((step) => isStep(event, step))),
        );
        const twins = expected.flatMap((events, i) => {
          const stalls = stallsOf(events, steps, withinMs, windowMs ?? Number.POSITIVE_INFINITY);
          return stalls.length === 0 ? [] : [JSON.stringify([partitionOfUser(users[i]!), stalls])];
        });
        expect(byUser(whole.data).sort()).toEqual(twins.sort());

        const parts: Stall[] = [];
        let from = start;
        for (const untilMs of [...cuts.toSorted((a, b) => a - b), end]) {
          for (let hasMore = true; hasMore; ) {
            const page = await ask(from, untilMs, limit);
            parts.push(...page.data);
            expect(page.data.length).toBeLessThanOrEqual(limit);
            hasMore = page.has_more;
            const {deadlineMs, partition, user} = page.data.at(-1) ?? from;
            from = hasMore ? {deadlineMs, partition, user: user + 1} : {...start, deadlineMs: untilMs + 1};
          }
        }
        expect(parts).toEqual(whole.data);
      }
    },
  );
  await fc.assert(property, {numRuns: runs(40), unbiased: true});
});

/** The partition and the stalls of each user, as text. */
function byUser(stalls: readonly Stall[]): string[] {
  const all = new Map<string, {partition: number; stalls: object[]}>();
  for (const {partition, user, deadlineMs, enteredMs, reachedMs} of stalls) {
    const key = `${partition} ${user}`;
    const known = all.get(key) ?? {partition, stalls: []};
    known.stalls.push({deadlineMs, enteredMs, reachedMs});
    all.set(key, known);
  }
  return [...all.values()].map((one) => JSON.stringify([one.partition, one.stalls]));
}

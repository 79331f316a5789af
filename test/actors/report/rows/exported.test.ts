// Exports of random partitions, page by page, equal the events of the model in the order of (time, id).
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {operators, takesNoValue} from '../../../../actors/report/rows/condition.js';
import {readEventId} from '../../../../actors/report/rows/event-places.js';
import type {ExportQuery} from '../../../../src/asks/exports.js';
import {replyBytesMax} from '../../../../src/asks/subjects.js';
import {pageBytesMax} from '../../../../src/edge/http/line-answer.js';
import {pack} from '../../../../src/nats/packed.js';
import type {ExportedPage} from '../../../../src/report/questions/exported.js';
import {holdAll} from '../../../../tools/model/conditions.js';
import type {StoredEvent} from '../../../../tools/model/model.js';
import {linesOf} from '../../../support/lines.js';
import {
  events,
  partitionCount,
  partitionOfUser,
  type Step,
  someRange,
  someStory,
  tell,
  type World,
} from '../../../support/report-worlds.js';
import {runs} from '../../../support/runs.js';

const someCondition = fc
  .tuple(
    fc.constantFrom('a', 'b', 'a.b'),
    fc.constantFrom(...operators.filter((op) => !/^[gl]te?$/.test(op))),
    fc.constantFrom('1', 'x', 'y'.repeat(200)),
  )
  .map(([property, op, text]) => ({property, op, values: takesNoValue(op) ? [] : [text]}));

/** Ids by arrival: the partition, and how many of its events came before. */
function idsOf(story: readonly Step[]): Map<number, string> {
  const ids = new Map<number, string>();
  const next = new Array<number>(partitionCount).fill(0);
  story.forEach((step, arrival) => {
    if (step.do !== 'track') return;
    const partition = partitionOfUser(step.event.user);
    ids.set(arrival, `${partition}-${next[partition]}`);
    next[partition]! += 1;
  });
  return ids;
}

interface Line {
  readonly id: string;
  readonly event: string;
  readonly userId: string;
  readonly properties: object;
}

async function exportedBy(world: World, query: ExportQuery): Promise<Line[]> {
  const lines: Line[] = [];
  for (let asked: ExportQuery | undefined = query; asked !== undefined; ) {
    const page: ExportedPage | undefined = await world.exported(asked);
    lines.push(...linesOf(page!.lines).map((text) => JSON.parse(text) as Line));
    asked = page!.next === undefined ? undefined : {...query, start: page!.next};
  }
  return lines;
}

test('an export has each event once, in the order of (time, id), in pages of any size', async () => {
  const property = fc.asyncProperty(
    someStory,
    someRange,
    fc.constantFrom(...events, 'never', undefined),
    fc.array(someCondition, {maxLength: 2}),
    fc.constantFrom(1, 400, 2_000, 1 << 20),
    async (story, range, event, where, bytesMax) => {
      const world = tell(story);
      const ids = idsOf(story);
      const idOf = ({arrival}: StoredEvent) => readEventId(ids.get(arrival)!)!;
      const told = world.model.events
        .filter(({timeMs, name}) => range.fromMs <= timeMs && timeMs <= range.toMs && (event ?? name) === name)
        .filter(({properties}) => holdAll(properties, where))
        .sort(
          (a, b) => a.timeMs - b.timeMs || idOf(a).partition - idOf(b).partition || idOf(a).ordinal - idOf(b).ordinal,
        );
      const expected = told.map(({arrival, name, userId, properties}) => ({
        id: ids.get(arrival)!,
        event: name,
        userId,
        properties,
      }));
      const query = {...range, where, bytesMax, ...(event === undefined ? {} : {event})};
      const lines = await exportedBy(world, query);
      expect(lines.map(({id, event, userId, properties}) => ({id, event, userId, properties}))).toEqual(expected);
      const resumedFrom = expected[Math.floor(expected.length / 2)];
      if (resumedFrom === undefined) return;
      const resumed = await exportedBy(world, {...query, afterId: readEventId(resumedFrom.id)!});
      expect(resumed.map(({id}) => id)).toEqual(expected.slice(Math.floor(expected.length / 2) + 1).map(({id}) => id));
    },
  );
  await fc.assert(property, {numRuns: runs(90)});
});

test('after the id of no event there is no page; ids have one form', async () => {
  const world = tell([]);
  const query = {fromMs: 0, toMs: 1, where: [], bytesMax: 1_000};
  expect(await world.exported({...query, afterId: {partition: 0, ordinal: 0}})).toBeUndefined();
  expect(await world.exported({...query, afterId: {partition: 9, ordinal: 7}})).toBeUndefined();
  expect(['1-2', '0-0', '', '1', '-1', '1-', '1-2-3', 'a-1', ' 1-2'].map(readEventId)).toEqual([
    {partition: 1, ordinal: 2},
    {partition: 0, ordinal: 0},
    ...new Array(7).fill(undefined),
  ]);
});

test('a page of the largest size fits a reply, whatever the texts of its events', async () => {
  const quotes = '"'.repeat(12_000);
  const story = Array.from({length: 60}, (_, i): Step => {
    return {do: 'track', event: {user: 'ada', event: 'A', timeMs: i, properties: {a: quotes}}};
  });
  const page = await tell(story).exported({fromMs: 0, toMs: 60, where: [], bytesMax: pageBytesMax});
  expect(page!.lines.length).toBeLessThanOrEqual(pageBytesMax);
  expect([linesOf(page!.lines).length, page!.events]).toEqual([18, 18]);
  expect(pack(page).length).toBeLessThanOrEqual(replyBytesMax);
});

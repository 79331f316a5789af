// Which pairs of ids need a link, against a plain set.
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {wtf8} from '../../actors/bytes/bytes.js';
import {AckedLinks} from '../../src/ingest/acked-links.js';
import {runs} from '../support/runs.js';

const seeds = (first = 1): Uint32Array => Uint32Array.of(first, 2, 3);

function missing(links: AckedLinks, userId: string, anonymousId: string) {
  const key = wtf8('u' + userId);
  const bytes = Buffer.concat([key, wtf8(anonymousId)]);
  return links.missing(bytes, {
    keyStart: 0,
    keyEnd: key.length,
    anonymousIdStart: key.length,
    anonymousIdEnd: bytes.length,
  });
}

/** As the edge does it once the log has the link. */
function ack(links: AckedLinks, userId: string, anonymousId: string): void {
  const pair = missing(links, userId, anonymousId);
  if (pair !== undefined) links.acked(pair);
}

test('a pair is missing until its link is acked, and again after a deletion of its user', () => {
  const id = fc.constantFrom('', 'a', 'b', 'ab', 'é', 'x'.repeat(256));
  const step = fc.record({what: fc.constantFrom('ack', 'look', 'forget', 'clear'), userId: id, anonymousId: id});
  fc.assert(
    fc.property(fc.array(step, {maxLength: 60}), (steps) => {
      const links = new AckedLinks(seeds());
      let known: [string, string][] = [];
      for (const {what, userId, anonymousId} of steps) {
        const isKnown = known.some(([user, anonymous]) => user === userId && anonymous === anonymousId);
        expect(missing(links, userId, anonymousId) === undefined).toBe(isKnown);
        if (what === 'ack') {
          ack(links, userId, anonymousId);
          if (!isKnown) known.push([userId, anonymousId]);
        } else if (what === 'forget') {
          links.forget(wtf8('u' + userId));
          known = known.filter(([user]) => user !== userId);
        } else if (what === 'clear') {
          links.clear();
          known = [];
        }
      }
    }),
    {numRuns: runs(50)},
  );
});

test('a link that was on its way when its user was deleted is missing when it is acked', () => {
  const links = new AckedLinks(seeds());
  const pair = missing(links, 'ada', 'a')!;
  links.forget(wtf8('uada'));
  links.acked(pair);
  expect(missing(links, 'ada', 'a')).toBeDefined();
});

test('both ids decide, and where one ends; the hash is keyed', () => {
  const links = new AckedLinks(seeds());
  ack(links, 'ada', 'bob');
  for (const [userId, anonymousId] of [
    ['bob', 'ada'],
    ['adab', 'ob'],
    ['ad', 'abob'],
    ['ada', 'bo'],
    ['ada', ''],
  ] as const)
    expect(missing(links, userId, anonymousId)).toBeDefined();
  expect(missing(new AckedLinks(seeds()), 'ada', 'bob')).toEqual(missing(new AckedLinks(seeds()), 'ada', 'bob'));
  expect(missing(new AckedLinks(seeds()), 'ada', 'bob')).not.toEqual(missing(new AckedLinks(seeds(9)), 'ada', 'bob'));
});

test('of many pairs those are found that were acked, and no others', () => {
  const links = new AckedLinks(seeds());
  const count = 10_000;
  for (let n = 0; n < count; n++) ack(links, `user-${n}`, `device-${n}`);
  for (let n = 0; n < count; n++) {
    expect(missing(links, `user-${n}`, `device-${n}`)).toBeUndefined();
    expect(missing(links, `user-${n}`, `device-${n + 1}`)).toBeDefined();
  }
  expect(links.count).toBe(count);
});

test('a place takes eight pairs: the oldest makes room, and one that is acked twice takes no second room', () => {
  const links = new AckedLinks(seeds());
  const has = (low: number): boolean => links.has(5, low);
  for (let low = 1; low <= 20; low++) {
    links.acked({high: 5, low});
    links.acked({high: 5, low});
  }
  const found = Array.from({length: 20}, (_, at) => at + 1).filter(has);
  expect(found).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
});

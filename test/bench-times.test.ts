// Copies of prepared requests: the same events at the time of sending.
import {expect, test} from 'vitest';
import {copyOf, prepareRequests} from '../bench/load/requests.js';
import {canonical, dayMs, workloadEvents} from '../bench/workload/events.js';

const workload = {...canonical, eventCount: 600};
const batchEvents = 200;
const prepared = () => prepareRequests(workload, batchEvents, 'key', 'of their moment');

interface Sent {
  readonly event: string;
  readonly timestamp: string;
}
const eventsOf = (request: Buffer): Sent[] =>
  JSON.parse(request.subarray(request.indexOf('\r\n\r\n') + 4).toString()).events;

// Within a minute, the same minute again, across minutes, a year later, back.
const moments = ['2026-11-23T09:24:31.123Z', '2026-11-23T09:24:59.999Z', '2026-11-23T09:25:00.100Z'];
const allMoments = [...moments, '2027-12-31T23:59:59.950Z', '2028-01-01T00:00:00.000Z', '2026-01-02T03:04:05.006Z'];

test('each copy has the times of its moment, a millisecond apart, late ones as late as the workload has them', () => {
  const requests = prepared();
  const events = [...workloadEvents(workload)];
  expect(events.filter(({lateMs}) => lateMs > 0).length).toBeGreaterThan(3);
  for (const moment of allMoments) {
    const nowMs = Date.parse(moment);
    for (let request = 0; request < requests.buffers.length; request++) {
      const sent = eventsOf(copyOf(requests, request, nowMs));
      const own = events.slice(request * batchEvents, (request + 1) * batchEvents);
      const expected = own.map(({name, lateMs}, i) => ({
        event: name,
        timestamp: new Date(nowMs - batchEvents + 1 + i - lateMs).toISOString(),
      }));
      expect(sent.map(({event, timestamp}) => ({event, timestamp}))).toEqual(expected);
    }
  }
});

test('all else stays as it was prepared', () => {
  const [plain, requests] = [prepareRequests(workload, batchEvents, 'key', 'as prepared'), prepared()];
  const withoutTimes = (request: Buffer) => request.toString().replaceAll(/"timestamp":"[^"]{24}"/g, '');
  for (const moment of allMoments) {
    for (const request of plain.buffers.keys()) {
      const copy = copyOf(requests, request, Date.parse(moment));
      expect(withoutTimes(copy)).toBe(withoutTimes(plain.buffers[request]!));
      expect(copy).toHaveLength(plain.buffers[request]!.length);
    }
  }
  expect(copyOf(plain, 0, Date.now())).toEqual(prepareRequests(workload, batchEvents, 'key', 'as prepared').buffers[0]);
});

test('late events are two of a hundred, by seven days at most', () => {
  const late = [...workloadEvents({...canonical, eventCount: 50_000})].map(({lateMs}) => lateMs).filter((ms) => ms > 0);
  expect(late.length / 50_000).toBeCloseTo(0.02, 2);
  expect(Math.max(...late)).toBeLessThanOrEqual(7 * dayMs);
});

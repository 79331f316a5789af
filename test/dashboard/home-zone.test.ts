// The zone of the service is that of every page whose address names none.
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {boardForm} from '../../dashboard/src/address/board-address.js';
import {readAddress} from '../../dashboard/src/address/codec.js';
import {questionAddress, stateOf} from '../../dashboard/src/address/page-question.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import {boundsText, namesQuestion, overviewForm, usersQuestion} from '../../dashboard/src/address/report-address.js';
import {setHomeZone, wallMs} from '../../dashboard/src/address/zone.js';
import {zoneOf} from '../../dashboard/src/explained/explanation.js';
import {peopleListForm, userListPath} from '../../dashboard/src/pages/people/people-address.js';
import {addressOf, type Page} from '../../src/asks/address.js';

const pages: readonly Page[] = ['/trends', '/active', '/funnels', '/retention', '/lifecycle', '/paths', '/web'];
const days = {from: 20_000, to: 20_006};

afterEach(() => setHomeZone('UTC'));

describe.each(['Asia/Kolkata', 'America/New_York', '-03:30'])('a service of %s', (home) => {
  beforeEach(() => setHomeZone(home));

  test('has its zone on every page of a report, and no address names it', () => {
    for (const page of pages) {
      const {codec, times} = stateOf(page);
      const {question} = codec.read('');
      expect([page, times(question).zone, question.timezone]).toEqual([page, home, home]);
      expect([page, codec.write(question).includes('zone')]).toEqual([page, false]);
      for (const other of ['UTC', 'Europe/Berlin']) {
        const asked = codec.read(`?zone=${other}`);
        expect([page, times(asked.question).zone, asked.problems]).toEqual([page, other, []]);
        expect(codec.write(asked.question)).toContain(`zone=${other}`);
      }
      expect(codec.read(`?zone=${home}`).question).toEqual(question);
    }
  });

  test('asks in its zone where a page has no form', () => {
    expect(namesQuestion(days, 10)).toMatchObject({timezone: home});
    expect(usersQuestion('dau', days, 'day')).toMatchObject({timezone: home});
    expect(usersQuestion('dau', {...days, zone: 'UTC'}, 'day')).toMatchObject({timezone: 'UTC'});
    const {question} = readAddress(peopleListForm, '?within=7d');
    expect(new URLSearchParams(userListPath(question, days.to, 10).split('?')[1]).get('timezone')).toBe(home);
    expect(zoneOf({})).toBe(home);
    expect(readAddress(overviewForm, '').question.zone).toBeNull();
    expect(readAddress(boardForm, '').problems).toEqual([]);
  });

  test('a moment within a day is what its clock shows', () => {
    const noonMs = Date.parse('2026-05-01T12:00:00Z');
    const [, to] = boundsText({...days, untilMs: wallMs(home, noonMs)});
    expect(to).toBe(
      {
        'Asia/Kolkata': '2026-05-01T17:30:00.000',
        'America/New_York': '2026-05-01T08:00:00.000',
        '-03:30': '2026-05-01T08:30:00.000',
      }[home],
    );
    expect(boundsText({...days, zone: 'UTC', untilMs: noonMs})[1]).toBe('2026-05-01T12:00:00.000Z');
  });

  test('what was saved in another zone opens in that one, in UTC, too', () => {
    for (const timezone of [home, 'UTC', 'Europe/Berlin']) {
      const {question} = stateOf<'active'>('/active').codec.read(
        addressOf(
          {
            questions: [
              {report: 'active', metric: 'dau', range: '-7d', interval: 'day', timezone, week_start: 'monday'},
            ],
          },
          home,
        ).search,
      );
      expect(question.timezone).toBe(timezone);
    }
    expect(questionAddress<'counts'>('/trends', {events: [{event: 'a'}]}, {range: parseRange('7d')!})).toBe(
      '/trends?event=a&range=7d',
    );
  });
});

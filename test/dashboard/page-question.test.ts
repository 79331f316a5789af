// Pages whose state is their question: what an address says to them, what they have no control for, and other days.
import {describe, expect, test} from 'vitest';
import {askedOver, stateOf, stickinessAsked, usersWith} from '../../dashboard/src/address/page-question.js';
import {parseRange} from '../../dashboard/src/address/range.js';
import type {ReportPage} from '../../src/asks/address.js';
import {flatOf} from '../../src/asks/question/flat.js';

const retention = stateOf<'retention'>('/retention');
const lifecycle = stateOf<'lifecycle'>('/lifecycle');
const paths = stateOf<'paths'>('/paths');
const days = {from: 20_000, to: 20_013};

describe('an address', () => {
  test.each<[ReportPage, string]>([
    ['/retention', ''],
    ['/retention', '?cohort=recurring&range=7d'],
    [
      '/retention',
      '?start=a&return=b&criteria=on_or_after&frame=rolling&start_where=plan+eq+pro&return_where=n+gt+1&periods=60&every=hour&zone=Asia/Kathmandu&show=users',
    ],
    ['/retention', '?start=a&user_where=plan+in+pro,team&segment=sg_0123456789abcdef&range=2026-10'],
    ['/active', '?event=a&where=plan+eq+pro&by=trait:plan&by_limit=9&metric=mau&range=this-week&every=day&compare=off'],
    ['/active', '?by=plan&range=7d&zone=Asia/Kathmandu&compare=year'],
    ['/lifecycle', '?event=a&where=plan+eq+pro&range=12mo&every=quarter&often=at_least'],
    ['/lifecycle', '?range=last-sunday-week&weeks=sunday'],
    ['/paths', '?direction=before&depth=2'],
    ['/paths', '?event=a&where=plan+eq+pro&top=50&range=2026-11-03..2026-11-09&zone=Europe/Berlin'],
  ])('%s%s is written as it was read, and has no problem', (page, search) => {
    const {codec} = stateOf(page);
    const {question, problems} = codec.read(search);
    expect([problems, codec.write(question)]).toEqual([[], search]);
  });

  test.each<[ReportPage, string, readonly string[]]>([
    ['/retention', '?start=a&start=b&by=plan&compare=year', ['by=plan', 'compare=year', 'start=a', 'start=b']],
    ['/retention', '?periods=61&every=year&show=all', ['periods=61', 'every=year', 'show=all']],
    ['/active', '?metric=yau&compare=all&by_limit=1000', ['metric=yau', 'compare=all', 'by_limit=1000']],
    ['/lifecycle', '?range=soon&zone=Mars/Olympus&colour=red', ['colour=red', 'range=soon', 'zone=Mars/Olympus']],
    ['/lifecycle', '?range=2026-11-03T10:00Z..2026-11-03T11:00Z', ['range=2026-11-03T10:00Z..2026-11-03T11:00Z']],
    ['/lifecycle', '?event_where=a+eq+b&segment=sg_1&did={}', ['event_where=a eq b', 'did={}', 'segment=sg_1']],
    ['/paths', '?where=plan&where=plan+eq+pro&direction=up', ['direction=up', 'where=plan']],
    ['/paths', `?event=${'a'.repeat(257)}`, [`event=${'a'.repeat(257)}`]],
    ['/paths', '?where={"property":"a","op":"eq","value":"b"}', ['where={"property":"a","op":"eq","value":"b"}']],
  ])('%s%s: what the page does not show is named and left out', (page, search, named) => {
    const {codec} = stateOf(page);
    const {question, problems} = codec.read(search);
    expect(problems.map(({name, text}) => `${name}=${text}`).sort()).toEqual([...named].sort());
    expect(codec.read(codec.write(question)).problems).toEqual([]);
    expect(codec.read(codec.write(question, problems)).problems).toHaveLength(problems.length);
  });

  test('what is expected is said, but of a parameter that the page does not have', () => {
    const {problems} = retention.codec.read('?cohort=last&colour=red&segment=sg_1');
    expect(problems).toEqual([
      {name: 'colour', text: 'red', expected: undefined},
      {name: 'segment', text: 'sg_1', expected: 'the id of a segment'},
      {name: 'cohort', text: 'last', expected: 'one of first, recurring'},
    ]);
  });

  test('too many conditions are none', () => {
    const where = Array.from({length: 11}, (_, n) => `where=n+gt+${n}`).join('&');
    const {question, problems} = lifecycle.codec.read(where);
    expect([question.where, problems.length]).toEqual([undefined, 11]);
  });
});

describe('a question', () => {
  test('has its days of the head of the page, and other ones have the interval that is usual', () => {
    const {question} = lifecycle.codec.read('?range=7d&every=hour&zone=Europe/Berlin&segment=sg_0123456789abcdef');
    expect(lifecycle.times(question)).toEqual({
      range: parseRange('7d'),
      zone: 'Europe/Berlin',
      every: 'hour',
      compare: 'off',
      segment: 'sg_0123456789abcdef',
    });
    const others = lifecycle.over(question, {range: parseRange('this-sunday-week')!, every: null, zone: 'UTC'});
    expect(lifecycle.codec.write(others)).toBe('?segment=sg_0123456789abcdef&range=this-sunday-week&weeks=sunday');
    expect(lifecycle.times(others).range).toEqual(parseRange('this-sunday-week'));
    const monday = lifecycle.over(others, {range: parseRange('this-week')!});
    expect(lifecycle.codec.write(monday)).toBe('?segment=sg_0123456789abcdef&range=this-week');
  });

  test('is asked over the days that are shown', () => {
    const asked = (path: string): string => decodeURIComponent(path).replaceAll('+', ' ');
    const ofRetention = retention.codec.read('?start=a&return=b&return_where=plan+eq+pro&zone=Asia/Tokyo').question;
    expect(asked(flatOf(askedOver(ofRetention, {...days, zone: 'Asia/Tokyo'}, 'week')))).toBe(
      'v1/reports/retention?start=a&return=b&return_where=plan eq pro&cohort=first&criteria=on&frame=calendar&periods=12' +
        '&interval=week&timezone=Asia/Tokyo&from=2024-10-04&to=2024-10-17',
    );
    const often = stickinessAsked(lifecycle.codec.read('?often=at_least&range=last-sunday-week').question);
    expect(asked(flatOf(askedOver(often, days, 'week')))).toBe(
      'v1/reports/stickiness?any_event=true&interval=week&week_start=sunday&at_least=true&timezone=UTC' +
        '&from=2024-10-04&to=2024-10-17',
    );
    const before = paths.codec.read('?event=a&direction=before').question;
    expect(asked(flatOf(askedOver(before, days)))).toBe(
      'v1/reports/paths?end=a&depth=4&limit=8&timezone=UTC&from=2024-10-04&to=2024-10-17',
    );
  });

  test('that is suggested keeps the direction that was chosen', () => {
    const {question} = paths.codec.read('?direction=before');
    expect(paths.codec.write({...question, start: {event: 'a'}})).toBe('?event=a&direction=before');
  });

  test('of a segment keeps it when its conditions change', () => {
    const users = {segment: 'sg_0123456789abcdef'};
    const where = [{property: 'plan', op: 'eq' as const, values: ['pro']}];
    expect(usersWith(users, {user_where: where})).toEqual({...users, where: ['plan eq pro']});
    expect(usersWith(users, {segment: null})).toEqual({segment: undefined});
  });
});

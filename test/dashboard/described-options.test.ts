// Names of events in pickers: their order, and what is said of them.
import {expect, test} from 'vitest';
import {describedOptions} from '../../dashboard/src/controls/described-options.js';

test('live names are first, by count; planned ones without events follow; retired ones are last and faint', () => {
  const names = [
    {name: 'old', count: 900},
    {name: 'login', count: 12},
    {name: 'signup', count: 1_200},
    {name: 'early', count: 1},
  ];
  const said = (event: string, state: 'live' | 'planned' | 'retired', description = '') => ({
    event,
    state,
    description,
  });
  expect(
    describedOptions(names, [
      said('old', 'retired', 'Until 2025.'),
      said('signup', 'live', 'An account.'),
      said('paid', 'planned'),
      said('early', 'planned'),
      said('signup', 'retired', 'Made later, by another edge.'),
      said('gone', 'retired'),
    ]),
  ).toEqual([
    {value: 'signup', note: '1,200', about: 'An account.', isFaint: false},
    {value: 'login', note: '12', isFaint: false},
    {value: 'early', note: '1, planned', isFaint: false},
    {value: 'paid', note: 'planned', isFaint: false},
    {value: 'old', note: '900, retired', about: 'Until 2025.', isFaint: true},
  ]);
});

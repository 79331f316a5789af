// The bound of open connections, and what it means to come close to it.
import {expect, test} from 'vitest';
import {Connections} from '../../src/edge/http/connections.js';

type Change = (by: 1 | -1, close: () => void) => void;

function opened(max: number): {connections: Connections; change: (by: 1 | -1) => boolean} {
  const connections = new Connections(max);
  let tell: Change = () => {};
  connections.watch({onConnection: (told) => void (tell = told)});
  const change = (by: 1 | -1): boolean => {
    let isClosed = false;
    tell(by, () => void (isClosed = true));
    return isClosed;
  };
  return {connections, change};
}

test('past the bound a new one is closed; an eighth before it answers begin to end theirs', () => {
  const {connections, change} = opened(16);
  for (let open = 1; open <= 14; open++) expect([change(1), connections.isCrowded]).toEqual([false, false]);
  expect([change(1), connections.isCrowded]).toEqual([false, true]);
  expect([change(1), connections.isCrowded]).toEqual([false, true]);
  expect(change(1)).toBe(true);
  for (let left = 0; left < 3; left++) change(-1);
  expect(connections.isCrowded).toBe(false);
});

test('a large bound keeps 64 of them', () => {
  const {connections, change} = opened(50_000);
  for (let open = 1; open <= 50_000 - 64; open++) change(1);
  expect(connections.isCrowded).toBe(false);
  change(1);
  expect(connections.isCrowded).toBe(true);
});

// All sources, tests included: types, formatting, lint. Tests run on transpiled sources, which checks no type.
import {expect, test} from 'vitest';
import {complaints} from './support/complaints.js';

test('every source has sound types', async () => {
  expect(await complaints('tsc', ['-p', 'test/tsconfig.json'])).toBe('');
  expect(await complaints('tsc', ['-p', 'dashboard/tsconfig.json'])).toBe('');
  expect(await complaints('tsc', ['-p', 'packages/sdk/tsconfig.json'])).toBe('');
});

test('every source is formatted and passes the linter', async () => {
  expect(await complaints('biome', ['check', '--error-on-warnings'])).toBe('');
});

// What is read at an index may be absent. The folders of the edge deal with that; loops over columns read what their bounds show.
import {expect, test} from 'vitest';
import {complaints} from './support/complaints.js';

const watchedFolders = /^src\/(edge|ingest|keys|cli)\//;

test('what is read at an index in the folders of the edge is there, or its absence is dealt with', async () => {
  const options = ['-p', '.', '--noEmit', '--incremental', 'false', '--tsBuildInfoFile', 'null', '--pretty', 'false'];
  const lines = (await complaints('tsc', [...options, '--noUncheckedIndexedAccess'])).split('\n');
  expect(lines.length).toBeGreaterThan(100); // Of the other folders.
  expect(lines.filter((line) => watchedFolders.test(line))).toEqual([]);
});

import {expect, test} from 'vitest';
import {CommandFault, readCommand} from '../../src/cli/names/command.js';

test.each([
  [['list'], {kind: 'list', prefix: undefined}],
  [['list', '--prefix', 'sign_'], {kind: 'list', prefix: 'sign_'}],
  [['delete', 'a', 'b c'], {kind: 'delete', names: ['a', 'b c']}],
  [[], {kind: 'help'}],
  [['delete', '--help'], {kind: 'help'}],
])('npm run names -- %j', (words, command) => {
  expect(readCommand(words)).toEqual(command);
});

test.each([
  [['delete'], /which names/],
  [['delete', '--prefix', 'a'], /whole names/],
  [['list', 'a'], /no further words/],
  [['drop', 'a'], /no command "drop"/],
  [['delete', '--all'], /--all/],
])('npm run names -- %j is refused with a sentence', (words, sentence) => {
  expect(() => readCommand(words)).toThrow(CommandFault);
  expect(() => readCommand(words)).toThrow(sentence);
});

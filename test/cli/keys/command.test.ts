import {describe, expect, test} from 'vitest';
import {CommandFault, readCommand} from '../../../src/cli/keys/command.js';

describe('the words of npm run keys', () => {
  test.each([
    [['create', '--kind', 'write', '--name', 'web'], {kind: 'create', keyKind: 'write', name: 'web'}],
    [['create', '--name=back end', '--kind=secret'], {kind: 'create', keyKind: 'secret', name: 'back end'}],
    [['list'], {kind: 'list', isAll: false}],
    [['list', '--all'], {kind: 'list', isAll: true}],
    [['revoke', 'key_1'], {kind: 'revoke', id: 'key_1'}],
    [[], {kind: 'help'}],
    [['list', '--help'], {kind: 'help'}],
  ])('%j', (words, command) => {
    expect(readCommand(words)).toEqual(command);
  });

  test.each([
    [['create', '--kind', 'admin', '--name', 'x'], /--kind write/],
    [['create', '--kind', 'write'], /--name/],
    [['create', 'web', '--kind', 'write', '--name', 'x'], /too many words/],
    [['revoke'], /which key/],
    [['revoke', 'a', 'b'], /too many words/],
    [['rotate'], /no command "rotate"/],
    [['revoke', 'key_1', '--all'], /--all belongs to list/],
    [['list', '--every'], /--every/],
  ])('%j is refused with a sentence', (words, sentence) => {
    expect(() => readCommand(words)).toThrow(CommandFault);
    expect(() => readCommand(words)).toThrow(sentence);
  });
});

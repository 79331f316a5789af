import {describe, expect, test} from 'vitest';
import {CommandFault, readCommand} from '../../../src/cli/keys/command.js';

describe('the words of npm run keys', () => {
  test.each([
    [['create', '--kind', 'write', '--name', 'web'], {kind: 'create', keyKind: 'write', name: 'web'}],
    [['create', '--name=back end', '--kind=secret'], {kind: 'create', keyKind: 'secret', name: 'back end'}],
    [['create', '--kind=read', '--name=wall'], {kind: 'create', keyKind: 'read', name: 'wall'}],
    [
      [
        ...['create', '--kind=write', '--name=web', '--no-identify', '--events-per-second-per-address', '20'],
        ...['--origin', 'https://a.example', '--origin', 'https://b.example'],
      ],
      {
        ...{kind: 'create', keyKind: 'write', name: 'web'},
        options: {
          identify: false,
          origins: ['https://a.example', 'https://b.example'],
          events_per_second_per_address: 20,
        },
      },
    ],
    [['options', 'key_1', '--no-identify'], {kind: 'options', id: 'key_1', options: {identify: false}}],
    [['options', 'key_1', '--none'], {kind: 'options', id: 'key_1', options: {}}],
    [['options', 'key_1', '--names', 'known'], {kind: 'options', id: 'key_1', options: {names: 'known'}}],
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
    [['create', 'web', '--kind', 'write', '--name', 'x'], /Too many words/],
    [['revoke'], /which key/],
    [['revoke', 'a', 'b'], /Too many words/],
    [['rotate'], /no command "rotate"/],
    [['revoke', 'key_1', '--all'], /--all is for list/],
    [['list', '--every'], /--every/],
    [['options'], /which key/],
    [['options', 'key_1'], /which options .* or --none/],
    [['options', 'key_1', '--none', '--no-identify'], /which options .* or --none/],
    [['revoke', 'key_1', '--no-identify'], /for create and options/],
    [['revoke', 'key_1', '--none'], /--none is for options/],
    [['options', 'key_1', '--events-per-second-per-address', '1.5'], /whole number/],
    [['options', 'key_1', '--names', 'any'], /the word known/],
  ])('%j is refused with a sentence', (words, sentence) => {
    expect(() => readCommand(words)).toThrow(CommandFault);
    expect(() => readCommand(words)).toThrow(sentence);
  });
});

// The audit trail, on a clock driven by hand: what each line says, and that failures do not fill the log.
import {pino} from 'pino';
import {expect, test} from 'vitest';
import {type AuditLine, AuditTrail} from '../../src/edge/audit.js';
import {recordOf} from '../../src/keys/key.js';

function trail() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({base: null, timestamp: false}, {write: (line) => lines.push(JSON.parse(line))});
  let due: (() => void)[] = [];
  const later = (ms: number, call: () => void): void => {
    expect(ms).toBe(1_000);
    due.push(call);
  };
  const recorded: AuditLine[] = [];
  const audit = new AuditTrail({logger, wallMs: () => 1_000, record: (line) => recorded.push(line), later});
  const passSecond = (): void => {
    const calls = due;
    due = [];
    for (const call of calls) call();
  };
  return {audit, lines, recorded, passSecond};
}

test('a change of a key names its id and kind, who did it and from where, and not the key', () => {
  const {audit, lines} = trail();
  const key = 'sk_write_fixed0000000001';
  const record = recordOf(key, 'write', 'key_1', 'a name', 0);
  audit.keyChanged('created', record, {by: 'start'});
  audit.keyChanged('changed', record, {by: 'admin', address: '192.0.2.7'});
  audit.keyChanged('revoked', record, {by: 'admin', address: '192.0.2.7'});
  expect(lines).toEqual([
    {level: 30, audit: 'key.created', keyId: 'key_1', kind: 'write', by: 'start', msg: 'a key was created'},
    {
      ...{level: 30, audit: 'key.changed', keyId: 'key_1', kind: 'write'},
      ...{by: 'admin', address: '192.0.2.7', msg: 'a key was changed'},
    },
    {
      ...{level: 30, audit: 'key.revoked', keyId: 'key_1', kind: 'write'},
      ...{by: 'admin', address: '192.0.2.7', msg: 'a key was revoked'},
    },
  ]);
});

test('the record gets each line, with ids: of a deletion that of its receipt', () => {
  const {audit, recorded} = trail();
  const address = '192.0.2.7';
  audit.userDeleted('del_1', 'admin', address);
  audit.signedIn('key_1', address);
  audit.refused('key.refused', address);
  expect(recorded).toEqual([
    {atMs: 1_000, what: 'user.deleted', subject: 'del_1', by: 'admin', address},
    {atMs: 1_000, what: 'dashboard.signed-in', by: 'key_1', address},
    {atMs: 1_000, what: 'key.refused', address, count: 1},
  ]);
});

test('a change of what people define names its id and who made it', () => {
  const {audit, lines, recorded} = trail();
  const author = {by: 'key_1', address: '192.0.2.7'};
  audit.defined('alert.created', author, 'al_1');
  for (let i = 0; i < 3; i++) audit.defined('alert.changed', author, 'al_1');
  audit.defined('alert.changed', {...author, by: 'admin'}, 'al_1');
  audit.defined('alert.changed', author, 'al_2');
  audit.defined('names.hidden', author);
  audit.defined('names.hidden', author);
  expect(lines).toHaveLength(8);
  expect(lines[0]).toEqual({
    ...{level: 30, audit: 'alert.created', subject: 'al_1', ...author},
    msg: 'what people define was changed',
  });
  expect(recorded).toHaveLength(8);
  expect(recorded[0]).toEqual({atMs: 1_000, what: 'alert.created', subject: 'al_1', ...author});
});

test('failures of a kind are one line a second, and every one of them is counted', () => {
  const {audit, lines, passSecond} = trail();
  for (let i = 0; i < 1_000; i++) audit.refused('admin.refused', `192.0.2.${i % 250}`);
  audit.refused('key.refused', '192.0.2.9');
  const told = (): unknown[] => lines.map(({audit: kind, count, address}) => [kind, count, address]);
  expect(told()).toEqual([
    ['admin.refused', 1, '192.0.2.0'],
    ['key.refused', 1, '192.0.2.9'],
  ]);
  passSecond();
  expect(told().slice(2)).toEqual([['admin.refused', 999, '192.0.2.249']]);
  passSecond();
  passSecond();
  expect(lines).toHaveLength(3);
  audit.refused('admin.refused', '192.0.2.1');
  expect(told().slice(3)).toEqual([['admin.refused', 1, '192.0.2.1']]);
});

// GET /dashboard/api/record: the audit trail as this process has it.
import {isoText} from '../../../actors/calendar.js';
import type {Definition} from '../../effects/definition.js';
import type {HookStore} from '../../effects/hook-store.js';
import type {KeyRing} from '../../keys/key-ring.js';
import type {AuditLine} from '../audit.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import type {RecordAnswer, RecordLine} from './answers.js';

export const readRecord: Handle = ({audit, keys, hooks}, exchange) => {
  readQuery(exchange.query, noParameters);
  const answer: RecordAnswer = {
    record: audit.newest().map((line) => shown(line, keys.ring, hooks)),
    since: isoText(audit.sinceMs),
  };
  exchange.json('200 OK', JSON.stringify(answer));
};

const shown = (
  {atMs, what, by, subject, address, count = 1}: AuditLine,
  ring: KeyRing,
  hooks: HookStore,
): RecordLine => ({
  at: isoText(atMs),
  what,
  by: by === undefined ? null : (ring.get(by)?.name ?? by),
  subject: subject ?? null,
  name: (subject !== undefined && (ring.get(subject)?.name ?? nameOf(hooks.get(subject)))) || null,
  address: address ?? null,
  count,
});

const nameOf = (definition: (Definition & {readonly name?: string}) | undefined): string | undefined =>
  definition?.name;

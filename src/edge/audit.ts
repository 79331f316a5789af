// The audit trail: lines of the process log with a field `audit`, for changes of permissions and of what people define, and for
// deletions of users.
//   AT1. A line names keys, deletions and definitions by their ids. It never has a user, a key, a token or a text that a person wrote.
//   AT2. Failures of one kind write at most one line a second, with their count.
//   AT3. The record of the deployment (stored-record.ts) gets each line as well, for the page Access.

import type {KeyRecord} from '../keys/key.js';
import type {KeyAuthor, KeyChange} from '../keys/store.js';
import type {Logger} from '../observe.js';
import type {RecordLine} from './dashboard/answers/record.js';

interface AuditOptions {
  readonly logger: Logger;
  readonly wallMs: () => number;
  /** AT3 */
  readonly record: (line: AuditLine) => void;
  /** Calls `call` after `ms`. */
  readonly later: (ms: number, call: () => void) => void;
}

type Failing = 'admin.refused' | 'key.refused' | 'sign-in.refused';

const failureWords: Readonly<Record<Failing, string>> = {
  'admin.refused': 'an admin request had a wrong token',
  'key.refused': 'a request had an unknown or revoked key',
  'sign-in.refused': 'a sign-in to the dashboard was refused',
};
const lineEveryMs = 1_000;

/** A change of what people define: reports, boards, alerts, webhooks and the like. */
export type DefinitionChange = Exclude<
  RecordLine['what'],
  Failing | `key.${KeyChange}` | `dashboard.${string}` | 'user.deleted' | 'name.deleted' | 'record.lost'
>;

/** A line with ids; the page looks their names up. */
export interface AuditLine {
  readonly atMs: number;
  readonly what: RecordLine['what'];
  readonly by?: string;
  readonly subject?: string;
  readonly address?: string;
  readonly count?: number;
}

export class AuditTrail {
  /** Failures since the last line of their kind, and the address of the newest. No entry: the next failure writes at once. */
  private readonly held = new Map<Failing, {count: number; address: string}>();

  constructor(private readonly options: AuditOptions) {}

  /** AT3 */
  private keep(line: Omit<AuditLine, 'atMs'>): void {
    this.options.record({atMs: this.options.wallMs(), ...line});
  }

  keyChanged(change: KeyChange, {id, kind}: KeyRecord, author: KeyAuthor): void {
    this.keep({what: `key.${change}`, subject: id, ...author});
    this.options.logger.info({audit: `key.${change}`, keyId: id, kind, ...author}, `a key was ${change}`);
  }

  /** `subject`: id of what was changed; absent for a list that there is once. */
  defined(what: DefinitionChange, author: KeyAuthor, subject?: string): void {
    const named = subject === undefined ? {} : {subject};
    this.keep({what, ...named, ...author});
    this.options.logger.info({audit: what, ...named, ...author}, 'what people define was changed');
  }

  /** The deletion is in the log: it will be carried out. */
  userDeleted(deletionId: string, keyId: string, address: string): void {
    this.keep({what: 'user.deleted', subject: deletionId, by: keyId, address});
    this.options.logger.info({audit: 'user.deleted', deletionId, by: keyId, address}, 'a user is deleted');
  }

  /** All events of a name are deleted. The record must not have the name: it is deleted, too. */
  nameDeleted(deletionId: string, keyId: string, address: string): void {
    this.keep({what: 'name.deleted', subject: deletionId, by: keyId, address});
    this.options.logger.info(
      {audit: 'name.deleted', deletionId, by: keyId, address},
      'all events of a name are deleted',
    );
  }

  /** `by`: id of the access token, or `admin`. */
  signedIn(by: string, address: string): void {
    this.keep({what: 'dashboard.signed-in', by, address});
    this.options.logger.info({audit: 'dashboard.signed-in', by, address}, 'a person signed in to the dashboard');
  }

  sessionsEnded(by: string, address: string): void {
    this.keep({what: 'dashboard.sessions-ended', by, address});
    this.options.logger.info(
      {audit: 'dashboard.sessions-ended', by, address},
      'all sessions of the dashboard were ended',
    );
  }

  /** AT2 */
  refused(audit: Failing, address: string): void {
    const held = this.held.get(audit);
    if (held === undefined) this.tell(audit, 1, address);
    else this.held.set(audit, {count: held.count + 1, address});
  }

  private tell(audit: Failing, count: number, address: string): void {
    this.keep({what: audit, address, count});
    this.options.logger.info({audit, count, address}, failureWords[audit]);
    this.held.set(audit, {count: 0, address});
    this.options.later(lineEveryMs, () => {
      const held = this.held.get(audit)!;
      if (held.count > 0) this.tell(audit, held.count, held.address);
      else this.held.delete(audit);
    });
  }
}

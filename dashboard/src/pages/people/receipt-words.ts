// Says in plain sentences what a receipt checked. A data protection officer reads them, who does not know the service.
//   RW1. A check is never hidden: one that these words do not know is shown as the receipt has it.
import type {DeletionReceipt} from '../../../../src/edge/answers/users.js';
import {count} from '../../charts/format.js';

interface ReceiptWords {
  /** What has been free since. */
  readonly free: string;
  readonly deleted: string;
  readonly checks: readonly string[];
}

/** The first word of a check. */
const subjectOf = (check: string): string => check.slice(0, Math.max(0, check.indexOf(':')));

export function receiptWords({
  verified,
  events_deleted,
}: Pick<DeletionReceipt, 'verified' | 'events_deleted'>): ReceiptWords {
  const all = verified ?? [];
  const isOfName = all.some((check) => check.includes('events of the name'));
  const what = isOfName ? 'these events' : 'this person';
  const isWhole = all.some((check) => check.startsWith('reach: every file'));
  const events = `${count(events_deleted ?? 0)} ${events_deleted === 1 ? 'event' : 'events'}`;
  const overwritten = all.reduce((sum, check) => sum + Number(/^parts: (\d+)/.exec(check)?.[1] ?? 0), 0);
  const sentences: Readonly<Record<string, string>> = {
    state: `Reports, profiles and lists were written again without ${what}.`,
    parts: `${count(overwritten)} older ${overwritten === 1 ? 'value' : 'values'} on disk had parts of ${what}. They were overwritten, and read again: nothing was found.`,
    log: 'The log in which events arrive was cut: the files with what was deleted are removed.',
    ...(isWhole && {reach: 'These checks are of every file in the data directory of the service.'}),
  };
  const known = Object.entries(sentences).filter(([subject]) => all.some((check) => subjectOf(check) === subject));
  return {
    free: isWhole ? 'Every file on disk' : 'Every report and every answer',
    deleted: isOfName
      ? `${events}, all of one name.`
      : `${events}, the profile with all traits, and all ids of this person.`,
    checks: [
      ...known.map(([, sentence]) => sentence),
      ...all.filter((check) => sentences[subjectOf(check)] === undefined), // RW1
    ],
  };
}

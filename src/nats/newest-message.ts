// The newest message of a subject. nats-server answers "not found" also for a message that it has and cannot read, because its
// block is damaged: only the counts of the stream tell the two apart.
import type {JetStreamManager, StoredMsg} from '@nats-io/jetstream';
import {hasCode, messageNotFound} from './error-codes.js';

/** The stream has a message of this subject that cannot be read. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';

  constructor(
    readonly stream: string,
    readonly subject: string,
  ) {
    super(`nats-server has a message of ${stream} that it cannot read: its file is damaged`);
  }
}

/** @returns undefined when the stream has no message of this subject. @throws UnreadableMessage */
export async function newestMessage(
  jsm: JetStreamManager,
  stream: string,
  subject: string,
): Promise<StoredMsg | undefined> {
  const read = async (): Promise<StoredMsg | undefined> =>
    (await orNothing(jsm.streams.getMessage(stream, {last_by_subj: subject}))) ?? undefined;
  const found = await read();
  if (found !== undefined || !(await hasSubject(jsm, stream, subject))) return found;
  const again = await read(); // It may have been written between the two questions.
  if (again === undefined && (await hasSubject(jsm, stream, subject))) throw new UnreadableMessage(stream, subject);
  return again;
}

async function hasSubject(jsm: JetStreamManager, stream: string, subject: string): Promise<boolean> {
  const {state} = await jsm.streams.info(stream, {subjects_filter: subject});
  return (state.subjects?.[subject] ?? 0) > 0;
}

async function orNothing(asked: Promise<StoredMsg | null>): Promise<StoredMsg | null> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return null;
    throw error;
  }
}

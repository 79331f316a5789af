// Whether a stream has messages that nats-server counts and cannot read. It passes such a message over, or answers "not found" from
// it on: only the counts of the stream tell.
import type {JetStreamManager} from '@nats-io/jetstream';
import {hasCode, messageNotFound} from './error-codes.js';

/** Reading one takes some 0.2 ms of a start. */
const readMax = 1_000;
/** What nats-server noticed as lost comes with the sequences of all removed messages, in one answer. */
const removedMax = 10_000;

/** Reads the oldest thousand messages, and asks what nats-server noticed at its start. False also while others change the stream. */
export async function hasUnreadable(jsm: JetStreamManager, stream: string): Promise<boolean> {
  const {state: before} = await jsm.streams.info(stream);
  let read = 0;
  for (let seq = before.first_seq; read < Math.min(readMax, before.messages); read++) {
    const sequence = await nextFrom(jsm, stream, seq);
    if (sequence === undefined) break;
    seq = sequence + 1;
  }
  const hasDetails = (before.num_deleted ?? 0) <= removedMax;
  const {state: after} = await jsm.streams.info(stream, {deleted_details: hasDetails});
  const isSame = after.messages === before.messages && after.last_seq === before.last_seq;
  const isLost = (after.lost?.msgs?.length ?? 0) > 0 || (after.lost?.bytes ?? 0) > 0;
  return isLost || (isSame && read < Math.min(readMax, before.messages));
}

/** Sequence of the first message from `seq` on; undefined: nats-server gives none. */
async function nextFrom(jsm: JetStreamManager, stream: string, seq: number): Promise<number | undefined> {
  // The client's type lacks `next_by_subj` beside `seq`; the server accepts it.
  const next = {seq, next_by_subj: '>'};
  const message = await jsm.streams.getMessage(stream, next).catch((error: Error) => {
    if (hasCode(error, messageNotFound)) return null;
    throw error;
  });
  return message?.seq;
}

// Values of parts, read from the bucket of their partition by revision. Any replica answers a direct get.
//   PV1. A replica that is behind does not know the value yet: after a miss the leader is asked.
//   PV2. A replica that does not answer (frozen, or cut off and not noticed yet) must not delay one read in four until its
//        deadline: a read without a quick answer asks the leader, too, and for a while every read asks both at once. A value is
//        missing when none of those that answer has it.
//   PV3. Values of the service's own server are read out of its files where they are there (store/stored-messages.ts).
import type {JetStreamManager} from '@nats-io/jetstream';
import {monotonicMs} from '../clock.js';
import type {PartValues} from '../parts/stored-parts.js';
import {hasCode, messageNotFound} from './error-codes.js';
import {StoredMessages} from './store/stored-messages.js';
import {bucketStream, partsBucket} from './topology.js';

/** A value takes milliseconds; on a busy machine a longer read only happens twice. PV2 */
const answerMsMax = 1_000;
/** Time for which reads ask both. PV2 */
const waryMs = 30_000;

type FoundValue = Uint8Array | undefined;

/** `isOfCluster`: whether there are replicas now. `storeFolder`: of the service's own server. PV3 */
export function partValues(
  jsm: JetStreamManager,
  isOfCluster: () => boolean = () => false,
  storeFolder?: string,
): PartValues {
  const stored = new Map<string, StoredMessages>();
  const messagesOf = (folder: string, stream: string): StoredMessages => {
    let messages = stored.get(stream);
    if (messages === undefined) stored.set(stream, (messages = new StoredMessages(folder, stream)));
    return messages;
  };
  let waryUntilMs = Number.NEGATIVE_INFINITY;
  const fromAny = async (stream: string, revision: number): Promise<FoundValue> =>
    (await jsm.direct.getMessage(stream, {seq: revision}))?.data ?? (await fromLeader(jsm, stream, revision)); // PV1
  return {
    async read(revision, key) {
      const stream = streamOf(key);
      const found = fromAny(stream, revision);
      if (!isOfCluster()) return found;
      if (monotonicMs() >= waryUntilMs) {
        if (await settlesWithin(found, answerMsMax)) return found;
        waryUntilMs = monotonicMs() + waryMs;
      }
      return firstFound([found, fromLeader(jsm, stream, revision)]);
    },
    ...(storeFolder !== undefined && {
      atHand: (revision, key, isRight) => messagesOf(storeFolder, streamOf(key)).read(revision, isRight),
    }),
  };
}

/** A part's key begins with its partition (src/partition/snapshot/part-store.ts). */
const streamOf = (key: string): string => bucketStream(partsBucket(Number.parseInt(key.slice(1), 10)));

async function fromLeader(jsm: JetStreamManager, stream: string, revision: number): Promise<FoundValue> {
  try {
    return (await jsm.streams.getMessage(stream, {seq: revision}))?.data;
  } catch (error) {
    if (hasCode(error, messageNotFound)) return undefined;
    throw error;
  }
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const settle = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}

/** Undefined when none that answers has it; rejects, as the first one does, when none answers. */
async function firstFound(asked: readonly Promise<FoundValue>[]): Promise<FoundValue> {
  let found: FoundValue;
  try {
    found = await Promise.any(asked);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  }
  for (const answer of asked) found ??= await answer.catch(() => undefined);
  return found;
}

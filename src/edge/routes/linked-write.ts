// A single write with a link entry (src/ingest/link-encoder.ts): both leave together, and the answer waits for both.
import type {LinkedPair} from '../../ingest/acked-links.js';
import type {Commit} from '../../ingest/log-message.js';
import type {Front} from '../front.js';
import type {CommitAnswer, Exchange} from '../http/exchange.js';

/** The answer to the client once both writes are settled. */
interface WriteOutcome {
  settled(exchange: Exchange, commit: Commit): void;
  linkLost(exchange: Exchange): void;
}

class LinkedAnswer implements CommitAnswer {
  link: Commit | undefined;
  /** Undefined: the log did not take it, which is answered. */
  write: Commit | undefined;

  constructor(
    private readonly front: Front,
    private readonly pair: LinkedPair,
    private readonly outcome: WriteOutcome,
  ) {}

  /** Called once for each message: both entries may be in one. */
  settled(exchange: Exchange, commit: Commit): void {
    const {link, write} = this;
    if (commit === link && link.outcome === 'stored') this.front.writes.links!.acked.acked(this.pair);
    if (write === undefined || write.outcome === 'pending' || link!.outcome === 'pending') return;
    if (write.outcome === 'stored' && link!.outcome !== 'stored') this.outcome.linkLost(exchange);
    else this.outcome.settled(exchange, write);
  }
}

/**
 * Appends the newest entries of the encoder and the newest single link. The link comes first: without it the write is not taken.
 * @returns false: the log takes neither of them, or not the write; `outcome` hears nothing then.
 */
export function appendLinked(
  front: Front,
  exchange: Exchange,
  pair: LinkedPair,
  outcome: WriteOutcome,
  entryCount = 1,
): boolean {
  const {publisher, encoder} = front.writes;
  const links = front.writes.links!;
  const answer = new LinkedAnswer(front, pair, outcome);
  const waiter = exchange.awaitCommit(answer);
  answer.link = publisher.append(links.partition, links.bytes, 0, links.end, waiter);
  if (answer.link === undefined) return false;
  answer.write = publisher.append(encoder.partition, encoder.bytes, encoder.start, encoder.end, waiter, entryCount);
  return answer.write !== undefined;
}

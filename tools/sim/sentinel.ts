// Watches every change at the fake server, and fails at once when one of these rules is broken.
//   W1. A published manifest names parts that exist and are whole, and its position is never before that of its predecessor.
//   W2. A part that one of the two kept manifests names is not removed.
//   W3. The log is not truncated past the older kept manifest.
//   W4. Parts are removed by overwriting alone: any other way leaves their bytes on the disk.
//   W5. A message of the log has the bytes of every other message with its producer and number.
//   W6. Where users are joined, every published snapshot counts each event up to its position once, wherever it is by then.
import {entryKind, MessageCursor} from '../../actors/log/entries.js';
import {
  decodeChunkBlock,
  decodeIndex,
  decodeManifest,
  type Manifest,
  type PartRef,
  partsOf,
  wholeIndex,
} from '../../actors/manifest.js';
import {tokenOf} from './clients.js';
import {countFaults} from './final-state.js';
import {Model} from './model.js';
import {PublishedState, payloadOf} from './published.js';
import type {SimServer, Watch} from './server.js';
import type {SimStream, Stored} from './store.js';

export class Sentinel implements Watch {
  /** All log messages ever stored, in order: the accepted ones. */
  readonly accepted: Stored[] = [];
  manifestCount = 0;
  /** Messages of moves, and events in them. */
  moves = 0;
  joined = 0;
  newest: Manifest | undefined;
  private readonly fail: (text: string) => void;
  private readonly server: () => SimServer;
  /** Marks of the messages at the positions of manifests that have a newer one. */
  private readonly milestones = new Set<string>();
  private readonly bytesOf = new Map<string, Stored>();
  /** Revisions that the newest manifest's index names, and those of its predecessor. */
  private named: {current: ReadonlySet<number>; previous: ReadonlySet<number>} = {
    current: new Set(),
    previous: new Set(),
  };

  /** `countsEvents`: W6 is checked. */
  constructor(
    server: () => SimServer,
    fail: (text: string) => void,
    private readonly countsEvents: boolean,
  ) {
    this.server = server;
    this.fail = fail;
  }

  stored(stream: SimStream, message: Stored): void {
    const server = this.server();
    if (stream === server.log) this.logStored(message);
    if (stream !== server.manifests) return;
    this.manifestStored(decodeManifest(message.data));
    if (this.countsEvents) this.checkCounts(message);
  }

  /** W6 */
  private checkCounts({subject, data}: Stored): void {
    const {position} = decodeManifest(data);
    const model = new Model();
    for (const {seq, data: log} of this.accepted) if (seq <= position.sequence) model.apply(log, tokenOf);
    for (const fault of countFaults(model, new PublishedState(this.server(), subject))) this.fail(`W6: ${fault}`);
  }

  private logStored(message: Stored): void {
    this.accepted.push(message);
    const {mark} = new MessageCursor(message.data);
    const other = this.bytesOf.get(mark);
    if (other !== undefined && Buffer.compare(other.data, message.data) !== 0)
      this.fail(`W5: two messages of the log are ${mark}: ${other.seq} and ${message.seq}`);
    this.bytesOf.set(mark, message);
    const cursor = new MessageCursor(message.data);
    if (!cursor.next() || cursor.entry.kind !== entryKind.arrive) return;
    this.moves += 1;
    this.joined += cursor.count - 1;
  }

  private manifestStored(manifest: Manifest): void {
    this.manifestCount += 1;
    const last = this.newest;
    this.newest = manifest;
    if (last !== undefined && isBefore(manifest, last)) {
      this.fail(`W1: a manifest at ${textOf(manifest)} followed one at ${textOf(last)}`);
    }
    if (manifest.previous !== null) this.milestones.add(manifest.previous.mark);
    const isSameIndex = last?.index.key === manifest.index.key;
    const current = isSameIndex ? this.named.current : this.revisionsOf(manifest.index);
    const previous = manifest.previous === null ? new Set<number>() : this.revisionsOf(manifest.previous.index);
    this.named = {current, previous};
  }

  /** Revisions of a part, which must exist and be whole. W1 */
  private revisionsOf(ref: PartRef): ReadonlySet<number> {
    const server = this.server();
    const payload = payloadOf(server, ref);
    if (payload === undefined) {
      this.fail(`W1: the index ${ref.key} of a kept manifest is gone or damaged`);
      return new Set();
    }
    const stored = decodeIndex(payload);
    const blocks = stored.chunkBlocks.map((block) => payloadOf(server, block));
    const whole = wholeIndex(
      stored,
      blocks.map((block) => (block === undefined ? [] : decodeChunkBlock(block))),
    );
    const parts = [...partsOf(whole)];
    const bad = parts.find((part) => payloadOf(server, part) === undefined);
    if (bad !== undefined) this.fail(`W1: part ${bad.key} of a kept manifest is gone or damaged`);
    return new Set([ref, ...parts].flatMap(({revisions}) => revisions));
  }

  removing(stream: SimStream, message: Stored, how: 'erase' | 'delete' | 'replace'): void {
    if (stream !== this.server().parts) return;
    if (this.named.current.has(message.seq) || this.named.previous.has(message.seq)) {
      this.fail(`W2: ${how} of ${message.subject} (${message.seq}), which a kept manifest names`);
    }
    if (how === 'delete') this.fail(`W4: ${message.subject} (${message.seq}) was deleted without overwriting`);
  }

  purging(stream: SimStream, seq: number): void {
    if (stream !== this.server().log) {
      this.fail(`W4: ${stream.name} was purged up to ${seq}`);
      return;
    }
    if (seq > stream.firstSeq) this.checkTruncation(stream, seq);
  }

  /** W3. The message at an older manifest's position stays, and all later ones; a log without its tail may lack the last of them. */
  private checkTruncation(log: SimStream, seq: number): void {
    const kept = [...log.live.values()].filter((message) => message.seq >= seq);
    if (kept.some(({data}) => this.milestones.has(new MessageCursor(data).mark))) return;
    const older = this.newest?.previous?.position;
    this.fail(`W3: the log was truncated up to ${seq}; the older manifest stands at ${JSON.stringify(older)}`);
  }
}

const isBefore = ({position: a, epoch}: Manifest, {position: b, epoch: last}: Manifest): boolean =>
  a.generation < b.generation || (a.generation === b.generation && a.sequence < b.sequence) || epoch < last;

const textOf = ({position: {generation, sequence}, epoch}: Manifest): string => `${generation}.${sequence} (${epoch})`;

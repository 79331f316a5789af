// Seeded bugs of the core: each a small change of a source file that breaks one promise, and the suite that must notice it. Those of
// the shell are in shell.ts.
//   The code does not know them: they are made in a copy of the tree.

/** `sim`: number of seeds from the first one on. `vitest`: one test file; `only`: those of its tests whose names have this text. */
export type Suite = {readonly sim: number} | {readonly vitest: string; readonly only?: string};

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  readonly caughtBy: Suite;
}

const sim: Suite = {sim: 300};
const tails: Suite = {vitest: 'test/webhooks/tail-run.test.ts'};

export const coreMutants: readonly Mutant[] = [
  {
    name: 'handed-over-after-a-lost-connection',
    file: 'src/partition/log/handed-messages.ts',
    text: '    this.queue = [];\n    this.isUsable = false;',
    replacement: '    this.queue = [];',
    caughtBy: {vitest: 'test/partition/log/log-reader.test.ts'},
  },
  {
    name: 'new-connection-without-comparing-the-log',
    file: 'src/partition/log/log-identity.ts',
    text: '    if (!reader.takeHanded(connection, messages)) return;\n    this.doubt();',
    replacement: '    if (!reader.takeHanded(connection, messages)) return;',
    caughtBy: {vitest: 'test/partition/log/log-identity.test.ts'},
  },
  {
    name: 'connections-without-numbers',
    file: 'src/ingest/hand-over.ts',
    text: '    this.connection += 1;\n',
    replacement: '',
    caughtBy: {vitest: 'test/ingest/fold-lag.test.ts'},
  },
  {
    name: 'no-producer-check',
    file: 'actors/log/producers.ts',
    text: 'if (n <= last) return false;',
    replacement: '',
    caughtBy: sim,
  },
  {
    name: 'skip-by-sequence-after-a-rewind',
    file: 'actors/partition.ts',
    text: '    this.beginGeneration(this.generation + 1);\n    this.appliedSequence = 0;',
    replacement: '    this.beginGeneration(this.generation + 1);',
    caughtBy: sim,
  },
  {
    name: 'manifest-without-compare-and-set',
    file: 'src/partition/snapshot/manifest-store.ts',
    text: 'const stored = await putIfNewest(this.js, this.subject, bytes, revision);',
    replacement:
      'const stored = revision < 0 ? await putIfNewest(this.js, this.subject, bytes, revision) : (await this.js.publish(this.subject, bytes)).seq;',
    caughtBy: sim,
  },
  {
    name: 'ack-before-publish',
    file: 'src/ingest/publisher.ts',
    text: '    this.pace.sent(message.requestCount, message.entryCount, message.entriesBytes);\n    this.send(message);',
    replacement:
      "    this.pace.sent(message.requestCount, message.entryCount, message.entriesBytes);\n    message.settle('stored', 0);\n    this.send(message);",
    caughtBy: sim,
  },
  {
    name: 'retry-with-a-new-id',
    file: 'src/ingest/publisher.ts',
    text: 'this.link.send(message.partition, message.id, this.tickets',
    replacement: 'this.link.send(message.partition, message.id + message.sends, this.tickets',
    caughtBy: {vitest: 'test/ingest/publisher.test.ts'},
  },
  {
    name: 'retry-with-a-new-number',
    file: 'src/ingest/publisher.ts',
    text: '    message.sends += 1;\n',
    replacement:
      '    message.sends += 1;\n    if (message.sends > 1) {\n      this.lanes[message.partition].n += 1;\n' +
      '      const {producer, n} = this.lanes[message.partition];\n' +
      "      message.seal(producer.toString('hex') + '.' + message.partition + '.' + n, producer, n, 0);\n    }\n",
    caughtBy: sim,
  },
  {
    name: 'a-given-up-producer-goes-on',
    file: 'src/ingest/publisher.ts',
    text: '    lane.producer = this.options.newProducer();\n    lane.n = 0;',
    replacement: '    lane.n -= 1;',
    caughtBy: sim,
  },
  {
    name: 'truncate-past-the-snapshot',
    file: 'src/partition/snapshot/snapshots.ts',
    text: 'purge(stream, {seq})',
    replacement: 'purge(stream, {seq: seq + 1})',
    caughtBy: sim,
  },
  {
    name: 'delete-instead-of-erase',
    file: 'src/partition/snapshot/part-sweep.ts',
    text: "deleteMessage(bucketStream('parts'), sequence, true)",
    replacement: "deleteMessage(bucketStream('parts'), sequence, false)",
    caughtBy: sim,
  },
  {
    name: 'sweep-without-looking-at-kept-manifests',
    file: 'src/partition/snapshot/part-store.ts',
    text: '.filter((ref) => !named.has(ref.key))',
    replacement: '.filter((ref) => !named.has(ref.key) || true)',
    caughtBy: sim,
  },
  {
    name: 'erase-what-another-run-of-the-server-has',
    file: 'src/partition/snapshot/part-sweep.ts',
    text: 'this.setup.erasing.run() !== run',
    replacement: "run === ''",
    caughtBy: {vitest: 'test/partition/snapshot/part-sweep.test.ts'},
  },
  {
    name: 'erase-without-a-look',
    file: 'src/partition/snapshot/part-sweep.ts',
    text: 'values.filter(({subject}) => subjects.has(subject))',
    replacement: 'values.filter(() => subjects.size >= 0)',
    caughtBy: {vitest: 'test/partition/snapshot/part-sweep.test.ts'},
  },
  {
    name: 'message-ids-of-one-of-several-erased-users',
    file: 'src/partition/erasure/erased-users.ts',
    text: 'this.of(user).fingerprints.push(this.fingerprintOf(event))',
    replacement: 'this.of(this.byUser.keys().next().value ?? user).fingerprints.push(this.fingerprintOf(event))',
    caughtBy: {vitest: 'test/partition/erasure/erasure.test.ts', only: 'several users'},
  },
  {
    name: 'a-deletion-from-another-partition-is-not-awaited',
    file: 'src/partition/reads/live-reads.ts',
    text: 'while (!partition.deletions.has(id) && leftMs() > 0 && !this.runner.hasEnded)',
    replacement: 'while (leftMs() < 0)',
    caughtBy: {vitest: 'test/partition/reads/live-reads.test.ts', only: 'passes on'},
  },
  {
    name: 'a-member-is-over-after-two-renewals',
    file: 'actors/cluster/cluster-view.ts',
    text: 'const silentRenewals = 4;',
    replacement: 'const silentRenewals = 2;',
    caughtBy: {vitest: 'test/actors/cluster/member.test.ts', only: 'a short pause'},
  },
  {
    name: 'renewals-count-before-they-are-acknowledged-and-back',
    file: 'actors/cluster/cluster-view.ts',
    text: 'if (this.returned !== this.acknowledged || this.returned <= this.counted) return;',
    replacement: 'if (this.returned < this.counted) return;',
    caughtBy: {vitest: 'test/actors/cluster/member.test.ts', only: 'a short pause'},
  },
  {
    name: 'members-are-over-by-the-clock',
    file: 'actors/cluster/member.ts',
    text: "if (this.now === 'up') this.endOthers();",
    replacement: `if (nowMs - this.renewedMs > 8_000)
      for (const id of this.view.staying)
        if (id !== this.id) this.write(memberName(id), '', must(this.view.member(id), 'it stays').revision);
    if (this.now === 'up') this.endOthers();`,
    caughtBy: {vitest: 'test/actors/cluster/member.test.ts', only: 'to an election'},
  },
  {
    name: 'a-partition-is-given-back-before-its-last-snapshot',
    file: 'src/partition/hand.ts',
    text: 'await owned.started?.runner?.release();',
    replacement: 'void owned.started?.runner?.release();',
    caughtBy: {vitest: 'test/partition/hand.test.ts', only: 'after its last snapshot'},
  },
  {
    name: 'a-gap-in-the-log-is-passed-without-asking-for-a-successor',
    file: 'src/partition/runner.ts',
    text: '    if (await ownership.isOutlived()) return false;\n',
    replacement: '    if (ownership.isLost) return false;\n',
    caughtBy: {vitest: 'test/partition/runner.test.ts', only: 'may have truncated the log'},
  },
  {
    name: 'a-start-on-its-folder-waits-for-who-it-was',
    file: 'actors/cluster/member.ts',
    text: 'for (const id of [...this.view.silent, ...former])',
    replacement: 'for (const id of former.slice(1).concat(this.view.silent))',
    caughtBy: {vitest: 'test/actors/cluster/member.test.ts', only: 'starts again on its folder'},
  },
  {
    name: 'a-tick-of-a-lower-epoch-counts',
    file: 'actors/log/logical-time.ts',
    text: '    if (epoch < this.epoch) return false;\n',
    replacement: '',
    caughtBy: {vitest: 'test/actors/partition.test.ts', only: 'has a successor'},
  },
  {
    name: 'an-owner-goes-on-behind-a-higher-epoch',
    file: 'src/partition/snapshot/ownership.ts',
    text: 'if (epoch <= this.epochNow) return false;',
    replacement: 'if (epoch > 0) return false;',
    caughtBy: {vitest: 'test/partition/snapshot/ownership.test.ts', only: 'a tick of a higher epoch'},
  },
  {
    name: 'rows-of-an-owner-that-was-paused',
    file: 'src/partition/reads/live-reads.ts',
    text: 'return !this.view.ownership.isTrusted;',
    replacement: 'return false;',
    caughtBy: {vitest: 'test/partition/reads/live-reads.test.ts', only: 'without asking the log'},
  },
  {
    name: 'a-receipt-that-does-not-wait-for-orphans',
    file: 'src/partition/erasure/scrub.ts',
    text: 'snapshots.sweepOrphans(); // Z4',
    replacement: '',
    caughtBy: {vitest: 'test/partition/receipts.test.ts'},
  },
  {
    name: 'purge-without-filler',
    file: 'src/partition/erasure/scrub.ts',
    text: 'await writer.filler(fillerBytes); // Z1',
    replacement: 'await writer.filler(fillerBytes / 1024);',
    caughtBy: sim,
  },
  {
    name: 'message-ids-forgotten-by-a-restart',
    file: 'actors/dedupe/dedupe.ts',
    text: 'stored.forEach(first, (print, content) => this.messageIds.add(print, 0, day, content));',
    replacement: 'if (day < 0) stored.forEach(first, (print, content) => this.messageIds.add(print, 0, day, content));',
    caughtBy: sim,
  },
  {
    name: 'live-reads-wait-for-less-than-was-acked',
    file: 'src/ingest/acked-sequences.ts',
    text: 'BigInt(sequence)',
    replacement: 'BigInt(sequence - 1)',
    caughtBy: sim,
  },
  {
    name: 'erased-users-stay-active',
    file: 'actors/user/user-actors.ts',
    text: '    if (hadRows) this.leaveDays([user]);\n',
    replacement: '',
    caughtBy: sim,
  },
  {
    name: 'a-rewind-keeps-the-generation',
    file: 'actors/partition.ts',
    text: '    this.beginGeneration(this.generation + 1);\n',
    replacement: '    this.beginGeneration(this.generation);\n',
    caughtBy: sim,
  },
  {
    name: 'last-seen-overwritten',
    file: 'actors/user/user-deltas.ts',
    text: 'if (!(this.times[time] >= timeMs)) this.times[time] = timeMs;\n    const mark',
    replacement: 'this.times[time] = timeMs;\n    const mark',
    caughtBy: sim,
  },
  {
    name: 'window-off-by-one',
    file: 'actors/aggregator/window-deltas.ts',
    text: '    const hour = Math.floor(timeMs / hourMs);',
    replacement: '    const hour = Math.floor((timeMs - 1) / hourMs);',
    caughtBy: sim,
  },
  {
    name: 'funnel-out-of-order',
    file: 'actors/report/funnel/sequential-search.ts',
    text: 'Math.max(reach[depth], reach[depth - 1] + 1)',
    replacement: 'reach[depth]',
    caughtBy: {vitest: 'test/actors/report/against-model.test.ts'},
  },
  {
    name: 'snapshots-that-disagree',
    file: 'src/report/published/newest-snapshots.ts',
    text: 'if (outdated.length === 0) return this.makeSet();',
    replacement: 'return this.makeSet();',
    caughtBy: {vitest: 'test/report/moved-users.test.ts'},
  },
  {
    name: 'moved-users-count-twice',
    file: 'src/report/operators/stored-counts.ts',
    text: '  partial.addCells(leftOut.cells);\n',
    replacement: '',
    caughtBy: {vitest: 'test/report/moved-users.test.ts'},
  },
  {
    name: 'groups-of-another-process-by-its-numbers',
    file: 'actors/report/rows/value-groups.ts',
    text: 'groups[firstValueGroup + i] = this.groupOfText(from.string());',
    replacement: 'this.groupOfText(from.string());',
    caughtBy: {vitest: 'test/report/shards.test.ts'},
  },
  {
    name: 'a-silent-share-counts-twice',
    file: 'src/report/shards.ts',
    text: 'own: again.flatMap(({own}) => own)',
    replacement: 'own: snapshots',
    caughtBy: {vitest: 'test/report/shards.test.ts', only: 'falls silent'},
  },
  {
    name: 'a-share-of-other-snapshots',
    file: 'src/report/engine.ts',
    text: 'if (!isSame || asked.partitions',
    replacement: 'if (set === undefined || asked.partitions',
    caughtBy: {vitest: 'test/report/shards.test.ts', only: 'is refused'},
  },
  {
    name: 'moves-appended-before-they-are-published',
    file: 'src/partition/identity/mover.ts',
    text: 'move.n > (snapshots.movesPublished[move.to] ?? 0)',
    replacement: 'move.n < (snapshots.movesPublished[move.to] ?? 0) - move.n',
    caughtBy: {vitest: 'test/partition/identity/mover.test.ts'},
  },
  {
    name: 'moves-settled-without-a-question',
    file: 'src/partition/identity/mover.ts',
    text: 'const received = await this.receivedBy(to);\n      if (partition',
    replacement: 'const received = partition.moves.counts.left[to] as number;\n      if (partition',
    caughtBy: sim,
  },
  {
    name: 'anonymous-users-of-any-size-leave',
    file: 'src/partition/identity/mover.ts',
    text: 'isTooLarge: count > leaverRowsMax',
    replacement: 'isTooLarge: count < 0',
    caughtBy: {vitest: 'test/partition/identity/mover.test.ts'},
  },
  {
    name: 'moves-received-whatever-their-number',
    file: 'actors/identity/moves.ts',
    text: 'if (!this.isNext(from, n)) return undefined;',
    replacement: '',
    caughtBy: sim,
  },
  {
    name: 'moves-numbered-over-all-destinations',
    file: 'actors/identity/moves.ts',
    text: 'Math.max(this.left[to] + 1,',
    replacement: 'Math.max(Math.max(...this.left) + 1,',
    caughtBy: sim,
  },
  {
    name: 'moves-received-piece-by-piece',
    file: 'actors/identity/moves.ts',
    text: 'if (messages.length < pieces) {',
    replacement: 'if (messages.length < 1) {',
    caughtBy: {vitest: 'test/actors/identity/moves.test.ts'},
  },
  {
    name: 'pieces-of-two-owners-in-one-move',
    file: 'actors/identity/moves.ts',
    text: ' && haveOneProducer(held.messages[0], message)',
    replacement: '',
    caughtBy: {vitest: 'test/actors/identity/pieces.test.ts'},
  },
  {
    name: 'pieces-that-no-snapshot-has',
    file: 'actors/identity/moves.ts',
    text: 'Array.from(pieces, ([from, {n}]) => [from, n] as const);',
    replacement: '[] as const;',
    caughtBy: {vitest: 'test/actors/identity/pieces.test.ts'},
  },
  {
    name: 'a-second-owner-gets-what-comes-later',
    file: 'actors/identity/identity.ts',
    text: '    else if (this.moves.candidates.has(user)) this.releaseKeys([user]); // ID2\n',
    replacement: '',
    caughtBy: {vitest: 'test/partition/identity/mover.test.ts'},
  },
  {
    name: 'what-left-is-counted-by-no-deletion',
    file: 'src/partition/identity/mover.ts',
    text: 'return move !== undefined && this.appendedMs.has(move);',
    replacement: 'return move !== undefined;',
    caughtBy: {vitest: 'test/partition/identity/mover.test.ts'},
  },
  {
    name: 'a-shared-device-is-taken-after-a-deletion',
    file: 'actors/identity/links.ts',
    text: 'if (!this.isShared(device)) this.devices.remove(device);',
    replacement: 'this.devices.remove(device);',
    caughtBy: {vitest: 'test/actors/identity/links.test.ts'},
  },
  {
    name: 'a-step-of-a-deletion-is-folded-twice',
    file: 'actors/partition.ts',
    text: 'if (!this.erasures.isRepeated(entry)) {',
    replacement: 'if (this.partition >= 0) {',
    caughtBy: {vitest: 'test/actors/identity/steps.test.ts'},
  },
  {
    name: 'a-repeated-step-stays-in-the-log',
    file: 'actors/partition.ts',
    text: '          this.deletions.noteErasedInLog(sequence); // The copy names the user.\n',
    replacement: '',
    caughtBy: {vitest: 'test/actors/identity/steps.test.ts'},
  },
  {
    name: 'a-late-copy-leaves-its-link',
    file: 'actors/events.ts',
    text: '        this.of.identity.noteLateLink(entry);\n',
    replacement: '',
    caughtBy: {vitest: 'test/actors/identity/late-links.test.ts'},
  },
  {
    name: 'links-outlive-a-deletion',
    file: 'actors/erasures.ts',
    text: '    links.forgetOwner(bytes, keyStart, keyEnd);\n',
    replacement: '',
    caughtBy: sim,
  },
  {
    name: 'a-manifest-before-its-effects-are-queued',
    file: 'src/partition/snapshot/snapshots.ts',
    text: '    await queued;\n',
    replacement: '',
    caughtBy: {vitest: 'test/partition/effects.test.ts', only: 'a manifest waits'},
  },
  {
    name: 'a-cursor-before-its-deliveries',
    file: 'src/webhooks/tail-run.ts',
    text: 'await this.settleAll(cursor, page);',
    replacement: 'void this.settleAll(cursor, page);',
    caughtBy: tails,
  },
  {
    name: 'a-webhook-id-from-the-clock',
    file: 'src/webhooks/event-deliveries.ts',
    text: 'generationOfRow(generations, ordinal), ordinal);',
    replacement: 'generationOfRow(generations, ordinal), ordinal, Date.now());',
    caughtBy: tails,
  },
  {
    name: 'a-dead-letter-with-its-payload',
    file: 'src/webhooks/trigger-run.ts',
    text: 'recipient.id, queued, decision);',
    replacement: 'recipient.id, {...queued, said: await this.say(queued)}, decision);',
    caughtBy: {vitest: 'test/webhooks/trigger-run.test.ts'},
  },
  {
    name: 'a-failed-event-that-is-queued-with-its-payload',
    file: 'src/webhooks/tail-run.ts',
    text: 'recipient.id, trigger, decision);',
    replacement: 'recipient.id, {...trigger, row: await this.readAgain(trigger.of)}, decision);',
    caughtBy: tails,
  },
  {
    name: 'a-retry-that-a-refused-record-makes-sooner',
    file: 'src/webhooks/trigger-run.ts',
    text: '      unwritten.set(sequence, follows);\n',
    replacement: '',
    caughtBy: {vitest: 'test/webhooks/trigger-run.test.ts', only: 'while the stream takes nothing'},
  },
  {
    name: 'an-ordered-webhook-that-begins-its-retries-anew',
    file: 'src/webhooks/tail-run.ts',
    text: "      this.decisions.set(retry.id, {kind: 'retry', next: retry});",
    replacement: '      void retry;',
    caughtBy: {vitest: 'test/webhooks/tail-run.test.ts', only: 'goes on with its schedule'},
  },
  {
    name: 'a-redirect-that-is-followed',
    file: 'src/webhooks/post.ts',
    text: '        resolve(this.outcomeOf(answer));\n',
    replacement:
      '        const {location} = answer.headers;\n' +
      '        resolve(location === undefined ? this.outcomeOf(answer) : this.post(location, contentOf));\n',
    caughtBy: {vitest: 'test/webhooks/post.test.ts', only: 'what an answer means'},
  },
];

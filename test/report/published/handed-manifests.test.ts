// What threads hand over to the report thread of their process, over real ports.
import {MessageChannel} from 'node:worker_threads';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {HandedManifests} from '../../../src/report/published/handed-manifests.js';
import type {HandedManifest} from '../../../src/worker-messages.js';
import {until} from '../../support/until.js';

const manifestOf = (partition: number, publication: number, byte = publication): HandedManifest => ({
  partition,
  publication,
  manifest: Uint8Array.of(byte),
  index: undefined,
});

describe('handed manifests', () => {
  let channels: MessageChannel[];
  let handed: HandedManifests;

  beforeEach(() => {
    channels = [new MessageChannel(), new MessageChannel()];
    handed = new HandedManifests(channels.map(({port2}) => port2));
  });

  afterEach(() => {
    for (const {port1} of channels) port1.close();
  });

  test('are there as soon as they were handed over, whichever thread did', () => {
    expect(handed.take(0, 1)).toBeUndefined();
    channels[0]!.port1.postMessage(manifestOf(0, 1));
    channels[1]!.port1.postMessage(manifestOf(1, 7));
    expect(handed.take(0, 1)).toEqual(manifestOf(0, 1));
    expect(handed.take(1, 7)).toEqual(manifestOf(1, 7));
    expect(handed.take(1, 7), 'it is kept no longer than until it is used').toBeUndefined();
  });

  test('stand for one publication: neither an older nor a newer one', () => {
    channels[0]!.port1.postMessage(manifestOf(0, 2));
    channels[0]!.port1.postMessage(manifestOf(0, 3));
    expect(handed.take(0, 2)).toBeUndefined();
    expect(handed.take(0, 4)).toBeUndefined();
    expect(handed.take(0, 3)).toEqual(manifestOf(0, 3));
  });

  test('tell who listens, who may ask before he is told', async () => {
    let heard = 0;
    handed.listen(() => {
      heard += 1;
    });
    channels[1]!.port1.postMessage(manifestOf(1, 8));
    expect(handed.take(1, 8)).toEqual(manifestOf(1, 8));
    channels[1]!.port1.postMessage(manifestOf(1, 9));
    await until('the second one is heard of', () => heard > 0);
    expect(handed.take(1, 9)).toEqual(manifestOf(1, 9));
  });
});

// The service's own /metrics, as numbers.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {ask} from '../../tools/http-client.js';

export interface Metrics {
  /** Sum of the samples of this name that have all these labels; throws when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** By the value of one label. */
  by(name: string, label: string): ReadonlyMap<string, number>;
}

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The service makes this text at most once a second: whoever asks again sooner gets the old one. */
const sharedMs = 1_050;
const lastReadMs = new Map<string, number>();

/** As it is now: waits until the text that was read last is made no more use of. */
export async function readMetrics(baseUrl: string): Promise<Metrics> {
  await pause(Math.max(0, (lastReadMs.get(baseUrl) ?? Number.NEGATIVE_INFINITY) + sharedMs - monotonicMs()));
  const {text} = await ask(`${baseUrl}/metrics`);
  // Its second begins when it was made, which on a busy machine is long after it was asked for.
  lastReadMs.set(baseUrl, monotonicMs());
  const samples = text.split('\n').flatMap(readSample);
  return {
    sum(name, labels = {}) {
      const wanted = Object.entries(labels);
      const found = samples.filter(
        (sample) => sample.name === name && wanted.every(([label, value]) => sample.labels.get(label) === value),
      );
      if (found.length === 0) throw new Error(`/metrics has no ${name} ${JSON.stringify(labels)}`);
      return found.reduce((sum, {value}) => sum + value, 0);
    },
    by(name, label) {
      const found = samples.filter((sample) => sample.name === name);
      return new Map(found.map(({labels, value}) => [labels.get(label) ?? '', value]));
    },
  };
}

function readSample(line: string): Sample[] {
  const parts = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (parts === null) return [];
  const labels = [...(parts[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(
    ([, label, value]) => [label!, value!] as const,
  );
  return [{name: parts[1]!, labels: new Map(labels), value: Number(parts[3])}];
}

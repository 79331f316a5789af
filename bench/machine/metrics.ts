// Reads the service's /metrics as numbers.

import {setTimeout as pause} from 'node:timers/promises';
import {monotonicMs} from '../../src/clock.js';
import {ask} from '../../tools/http-client.js';

export interface Metrics {
  /** Sum of the samples of this name that have all these labels; throws when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Sums of the samples by the value of one label. */
  by(name: string, label: string): ReadonlyMap<string, number>;
}

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The service updates this text at most once a second: an earlier reading gets the old text. */
const sharedMs = 1_050;
const lastReadMs = new Map<string, number>();

/** Waits until the last text is outdated, and reads the current one. */
export async function readMetrics(baseUrl: string): Promise<Metrics> {
  await pause(Math.max(0, (lastReadMs.get(baseUrl) ?? Number.NEGATIVE_INFINITY) + sharedMs - monotonicMs()));
  const {text} = await ask(`${baseUrl}/metrics`);
  // The second begins when the text was made, on a busy machine long after it was requested.
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

// Reads Prometheus' text format strictly: a line that is none of it fails the test that reads it.
import {ask} from '../../tools/http-client.js';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Metrics {
  readonly samples: readonly Sample[];
  /** Type by the name of the family. */
  readonly types = new Map<string, string>();
  readonly helps = new Map<string, string>();

  constructor(readonly text: string) {
    const samples: Sample[] = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z0-9_]+) (.+)$/.exec(line) ?? [];
      if (kind === undefined) samples.push(sampleOf(line));
      else (kind === 'TYPE' ? this.types : this.helps).set(name!, rest!);
    }
    this.samples = samples;
  }

  get names(): ReadonlySet<string> {
    return new Set(this.samples.map(({name}) => name));
  }

  /** Those with at least these labels. */
  find(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    return this.samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    );
  }

  /** Of all that have at least these labels; 0 when there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.find(name, labels).reduce((sum, {value}) => sum + value, 0);
  }
}

function sampleOf(line: string): Sample {
  const [, name, labelText = '', value] = /^([a-zA-Z_][a-zA-Z0-9_]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined || value === undefined || (value !== 'Nan' && Number.isNaN(Number(value)))) {
    throw new Error(`no line of the text format: ${line}`);
  }
  const labels: Record<string, string> = {};
  const rest = labelText.replaceAll(
    /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)",?/g,
    (_, key: string, text: string) => {
      labels[key] = text;
      return '';
    },
  );
  if (rest !== '') throw new Error(`no labels of the text format: ${line}`);
  return {name, labels, value: Number(value)};
}

export async function scrape(baseUrl: string): Promise<Metrics> {
  const {status, text} = await ask(`${baseUrl}/metrics`);
  if (status !== 200) throw new Error(`/metrics answered ${status}`);
  return new Metrics(text);
}

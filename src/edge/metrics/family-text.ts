// One family in the text format of Prometheus (version 0.0.4).
import type {Family, Sample} from './families.js';

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function labelsText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(String(value)).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** The text has no line break at its end. */
export function familyText({name, type, help}: Omit<Family, 'read'>, samples: readonly Sample[]): string {
  const lines = samples.map(
    ({labels, value, metricName = name}) => `${metricName}${labelsText(labels)} ${valueText(value)}`,
  );
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

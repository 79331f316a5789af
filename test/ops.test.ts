// The files in ops/ are what an operator starts with: every metric that they name must exist in a running service, every
// alarm must have its alert and its line in docs/operating.md, and Prometheus must be able to read them.
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {Client} from './support/http.js';
import {type Metrics, scrape} from './support/metrics.js';
import {startService, temporaryFolder} from './support/service.js';
import {until} from './support/until.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: {readonly x: number; readonly y: number; readonly w: number; readonly h: number};
  readonly targets?: readonly {readonly expr: string}[];
}

const alerts = read('ops/alerts.yml');
const alertExpressions = [...alerts.matchAll(/^ {8}expr: (.+)$/gm)].map((match) => match[1]!);
const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as {panels: Panel[]};
const panelExpressions = dashboard.panels.flatMap(({targets}) => (targets ?? []).map(({expr}) => expr));

const functions = new Set([
  ...[...'sum min max count by or and offset rate increase vector predict_linear histogram_quantile'.split(' ')],
]);

/** Names of metrics in a PromQL expression: what is left of its words without strings, labels, ranges and functions. */
function metricNames(expression: string): string[] {
  const words = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\bby \([^)]*\)/g, ' ')
    .match(/(?<![a-zA-Z0-9_])[a-zA-Z_][a-zA-Z0-9_]*/g);
  return (words ?? []).filter((word) => !functions.has(word));
}

/** Label values that an expression compares with `=`. */
const labelValues = (expression: string): {name: string; label: string; value: string}[] =>
  [...expression.matchAll(/([a-z_]+)\{([^}]*)\}/g)].flatMap(([, name, matchers]) =>
    [...matchers!.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, value]) => ({
      name: name!,
      label: label!,
      value: value!,
    })),
  );

// With an external NATS there is no disk and no nats-server to tell about.
describe.skipIf(process.env.TEST_NATS_URL !== undefined)('every metric that ops/ names', () => {
  let metrics: Metrics;
  beforeAll(async () => {
    const service = await startService();
    try {
      const writer = new Client(service.baseUrl, service.writeKey);
      await writer.post('/v1/events', {event: 'e', userId: 'u', messageId: 'm'});
      await writer.post('/v1/events', {});
      const reader = new Client(service.baseUrl, service.secretKey);
      await reader.delete('/v1/users/u');
      const url = 'https://hooks.example.com/';
      await reader.post('/v1/webhooks', {kind: 'webhook', url, types: [{type: 'user.deleted'}]});
      metrics = await until('every role tells its numbers', async () => {
        const now = await scrape(service.baseUrl);
        const areAllThere = now.find('millrace_up').every(({value}) => value === 1);
        return areAllThere && now.names.has('millrace_webhook_state') && now;
      });
    } finally {
      await service.stop();
    }
  });

  // Prometheus makes `up` itself.
  const exists = (name: string): boolean => name === 'up' || metrics.names.has(name);

  test.each([
    ['alerts.yml', alertExpressions],
    ['grafana-dashboard.json', panelExpressions],
  ])('%s: exists in a running service, with the labels that are asked for', (_, expressions) => {
    expect(expressions.length).toBeGreaterThan(15);
    const names = new Set(expressions.flatMap(metricNames));
    expect(names.size).toBeGreaterThan(10);
    expect([...names].filter((name) => !exists(name))).toEqual([]);
    const labels = expressions.flatMap(labelValues).filter(({label}) => !['job', 'instance', 'code'].includes(label));
    expect(labels.length).toBeGreaterThan(2);
    for (const {name, label, value} of labels) expect(metrics.find(name, {[label]: value}), name).not.toEqual([]);
    const codes = expressions.flatMap(labelValues).filter(({label}) => label === 'code');
    for (const {value} of codes) {
      const samples = metrics.find('millrace_refusals_total', {code: value});
      expect(samples.map(({labels}) => labels.of)).toEqual(['clients', 'pages']);
    }
  });

  test('the check sees a name that does not exist', () => {
    const invented = 'sum by (x) (rate(millrace_invented_total{code="unavailable"}[5m])) > 0.05 * other_metric';
    expect(metricNames(invented)).toEqual(['millrace_invented_total', 'other_metric']);
    expect(metricNames(invented).some(exists)).toBe(false);
  });

  test('every alarm has an alert and a line in docs/operating.md', () => {
    const page = read('docs/operating.md');
    const kinds = new Set(metrics.find('millrace_alarm').map(({labels}) => labels.kind!));
    expect(kinds.size).toBeGreaterThan(4);
    for (const kind of kinds) {
      expect(alertExpressions.filter((expression) => expression.includes(`{kind="${kind}"}`))).toHaveLength(1);
      expect(page).toContain(`\`${kind}\``);
    }
  });

  test('docs/operating.md names every metric, and no other', () => {
    const page = read('docs/operating.md');
    const all = [...metrics.types.keys()];
    expect(all.filter((name) => !new RegExp(`\`${name}[\`{]`).test(page))).toEqual([]);
    const named = [...page.matchAll(/`((?:millrace|process|nodejs)_[a-z0-9_]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !metrics.types.has(name) && !metrics.names.has(name))).toEqual([]);
  });
});

test('the dashboard has a place of its own for every panel', () => {
  const taken = new Map<string, string>();
  for (const {title, gridPos} of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.get(`${x},${y}`), title).toBeUndefined();
        taken.set(`${x},${y}`, title);
      }
    }
  }
  expect(new Set(dashboard.panels.map(({id}) => id)).size).toBe(dashboard.panels.length);
});

test('every alert has a severity and a summary', () => {
  const count = (pattern: RegExp): number => [...alerts.matchAll(pattern)].length;
  const names = [...alerts.matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
  expect(new Set(names).size).toBe(names.length);
  expect(alertExpressions).toHaveLength(names.length);
  expect(count(/severity: (page|ticket)\}/g)).toBe(names.length);
  expect(count(/summary: "/g)).toBe(names.length);
});

const promtool = (args: readonly string[]): string =>
  execFileSync('promtool', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

const hasPromtool = (() => {
  try {
    promtool(['--version']);
    return true;
  } catch {
    return false;
  }
})();
describe('promtool', () => {
  beforeEach(({skip}) => skip(!hasPromtool, 'promtool is not on PATH (Debian: prometheus), so ops/ is not read by it'));

  test('reads the scrape file and the alerts', () => {
    expect(promtool(['check', 'config', join(root, 'ops/prometheus.yml')])).toContain('SUCCESS');
  });

  test('reads every query of the dashboard', () => {
    const rules = panelExpressions.map((expression, at) => {
      const filled = expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
      return `      - {record: "panel:${at}", expr: ${JSON.stringify(filled)}}`;
    });
    const file = join(temporaryFolder(), 'panels.yml');
    writeFileSync(file, ['groups:', '  - name: panels', '    rules:', ...rules, ''].join('\n'));
    expect(promtool(['check', 'rules', file])).toContain(`${panelExpressions.length} rules found`);
  });
});

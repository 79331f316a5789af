// What mails say.
import {expect, test} from 'vitest';
import {letterOf} from '../../src/mail/letter.js';

const digest = {
  reports: [
    {
      ...{from: '2026-06-01', to: '2026-06-07', link: 'https://stats.example.com/dashboard/trends?a=1&b=2'},
      figures: [
        {name: 'ordered', value: 1_234.567, previous: 1_000},
        {name: '<b>"paid"</b>', value: null, previous: null},
        {name: 'Conversion', value: 0.125, previous: 0.25, is_share: true},
      ],
    },
    {from: '2026-06-07', to: '2026-06-07', figures: [], error: 'the saved funnel is gone'},
  ],
  text: 'Weekly digest: Weekly <orders>.\n2026-06-01 to 2026-06-07: …',
};

/** Cells of the rows of HTML. */
const rowsOf = (html: string): string[][] =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell!),
  );

test('a digest has a row for each number, and a link to each report', () => {
  const {subject, text, html} = letterOf('report.digest', digest);
  expect(subject).toBe('Weekly digest: Weekly <orders>.');
  expect(text.startsWith(`${digest.text}\n\n-- \n`)).toBe(true);
  expect(rowsOf(html)).toEqual([
    ['ordered', '1,234.57', '+23.5 %, 1,000 before'],
    ['&lt;b&gt;&quot;paid&quot;&lt;/b&gt;', 'none', 'none before'],
    ['Conversion', '12.5 %', '-50 %, 25 % before'],
  ]);
  expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link)).toEqual([
    'https://stats.example.com/dashboard/trends?a=1&amp;b=2',
  ]);
  for (const words of ['Weekly &lt;orders&gt;', '2026-06-01 to 2026-06-07', 'No numbers: the saved funnel is gone'])
    expect(html).toContain(words);
});

test('an alert has its text, escaped, and no link that a name asks for', () => {
  const text = 'Firing: <script>alert(1)</script> & co. (2026-11-27 21:04 UTC)\nhttps://evil.example.com "x"';
  const {subject, html} = letterOf('report.threshold', {text});
  expect(subject).toBe('Firing: <script>alert(1)</script> & co. (2026-11-27 21:04 UTC)');
  expect(html).toContain('Firing: &lt;script&gt;alert(1)&lt;/script&gt; &amp; co.');
  expect(html).toContain('https://evil.example.com &quot;x&quot;');
  expect(html).not.toMatch(/<script|<a /);
});

test('a subject is one line of bounded length', () => {
  const {subject} = letterOf('report.threshold', {text: `Firing: a\r\u2028b\u0000c${'x'.repeat(300)}\nmore`});
  expect(subject).toMatch(/^Firing: a b cx+…$/);
  expect(subject).toHaveLength(150);
});

test('a test says what comes here', () => {
  expect(letterOf('test', {test: true}).subject).toBe('A test message of Millrace: alerts come here.');
});

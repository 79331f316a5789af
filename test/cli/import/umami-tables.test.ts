import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {readLine} from '../../../src/cli/import/source-event.js';
import {openUmamiTables} from '../../../src/cli/import/umami-tables.js';
import {formatOf} from '../../../src/cli/import/vendor-formats.js';
import {zoneOf} from '../../../src/zone.js';
import {zipOf} from '../../support/zip.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'millrace-umami-'));
});
afterEach(() => rmSync(home, {recursive: true}));

const events = [
  'event_id,website_id,session_id,created_at,url_path,url_query,referrer_domain,referrer_path,page_title,event_type,event_name,distinct_id,utm_source,browser,country',
  'e2,shop,s1,2024-03-01 10:00:05,/cart,,,,Cart,2,bought,ada,,,',
  'x1,blog,s9,2024-03-01 10:00:03,/post,,,,,1,,,,,',
  'e1,shop,s1,2024-03-01 10:00:01,/,a=1,example.org,/from,Home,1,,,news,firefox,DE',
  'e3,shop,s1,2024-03-01 10:00:09,/,,,,,5,,,,,',
];
const data = [
  'event_id,website_id,data_key,string_value,number_value,date_value,data_type',
  'e2,shop,price,,12.5000,,2',
  'e2,shop,gift,true,,,3',
  'e2,shop,tags,"[""a"",""b""]",,,5',
  'e2,shop,sku,00042,,,1',
  'e9,shop,sku,lost,,,1',
];
const sessions = [
  'website_id,session_id,distinct_id,data_key,string_value,data_type,created_at',
  'shop,s1,ada,plan,pro,1,2024-03-01 10:00:04',
  'shop,s2,,plan,free,1,2024-03-01 10:00:08',
];
const bytesOf = (rows: readonly string[]): Buffer => Buffer.from(`${rows.join('\n')}\n`);

async function linesOf(path: string, website?: string, bytesPerFile?: number): Promise<string[]> {
  const folder = join(home, 'rows');
  const source = await openUmamiTables(path, {website, folder, ...(bytesPerFile !== undefined && {bytesPerFile})});
  const lines: string[] = [];
  try {
    for await (const some of source.chunks()) {
      for (const {number, bytes} of some) {
        lines.push(bytes!.toString());
        expect(number).toBe(lines.length);
      }
    }
  } finally {
    source.close();
  }
  expect(existsSync(folder)).toBe(false);
  return lines;
}

function archive(): string {
  const path = join(home, 'umami.zip');
  const tables = {website_event: events, event_data: data, session_data: sessions};
  writeFileSync(
    path,
    zipOf(Object.entries(tables).map(([name, rows]) => ({name: `export/${name}.csv`, content: bytesOf(rows)}))),
  );
  return path;
}

test('Umami: events by time with the data of each, pages, and the traits of users', async () => {
  const format = formatOf('umami', {zone: zoneOf('Europe/Berlin')});
  const meanings = (await linesOf(archive(), 'shop')).map((text, at) =>
    readLine({number: at + 1, bytes: Buffer.from(text)}, 'head', format),
  );
  const bodies = meanings.map((meaning) =>
    meaning.kind === 'sent' ? JSON.parse(meaning.entries[0]!.json.toString()) : meaning.kind,
  );
  expect(bodies).toEqual([
    {
      ...{event: 'page', anonymousId: 's1', messageId: 'e1', timestamp: '2024-03-01T09:00:01.000Z'},
      context: {
        page: {url: '/?a=1', path: '/', search: '?a=1', title: 'Home', referrer: 'https://example.org/from'},
        ...{browser: {name: 'firefox'}, location: {country: 'DE'}, campaign: {source: 'news'}},
      },
    },
    {userId: 'ada', timestamp: '2024-03-01T09:00:04.000Z', traits: {plan: 'pro'}, messageId: expect.any(String)},
    {
      ...{event: 'bought', userId: 'ada', anonymousId: 's1', messageId: 'e2', timestamp: '2024-03-01T09:00:05.000Z'},
      properties: {price: 12.5, gift: true, tags: ['a', 'b'], sku: '00042'},
      context: {page: {url: '/cart', path: '/cart', title: 'Cart'}},
    },
    'left_out', // Traits of nobody who is known.
    'left_out', // A measurement.
  ]);
});

test('Umami: a folder of tables is the archive of them, and many files of rows are merged to the same lines', async () => {
  writeFileSync(join(home, 'website_event.csv'), bytesOf(events));
  writeFileSync(join(home, 'event_data_1.csv.gz'), gzipSync(bytesOf(data)));
  writeFileSync(join(home, 'session_data.csv'), bytesOf(sessions));
  expect(await linesOf(join(home, 'website_event.csv'), 'shop')).toEqual(await linesOf(archive(), 'shop', 20));
});

test('Umami: of several websites one is chosen, and it must be there', async () => {
  await expect(linesOf(archive())).rejects.toThrow(
    /^umami.zip has several websites: choose one by --website: shop \(3 events\), blog \(1 events\)\.$/,
  );
  await expect(linesOf(archive(), 'other')).rejects.toThrow(/no events of the website other; it has shop \(3 events\)/);
});

// One page of a list that is ranked by counts, and its JSON text (docs/api/lists.md).
import {NamePage} from '../../../actors/report/counts/name-page.js';
import type {KeyTypes, ListedKey} from '../../../actors/report/rows/key-types.js';
import {firstValueGroup, missingGroup, type ValueGroups} from '../../../actors/report/rows/value-groups.js';
import type {HiddenTexts, ListQuery} from '../../asks/lists.js';
import {listCursorText} from '../../list-cursor.js';
import type {PartScan} from '../part-scan.js';
import type {Reading} from '../reading.js';
import {BeyondMemory} from '../row-scan.js';

/** Items between two pauses: some 0.3 ms. */
const itemsAtOnce = 1_024;

/** @throws BeyondMemory */
export function checkHeld({gatheredBytesMax}: Reading, bytes: number): void {
  if (bytes > gatheredBytesMax) throw new BeyondMemory('the items of the list take', gatheredBytesMax);
}

/** Tells whether a text is hidden. */
export function hiddenBy(hidden: HiddenTexts | undefined): (text: string) => boolean {
  const texts = new Set(hidden?.texts);
  return (text) => texts.has(text);
}

/** `kind`: the answer's word for a key, `property` or `trait`. */
export async function keysAnswer(scan: PartScan, query: ListQuery, kind: string, keys: KeyTypes): Promise<string> {
  const page = new Ranked<ListedKey>(query);
  const hidden = query.report === 'properties' ? query.hidden : undefined;
  const isHidden = hiddenBy(hidden);
  let looked = 0;
  for (const listed of keys.listed(query.prefix ?? '')) {
    if (looked++ % itemsAtOnce === 0) await scan.pauseIfDue();
    if (hidden?.areShown || !isHidden(listed.key)) page.add(listed.count, listed.key, listed);
  }
  return page.answer(({key, count, types}) => {
    const share = JSON.stringify(count / keys.total);
    const mark = isHidden(key) ? ',"hidden":true' : '';
    return `{"${kind}":${JSON.stringify(key)},"share":${share},"types":${JSON.stringify(types)}${mark}}`;
  });
}

/** Texts of values begin with `=`, so that values come before kinds of the same count. */
const rankedKinds = ['missing', 'null', 'not_scalar'] as const;
const valueHead = '=';

/** Kinds are listed only without a prefix. `totals`: number of events or users by group. */
export async function valuesAnswer(
  scan: PartScan,
  query: ListQuery,
  groups: ValueGroups,
  totals: ArrayLike<number>,
): Promise<string> {
  const {prefix} = query;
  const page = new Ranked<number>(query);
  let distinct = 0;
  for (let group = missingGroup; group < groups.count; group++) {
    if (group % itemsAtOnce === 0) await scan.pauseIfDue();
    const count = totals[group] ?? 0;
    if (count === 0) continue;
    if (group < firstValueGroup) {
      if (prefix === undefined) page.add(count, rankedKinds[group]!, group);
      continue;
    }
    const text = groups.text(group);
    if (!text.startsWith(prefix ?? '')) continue;
    distinct += 1;
    page.add(count, valueHead + text, group);
  }
  const nameOf = (group: number): string =>
    group < firstValueGroup ? `"kind":"${rankedKinds[group]}"` : `"value":${JSON.stringify(groups.text(group))}`;
  return page.answer((group, count) => `{${nameOf(group)},"count":${count}}`, `"distinct":${distinct},`);
}

interface Item<T> {
  readonly count: number;
  readonly name: string;
  readonly item: T;
}

/** Ranks items: most frequent first, ties by name (UTF-16 code units). */
class Ranked<T> {
  private readonly query: ListQuery;
  private readonly page: NamePage<Item<T>>;

  constructor(query: ListQuery) {
    this.query = query;
    this.page = new NamePage(query.passed + query.limit);
  }

  add(count: number, name: string, item: T): void {
    this.page.add({count, name, item});
  }

  /** `more`: fields between the items and the cursor. */
  answer(write: (item: T, count: number) => string, more = ''): string {
    const {query} = this;
    const {names, hasMore} = this.page.finish();
    const data = names.slice(query.passed).map(({item, count}) => write(item, count));
    const next = hasMore ? listCursorText(query, query.passed + data.length) : null;
    return `{"data":[${data.join()}],${more}"has_more":${hasMore},"next_cursor":${JSON.stringify(next)}}`;
  }
}

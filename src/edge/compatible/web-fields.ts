// What calls say about their page and screen, in the names of `context` that all vendors share: Segment's.
import {type Call, fieldsOf, given} from './translator.js';

interface SentPage {
  /** Whole, or a path with a query. */
  readonly url: unknown;
  readonly title?: unknown;
  readonly referrer: unknown;
  readonly host?: unknown;
}

/** The page as sent, with the path and the query of its URL; undefined: nothing is said of it. */
export function pageOf({url, title, referrer, host}: SentPage): Call | undefined {
  const sentUrl = given(url);
  const page = fieldsOf({
    url: sentUrl,
    ...(typeof sentUrl === 'string' && partsOf(sentUrl)),
    title: given(title),
    referrer: given(referrer),
    host: given(host),
  });
  return someOf(page);
}

const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** A page at a path that its URL does not have (`mailto:`) has none. */
function partsOf(url: string): Call {
  const local = url.replace(origin, '').replace(/#.*$/s, '');
  const at = local.indexOf('?');
  const [path, search] = at < 0 ? [local, ''] : [local.slice(0, at), local.slice(at)];
  return fieldsOf({
    path: path === '' ? '/' : path.startsWith('/') ? path : undefined,
    search: search.length > 1 ? search : undefined,
  });
}

/** A screen as `1920x1080`; undefined: it is in another form. */
export function screenOf(screen: unknown): Call | undefined {
  const [, width, height] = (typeof screen === 'string' && /^(\d{1,6})x(\d{1,6})$/.exec(screen)) || [];
  return width === undefined ? undefined : {width: Number(width), height: Number(height)};
}

/** Undefined for fields without any value. */
export function someOf(fields: Call): Call | undefined {
  const present = fieldsOf(fields);
  return Object.keys(present).length === 0 ? undefined : present;
}

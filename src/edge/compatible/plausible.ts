// Plausible, whose calls name nobody: each is an event of a visitor. Its script writes most fields as one letter.
import {inexactNumber} from '../../ingest/inexact-numbers.js';
import {jsonOrUndefined} from '../../json.js';
import {type Call, fieldsOf, given, namesWithoutUse, type Translator, withMore} from './translator.js';
import {pageOf, someOf} from './web-fields.js';

/** `engagement`: how long a page was seen and how far it was scrolled; Plausible counts it as no event. */
const kinds = ['event', 'engagement'] as const;

/** The site, the version of the script, and whether it looks at what follows `#` in URLs. */
const envelope = ['d', 'domain', 'v', 'h', 'hashMode'] as const;
const used = new Set([
  ...[...envelope, 'n', 'name', 'u', 'url', 'r', 'referrer', 'w', 'screen_width'],
  ...['p', 'props', '$', 'revenue'],
]);

export const plausible: Translator = {
  kinds,
  bodyFields: new Set(),
  hasVisitors: true,
  keyOf: () => undefined,
  translate: (call) => {
    const name = given(call.n, call.name);
    if (name === 'engagement') return {kind: 'engagement', native: [], ignored: ['engagement']};
    const event = name === 'pageview' ? 'page' : name;
    const properties = withMore(objectOf(given(call.p, call.props)), {revenue: objectOf(given(call.$, call.revenue))});
    const value = fieldsOf({event, properties, context: contextOf(call)});
    return {kind: 'event', native: [{kind: 'event', value}], ignored: namesWithoutUse(call, used)};
  },
  taken: () => ({status: '202 Accepted', contentType: 'text/plain; charset=utf-8', body: 'ok'}),
};

/** The script may write an object as a text of JSON. What is none, or has a number that would change, is left to the validator. */
function objectOf(value: unknown): unknown {
  if (typeof value !== 'string' || inexactNumber(Buffer.from(value), () => true) !== undefined) return value;
  return jsonOrUndefined(value) ?? value;
}

const contextOf = ({u, url, r, referrer, w, screen_width: width}: Call): Call | undefined =>
  someOf({
    page: pageOf({url: given(u, url), referrer: given(r, referrer)}),
    screen: someOf({width: given(w, width)}),
  });

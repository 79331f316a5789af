// The members of a serialised JSON object in their order. JSON.parse would put names that look like integers first.
//   JM1. The text is compact, as JSON.stringify writes it: without space between its tokens.
//   JM2. A value's text is taken unchanged: only names are parsed.
import {assert, InvariantError} from '../invariant.js';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Names, and the texts of their values. */
export function* membersOf(objectJson: string): Generator<readonly [string, string]> {
  const end = objectJson.length - 1;
  assert(objectJson.charCodeAt(0) === openBrace && objectJson.charCodeAt(end) === closeBrace, 'JM1: an object');
  for (let at = 1; at < end; ) {
    const colon = stringEnd(objectJson, at);
    const memberEnd = valueEnd(objectJson, colon + 1);
    yield [JSON.parse(objectJson.slice(at, colon)) as string, objectJson.slice(colon + 1, memberEnd)];
    at = memberEnd + 1;
  }
}

/** Position after the string whose opening quote is at `at`. */
function stringEnd(text: string, at: number): number {
  assert(text.charCodeAt(at) === quote, 'JM1: a string begins where the token before it ends');
  let i = at + 1;
  while (i < text.length && text.charCodeAt(i) !== quote) i += text.charCodeAt(i) === backslash ? 2 : 1;
  return i + 1;
}

/** Position after the value at `at`: that of the comma, or of the closing brace of its object. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (depth === 0 && (code === comma || code === closeBrace)) return i;
    if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) depth -= 1;
    i = code === quote ? stringEnd(text, i) : i + 1;
  }
  throw new InvariantError('JM1: an object ends with its brace');
}

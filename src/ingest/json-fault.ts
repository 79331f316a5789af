// The message about a body that is not JSON: the place of the fault, and the text there.
import {isUtf8} from 'node:buffer';
import {JsonSyntax} from './json-syntax.js';
import {shown} from './shown.js';

const comma = 0x2c;
const space = 0x20;
/** Bytes of a body that are decoded for a message. */
const shownBytesMax = 200;

/** `bytes`: refused by JSON.parse, or by the check for UTF-8 before it. */
export function jsonFault(bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    const at = firstNotUtf8(bytes);
    return `the body is not JSON in UTF-8: the byte ${hex(bytes[at]!)} at byte offset ${at} is not UTF-8`;
  }
  const syntax = new JsonSyntax(bytes);
  syntax.isJson();
  const at = syntax.faultAt;
  const event = syntax.keyAt(0) === 'events' ? syntax.indexAt(1) : undefined;
  const place = event === undefined ? '' : `, in event ${event}`;
  return `the body is not JSON in UTF-8: ${found(bytes, at)} at byte offset ${at}${place}`;
}

/** Decoding replaces bytes that are not UTF-8: the first byte that encodes differently is at fault. */
function firstNotUtf8(bytes: Buffer): number {
  const replaced = Buffer.from(bytes.toString('utf8'));
  let at = 0;
  while (at < bytes.length && bytes[at] === replaced[at]) at += 1;
  return Math.min(at, bytes.length - 1);
}

function found(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return 'unexpected end';
  const text = bytes.toString('utf8', at, at + shownBytesMax);
  const word = /^[\p{L}\p{N}_+.-]+/u.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(0)!);
  const name = `unexpected ${shownWord(word, bytes[at]!)}`;
  return isAfterComma(bytes, at) && /^[\]}]/.test(word) ? `${name} after a comma` : name;
}

/** An invisible character (a byte order mark, a no-break space) is shown by its number. */
function shownWord(word: string, first: number): string {
  if (first < space) return `control character ${hex(first)}`;
  if (!/^[\p{C}\p{Z}]/u.test(word)) return shown(word);
  return `character U+${word.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function isAfterComma(bytes: Buffer, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && bytes[before]! <= space) before -= 1;
  return bytes[before] === comma;
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;

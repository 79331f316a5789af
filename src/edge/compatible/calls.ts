// Finds the calls in a body, whose bytes decide what it is: the content types of libraries say little.
//   CA1. JSON: an object with a list of calls, a list alone, or one call. Or a form, whose `data` is JSON, or JSON in base64.
//   CA2. Each call is parsed by itself, as the events of a batch are (src/ingest/batch-body.ts). gzip is undone before.

import {isUtf8} from 'node:buffer';
import {objectKeysMax} from '../../../actors/limits.js';
import {type BatchBody, type NoBatchBody, readBatchBody, readListBody} from '../../ingest/batch-body.js';
import {token} from '../../ingest/json-scanner.js';
import {ObjectMembers} from '../../ingest/object-members.js';

/** The JSON in a body, and the other parameters of a form. */
interface BodyParts {
  readonly json: Buffer;
  /** Form-encoded; empty for a body that is no form. */
  readonly parameters: string;
}

/** CA1 */
export function partsOfBody(bytes: Buffer): BodyParts {
  const whole = {json: bytes, parameters: ''};
  if (firstByte(bytes) === undefined || !isForm(bytes) || !isUtf8(bytes)) return whole;
  const form = new URLSearchParams(bytes.toString('utf8'));
  const json = dataOfForm(form);
  form.delete('data');
  return json === undefined ? whole : {json, parameters: form.toString()};
}

/** JSON in the parameter `data`; undefined: there is none. */
export function dataOfForm(form: URLSearchParams): Buffer | undefined {
  const text = form.get('data');
  if (text === null) return undefined;
  const isJson = /^\s*[{[]/.test(text);
  // A plus sign that was not encoded came out as a space.
  return Buffer.from(isJson ? text : text.replaceAll(' ', '+'), isJson ? 'utf8' : 'base64');
}

/** Names of the fields of JSON that is an object; of any other, none. */
export function fieldNames(json: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  if (!isUtf8(json)) return names;
  const members = new ObjectMembers(json);
  members.takeAll((name) => {
    names.add(name);
    members.takeRaw();
    return names.size <= objectKeysMax;
  });
  return names;
}

/** The calls in JSON. An object without a list in the field `listName` is one call. */
export function callsOf(json: Buffer, listName: string | undefined): BatchBody | NoBatchBody {
  const first = firstByte(json);
  if (first === token.openBracket) return readListBody(json);
  if (listName === undefined) return first === token.openBrace ? oneCall(json) : {kind: 'not_json'};
  const body = readBatchBody(json, listName);
  return body.kind === 'body' && body.events === undefined ? oneCall(json) : body;
}

const oneCall = (json: Buffer): BatchBody => ({kind: 'body', events: [json], fields: new Map()});

const firstByte = (bytes: Buffer): number | undefined => new ObjectMembers(bytes).peek();

const formHead = /^[\w%.~-]+=/;
const headBytesMax = 128;

const isForm = (bytes: Buffer): boolean => formHead.test(bytes.toString('latin1', 0, headBytesMax));

// Fields of a JSON body by their schema, for routes with rare requests that name the field at fault.
import type {z} from 'zod';
import {jsonFault} from '../../ingest/json-fault.js';
import {parseJson} from '../../ingest/json-text.js';
import {isJsonObject} from '../../ingest/validate.js';
import {type Failure, invalidRequest, RequestFailure} from '../failure.js';
import {invalidJson, noObject} from './track.js';

/** @throws RequestFailure */
export function readObject(bytes: Buffer): Record<string, unknown> {
  const body = parseJson(bytes);
  if (body === undefined) throw new RequestFailure(invalidJson(jsonFault(bytes)));
  if (!isJsonObject(body)) throw new RequestFailure(noObject);
  return body;
}

/** @throws RequestFailure that names the field at fault. */
export function readFields<Form extends z.ZodType>(form: Form, body: object): z.infer<Form> {
  const read = form.safeParse(body);
  if (!read.success) throw new RequestFailure(refusalOf(read.error.issues[0]!));
  return read.data;
}

/** The same of a creation: `null` is as if an optional member were absent. @throws RequestFailure */
export function readNewFields<Form extends z.ZodType>(form: Form, body: object): z.infer<Form> {
  const issues = form.safeParse(body).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const given = Object.entries(body).filter(([field, value]) => value !== null || unknown.includes(field));
  return readFields(form, Object.fromEntries(given));
}

function refusalOf(issue: z.core.$ZodIssue): Failure {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return invalidRequest('there is no such field', [...path, issue.keys[0]].join('.'));
  return invalidRequest(issue.message, path.length === 0 ? undefined : path.join('.'));
}

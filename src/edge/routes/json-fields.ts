// Fields of a JSON body by their schema, for routes with rare requests that name the field at fault.
import type {z} from 'zod';
import {jsonFault} from '../../ingest/json-fault.js';
import {parseJson} from '../../ingest/json-text.js';
import {isJsonObject} from '../../ingest/validate.js';
import {type Failure, invalidRequest, RequestFailure} from '../failure.js';
import {innermost, refusalOf as pointedRefusal} from '../query/read-question.js';
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

/** The same, of a form whose errors complete a sentence (asks/question/members.ts ME1). */
export function readMembers<Form extends z.ZodType>(form: Form, body: object): z.infer<Form> {
  const read = form.safeParse(body);
  if (read.success) return read.data;
  const {path, code, message, ...issue} = innermost(read.error.issues, body);
  const member = [...path, ...('keys' in issue ? [issue.keys[0]!] : [])].join('.');
  throw new RequestFailure(
    invalidRequest(`${member} ${code === 'unrecognized_keys' ? '' : 'must be '}${message}`, member),
  );
}

/** Members that have questions. */
const withQuestions: readonly PropertyKey[] = ['questions', 'tiles'];

/** As `readFields`; a refusal of what is in a question has its JSON pointer. @throws RequestFailure */
export function readQuestions<Form extends z.ZodType>(form: Form, body: object): z.infer<Form> {
  const read = form.safeParse(body);
  if (read.success) return read.data;
  const issue = innermost(read.error.issues, body);
  const [field, ...inner] = issue.path;
  const isInQuestion = field === 'question' || (inner.length > 0 && withQuestions.includes(field!));
  throw isInQuestion ? pointedRefusal(issue, body, '') : new RequestFailure(refusalOf(read.error.issues[0]!));
}

/**
 * As `readQuestions`. `inQuestion`: members that are in the question, and the question that has them right.
 * @throws RequestFailure
 */
export function readQuestion<Form extends z.ZodType>(
  form: Form,
  body: object,
  inQuestion: Readonly<Record<string, string>>,
): z.infer<Form> {
  const field = Object.keys(body).find((one) => Object.hasOwn(inQuestion, one));
  if (field === undefined) return readQuestions(form, body);
  const message = `${field} is in the question: "question": ${inQuestion[field]}`;
  throw new RequestFailure(invalidRequest(message, field));
}

/** Members of a creation: `null` is as if an optional one were absent. */
export function withoutNull(form: z.ZodType, body: object): object {
  const issues = form.safeParse(body).error?.issues ?? [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const given = Object.entries(body).filter(([field, value]) => value !== null || unknown.includes(field));
  return Object.fromEntries(given);
}

function refusalOf(issue: z.core.$ZodIssue): Failure {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return invalidRequest('there is no such field', [...path, issue.keys[0]].join('.'));
  return invalidRequest(issue.message, path.length === 0 ? undefined : path.join('.'));
}

// Annotations of charts: listed, made, deleted. Everybody who may annotate may delete all of them.
import {z} from 'zod';
import {isoText} from '../../../actors/calendar.js';
import {parseTimestamp} from '../../../actors/log/timestamp.js';
import {type Annotation, annotationCharsMax, annotationsMax, annotationsOf} from '../../effects/annotation.js';
import {isName} from '../../ingest/validate.js';
import {type Failure, invalidRequest, RequestFailure, unavailable} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {noParameters, readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {authorOf} from '../routes/author.js';
import {readFields, readObject} from '../routes/json-fields.js';
import {keyForm} from '../routes/keys.js';
import {removeDefinition} from '../routes/removed-definition.js';
import {storedChange} from '../routes/stored-change.js';
import type {AnnotationAnswer, AnnotationsAnswer} from './answers/annotations.js';

export const annotationBodyBytesMax = 4 * 1024;

const atRule = 'at must be a date such as 2026-11-03, or a moment in UTC such as 2026-11-03T10:00Z';
const atPattern = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/;
const textRule = `text must be 1 to ${annotationCharsMax} characters, none of them a control character`;

const newAnnotation = z.strictObject({
  at: z
    .string(atRule)
    .regex(atPattern, atRule)
    .refine((at) => Number.isFinite(parseTimestamp(at)), atRule),
  text: z.string(textRule).refine((text) => isName(text) && [...text].length <= annotationCharsMax, textRule),
});

const unknownAnnotation: Failure = {code: 'not_found', message: 'no such annotation'};
const tooMany = invalidRequest(`there are ${annotationsMax} annotations: delete one first`);
const outcomeUnknown = unavailable(
  'the store of annotations does not respond: the change may or may not have been made, list them to see',
);

/** Newest first, by what they are about. */
export const listAnnotations: Handle = ({hooks}, exchange) => {
  readQuery(exchange.query, noParameters);
  const newest = annotationsOf(hooks)
    .list()
    .reverse()
    .sort((a, b) => parseTimestamp(b.at) - parseTimestamp(a.at));
  const answer: AnnotationsAnswer = {annotations: newest.map(shown)};
  exchange.json('200 OK', JSON.stringify(answer));
};

export async function annotate(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const fields = readFields(newAnnotation, body);
  const annotations = annotationsOf(front.hooks);
  if (annotations.list().length >= annotationsMax) throw new RequestFailure(tooMany);
  const author = authorOf(front, exchange);
  const createdBy = exchange.session!.name;
  const made = await storedChange(front, outcomeUnknown, () => annotations.create({...fields, createdBy}));
  front.audit.defined('annotation.created', author, made.id);
  exchange.json('201 Created', JSON.stringify(shown(made)));
}

export const deleteAnnotation: Handle = async (front, exchange) => {
  const {id} = readQuery(exchange.query, keyForm);
  await removeDefinition(front, exchange, annotationsOf(front.hooks), id, {
    what: 'annotation.deleted',
    unknown: unknownAnnotation,
    outcomeUnknown,
  });
  exchange.json('200 OK', JSON.stringify({status: 'deleted', id}));
};

const shown = ({id, at, text, createdMs, createdBy}: Annotation): AnnotationAnswer => ({
  id,
  at,
  text,
  created_at: isoText(createdMs),
  created_by: createdBy,
});

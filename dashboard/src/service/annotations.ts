// The annotations of the service as this browser last read them.
import {signal} from '@preact/signals';
import type {AnnotationAnswer} from '../../../src/edge/answers/annotations.js';
import {type Answer, change, type Fault, type Listed, read} from './client';
import {publication} from './publication';
import {takeBegun} from './start';

const begun = takeBegun('annotations');

/** Newest first, by what they are about. Undefined before the first answer. */
export const annotations = signal<readonly AnnotationAnswer[] | undefined>(begun);
export const annotationsFault = signal<Fault | undefined>(undefined);

/** Round of publications in which they were read. */
let readIn = begun && publication.peek();

export async function readAnnotations(): Promise<void> {
  const answer = await read<Listed<AnnotationAnswer>>('v1/annotations');
  annotationsFault.value = answer.kind === 'fault' ? answer.fault : undefined;
  if (answer.kind === 'fault') return;
  annotations.value = answer.value.data;
  readIn = publication.peek();
}

/** Reads them once in each round of publications. */
export function renewAnnotations(): void {
  if (readIn !== publication.peek()) void readAnnotations();
}

export async function annotate(at: string, text: string): Promise<Answer<AnnotationAnswer>> {
  const answer = await change<AnnotationAnswer>('POST', 'v1/annotations', {at, text});
  if (answer.kind === 'value') await readAnnotations();
  return answer;
}

export async function deleteAnnotation(id: string): Promise<Answer<unknown>> {
  const answer = await change('DELETE', `v1/annotations/${id}`);
  // Another person deleted it first: the result is the same.
  if (answer.kind === 'value' || answer.fault.code === 'not_found')
    annotations.value = (annotations.value ?? []).filter((one) => one.id !== id);
  return answer;
}

// The annotations of the service as this browser last read them.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {AnnotationAnswer} from '../../../src/edge/answers/annotations.js';
import {marksOf} from '../charts/annotated';
import {drawMarks} from '../charts/mark-drawing';
import {type Answer, change, type Fault, type Listed, read} from './client';
import {marker} from './marks';
import {publication} from './publication';

/** Newest first, by what they are about. Undefined before the first answer. */
export const annotations = signal<readonly AnnotationAnswer[] | undefined>(undefined);
export const annotationsFault = signal<Fault | undefined>(undefined);

function take(known: readonly AnnotationAnswer[]): void {
  annotations.value = known;
  marker.value = (times, lastDay, zone) => {
    const at = marksOf(known, times, (lastDay + 1) * 86_400, zone);
    return {at, draw: (plot, widthOf) => drawMarks(plot, at, widthOf)};
  };
}

export async function readAnnotations(): Promise<void> {
  const answer = await read<Listed<AnnotationAnswer>>('v1/annotations');
  annotationsFault.value = answer.kind === 'fault' ? answer.fault : undefined;
  if (answer.kind === 'value') take(answer.value.data);
}

/** Reads them, and again with each publication, as reports do. */
export function useAnnotations(): void {
  const round = publication.value;
  useEffect(() => void readAnnotations(), [round]);
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
    take((annotations.value ?? []).filter((one) => one.id !== id));
  return answer;
}

// What a page begins with beside its session, in the same answer: the state of the service, the boards, the annotations
// and the names of the segments.
import type {SegmentAnswer} from '../answers/segments.js';
import type {Front} from '../front.js';
import {annotations} from '../resources/annotations.js';
import {boards} from '../resources/boards.js';
import {segments} from '../resources/segments.js';
import type {SessionAnswer, StartAnswer} from './answers/session.js';
import {stateOf} from './state.js';

export async function startOf(front: Front): Promise<Omit<StartAnswer, keyof SessionAnswer>> {
  const [state, boardList, annotationList, segmentList] = await Promise.all([
    stateOf(front),
    boards.all(front),
    annotations.all(front),
    segments.all(front),
  ]);
  return {
    state,
    boards: boardList,
    annotations: annotationList,
    segments: (segmentList as readonly SegmentAnswer[]).map(({id, name}) => ({id, name})),
  } as Omit<StartAnswer, keyof SessionAnswer>;
}

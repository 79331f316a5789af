// What a page begins with beside its session, in the same answer: the state of the service, the boards and the annotations.
import type {Front} from '../front.js';
import {annotations} from '../resources/annotations.js';
import {boards} from '../resources/boards.js';
import type {SessionAnswer, StartAnswer} from './answers/session.js';
import {stateOf} from './state.js';

export async function startOf(front: Front): Promise<Omit<StartAnswer, keyof SessionAnswer>> {
  const [state, boardList, annotationList] = await Promise.all([
    stateOf(front),
    boards.all(front),
    annotations.all(front),
  ]);
  return {state, boards: boardList, annotations: annotationList} as Omit<StartAnswer, keyof SessionAnswer>;
}

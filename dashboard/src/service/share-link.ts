// The data of a link: one request answers all questions of its page, and is made again when newer numbers are due.
//   LK1. A report that was shown stays while the service does not answer. One that is not shared any more goes at once.

import {effect, signal} from '@preact/signals';
import {addressOf, type View} from '../../../src/asks/address.js';
import type {
  SharedAnswer,
  SharedBoardAnswer,
  SharedReportAnswer,
} from '../../../src/edge/dashboard/answers/shared-report.js';
import {isShared, sharePath} from '../address/base';
import {homeZone} from '../address/zone';
import {type Answer, ask, type Fault, taken} from './client';
import {freshnessOf, oldest} from './freshness';
import {expectPublication, publication} from './publication';
import type {QuestionAnswer, QuestionAnswers} from './question-batches';
import {type Shared, type SharedTile, shared} from './shared';
import {sharedAnswer} from './shared-answer';

/** Why there is nothing to show. */
export const shareFault = signal<Fault | undefined>(undefined);

type LinkAnswer = SharedReportAnswer | SharedBoardAnswer;
let newest: Promise<Answer<LinkAnswer>>;

async function request(): Promise<Answer<LinkAnswer>> {
  const response = await ask(`shares/${location.pathname.slice(sharePath.length)}`, {});
  return response instanceof Response ? taken<LinkAnswer>(response) : response;
}

export function readShare(): void {
  newest = request();
  const own = newest;
  void own.then((answer) => {
    if (own === newest) take(answer);
  });
}

function take(answer: Answer<LinkAnswer>): void {
  if (answer.kind === 'fault') {
    shareFault.value = answer.fault;
    if (answer.fault.code === 'not_found') shared.value = undefined; // LK1
    return;
  }
  const {name, at} = answer.value;
  const fresh = oldest(answersIn(answer.value).map((one) => ('meta' in one ? freshnessOf(one.meta) : undefined)));
  shareFault.value = undefined;
  if (fresh !== undefined) expectPublication(fresh.nextByMs);
  shared.value = {name, shown: shownIn(answer.value), atMs: Date.parse(at), asOfMs: fresh?.asOfMs, answersTo};
}

const addressIn = (answers: readonly SharedAnswer[], view: View | undefined) =>
  addressOf({questions: answers.map(({question}) => question), view}, homeZone());

function shownIn(link: LinkAnswer): Shared['shown'] {
  if (!('tiles' in link)) return addressIn(link.answers, link.view);
  return {
    tiles: link.tiles.map((tile): SharedTile => {
      if (tile.text !== undefined) return tile;
      const {answers, view, ...placed} = tile;
      return {...placed, ...addressIn(answers, view)};
    }),
  };
}

const answersIn = (link: LinkAnswer): readonly SharedAnswer[] =>
  'tiles' in link ? link.tiles.flatMap((tile) => (tile.text === undefined ? tile.answers : [])) : link.answers;

const notShared: Fault = {code: 'not_shared', message: 'the link does not show this', status: 0};

async function answersTo(keys: readonly string[]): Promise<QuestionAnswers> {
  const answer = await newest;
  const answerOf = (key: string): QuestionAnswer => {
    if (answer.kind === 'fault') return answer;
    const found = sharedAnswer({at: answer.value.at, answers: answersIn(answer.value)}, key);
    if (found === undefined) return {kind: 'fault', fault: notShared};
    if ('error' in found) return {kind: 'fault', fault: {...found.error, status: found.status}};
    return {kind: 'value', ...found};
  };
  return new Map(keys.map((key) => [key, answerOf(key)]));
}

// This script is part of one that pages load, too.
if (isShared)
  effect(() => {
    publication.value;
    readShare();
  });

// The numbers of a report for a digest, asked by the process that sends it.
import {throwBroken} from '../../../actors/invariant.js';
import {alertsCaller, ofService} from '../../asks/asker.js';
import type {FiguresAnswer, FiguresQuestion} from '../../asks/figures.js';
import {figuresOf} from '../../digests/figures.js';
import {RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import {answersOf} from './shared-report.js';

/** Like the report of a link: what is hidden from lists is in no digest. Rejects only for a broken invariant. */
export async function figuresFor(front: Front, {question, untilMs}: FiguresQuestion): Promise<FiguresAnswer> {
  try {
    const {answers} = await answersOf(front, {questions: [question]}, {...ofService, caller: alertsCaller});
    const [one] = answers as [(typeof answers)[number]];
    if ('error' in one) return {kind: one.status === 400 ? 'refused' : 'later', message: one.error.message};
    if (Date.parse(one.meta.as_of) < untilMs)
      return {kind: 'later', message: 'the reports are older than the question'};
    return {kind: 'figures', figures: figuresOf(question, one.answer, one.previous)};
  } catch (error) {
    throwBroken(error);
    const isRefused = error instanceof RequestFailure && error.failure.code === 'invalid_request';
    return {kind: isRefused ? 'refused' : 'later', message: (error as Error).message};
  }
}

// The question of a report in words, for those who see no form.
import {activeQuestionForm} from '../address/active-address';
import {type Form, type QuestionOf, readAddress} from '../address/codec';
import {type Condition, conditionText} from '../address/conditions';
import {lifecycleForm, pathsForm, retentionForm} from '../address/engagement-address';
import {funnelForm, stepLabel, stepsOf} from '../address/funnel-address';
import {daysOf, type Range} from '../address/range';
import {divisorIn, labelsOf, seriesOf, type TrendsQuestion, trendsForm} from '../address/trends-address';
import {windowText} from '../address/window-text';
import {datesText, rangeName} from '../charts/format';
import {todayIn} from '../shell/zone-day';

/** Part of the question and its words; an empty text is left out. */
type Row = readonly [what: string, text: string];

const and = (conditions: readonly Condition[]): string => conditions.map(conditionText).join(' and ');
const byText = (by: string | null): string => (by ?? '').replace(/^trait:/, 'trait ');
const users = (conditions: readonly Condition[]): Row => ['Of users whose', and(conditions)];
const once = 'Each event counts once, however often it was sent with its messageId.';
const people = 'A device that is known to be a user counts as that user.';

const reading =
  <F extends Form & {readonly zone: Form[string]; readonly range: Form[string]}>(
    form: F,
    rows: (question: QuestionOf<F>) => readonly Row[],
  ) =>
  (search: string): readonly Row[] => {
    const {question} = readAddress(form, search);
    return [...rows(question), ['Days', daysText(question.range as Range, question.zone as string)]];
  };

function dividedBy(question: TrendsQuestion): string {
  const labels = labelsOf(seriesOf(question));
  return labels[divisorIn(question, labels) ?? -1] ?? '';
}

function daysText(range: Range, zone: string): string {
  const today = todayIn(zone);
  const dates = datesText(daysOf(range, today), today);
  const name = rangeName(range);
  return `${name === undefined || name === dates ? dates : `${name}, ${dates}`} (${zone})`;
}

const rowsOf: Readonly<Record<string, (search: string) => readonly Row[]>> = {
  '/trends': reading(trendsForm, (question) => [
    ['Counted', labelsOf(seriesOf(question)).join('; ')],
    ['Divided by', dividedBy(question)],
    users(question.user_where),
    ['By the values of', byText(question.by)],
    ['How', `${once} ${people}`],
  ]),
  '/funnels': reading(funnelForm, (question) => [
    ['Steps', stepsOf(question).map(stepLabel).join(', then ')],
    users(question.user_where),
    ['Within', question.window === null ? '' : `${windowText(question.window)} of the first step`],
    ['Ended by', question.exclude.map(({event}) => event).join(', ')],
    ['With the same', question.hold ?? ''],
    ['By the values of', byText(question.by)],
    ['How', people],
  ]),
  '/retention': reading(retentionForm, (question) => [
    ['Began with', [question.start ?? '', ...question.start_where.map(conditionText)].join(', ')],
    ['Returned with', [question.return ?? 'any event', ...question.return_where.map(conditionText)].join(', ')],
    users(question.user_where),
    ['How', people],
  ]),
  '/lifecycle': reading(lifecycleForm, (question) => [
    ['Active with', [question.event ?? 'any event', ...question.where.map(conditionText)].join(', ')],
    users(question.user_where),
    ['How', people],
  ]),
  '/paths': reading(pathsForm, (question) => [
    [question.direction === 'after' ? 'After' : 'Before', question.event ?? ''],
    ['Of events whose', and(question.where)],
    users(question.user_where),
    ['How', people],
  ]),
  '/active': reading(activeQuestionForm, (question) => [
    ['Active with', [question.event ?? 'any event', ...question.where.map(conditionText)].join(', ')],
    users(question.user_where),
    ['By the values of', byText(question.by)],
    ['How', people],
  ]),
};

export const questionWords = (page: string, search: string): readonly Row[] =>
  (rowsOf[page]?.(search) ?? []).filter(([, text]) => text !== '');

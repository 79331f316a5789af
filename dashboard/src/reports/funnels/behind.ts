// A number of a funnel: who reached a step, or did not, in all or in one row of a breakdown.
import {fitting} from '../../../../src/asks/address.js';
import {askedOver, ofUsers} from '../../address/page-question.js';
import type {Span} from '../../address/report-address.js';
import {count, windowText} from '../../charts/format.js';
import {type Explanation, type NamedRow, ofUsersText, rowPoint, zoneOf} from '../../explained/explanation.js';
import type {Freshness} from '../../service/freshness.js';
import {type FunnelDraft, type Outcome, stepLabel} from './funnel-question.js';

interface FunnelNumber {
  readonly value: number;
  readonly question: FunnelDraft;
  readonly span: Span;
  /** From 1. */
  readonly step: number;
  readonly outcome: Outcome;
  /** Row of the breakdown, and its name; absent: all users. */
  readonly row?: {readonly is: NamedRow; readonly name: string} | undefined;
  /** The days in words. */
  readonly when: string;
  readonly freshness: Freshness | undefined;
}

export function funnelBehind(number: FunnelNumber): Explanation {
  const {value, question, span, step, outcome, row, freshness} = number;
  const did = outcome === 'reached' ? 'reached' : 'did not get to';
  return {
    title: `${count(value)} ${did} step ${step}${row === undefined ? '' : `: ${row.name}`}`,
    how: sentences(number),
    people: {question: askedOver(question, span), point: {step, outcome, ...rowPoint(row?.is)}},
    freshness,
  };
}

const orderWords = {
  sequential: 'one after the other, with other events between',
  strict: 'one after the other, with no other event between',
  any: 'in any order',
} as const;

function sentences({question, span, step, outcome, row, when}: FunnelNumber): string[] {
  const {order, window, exclude = [], hold, in_range: inRange} = fitting(question);
  const steps = question.steps.map(stepLabel);
  const unit = hold === undefined ? 'users' : `users, once for each value of ${hold}`;
  const names = order === 'any' ? `${step} of ${steps.join(', ')}` : steps.slice(0, step).join(', then ');
  const inOrder = step === 1 && order !== 'any' ? '' : `, ${orderWords[order ?? 'sequential']}`;
  const within = window === undefined ? '' : ` within ${windowText(window)} of the first`;
  const of = ofUsersText(ofUsers(question));
  const whose = of === '' ? '' : ` Only${of.slice(1)}.`;
  const without = exclude.map(
    ({between, ...one}) =>
      `An event ${stepLabel(one)} between ${between === undefined ? 'two steps' : `steps ${between[0]} and ${between[1]}`} ends the attempt.`,
  );
  const days = inRange === undefined ? 'Every step lies' : 'The first step lies';
  const first =
    outcome === 'reached'
      ? `Different ${unit} who did ${names}${inOrder}${step === 1 ? '' : within}.`
      : `Different ${unit} who came as far as step ${step - 1}, and no further${within}. They would have gone on with ${order === 'any' ? 'another step' : steps[step - 1]}.`;
  return [
    first,
    `${days} in ${when} (${zoneOf(span)}). Each counts once, with the path that gets furthest.${whose}`,
    ...without,
    ...(row === undefined ? [] : [rowSentence(fitting(question), row.name)]),
  ];
}

/** The path is chosen first, then the value of its events is read. */
function rowSentence({breakdown: [entry] = []}: FunnelDraft, name: string): string {
  const {property, trait, at} = entry!;
  if (trait !== undefined) return `Only users whose trait ${trait} is ${name} now.`;
  const where =
    at === 'first' || at === 'last' ? `the ${at} event of the path that has any` : `step ${at ?? 1} of the path`;
  return `Only those whose ${property} is ${name} at ${where}.`;
}

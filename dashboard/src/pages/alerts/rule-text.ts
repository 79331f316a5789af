// The rule of an alert in words.
import type {AlertAnswer} from '../../../../src/edge/answers/alerts.js';
import {conditionText} from '../../address/conditions.js';
import {count, duration, percent} from '../../charts/format.js';
import {deedWords, fieldsIn} from '../../reports/watched-question.js';
import {segmentName} from '../../service/known-segments.js';
import {type FunnelNames, lagWords} from './alert-words.js';

/** `at least 10 "signup" events in 1 h, if plan eq pro` */
export function ruleText(alert: AlertAnswer, funnels: FunnelNames): string {
  const {kind, question = {report: 'counts'}, minutes = 0, gte, lte} = alert;
  const {event, counts, where, user_where: userWhere, segment} = fieldsIn(question);
  const conditions = [
    ...where.map(conditionText),
    ...(segment === null ? [] : [`user is in ${segmentName(segment)}`]),
    ...[...userWhere.map(conditionText), ...deedWords(question)].map((one) => `user ${one}`),
  ];
  const only = conditions.length === 0 ? '' : `, if ${conditions.join(' and ')}`;
  const events = event === null ? 'events' : `"${event}" events`;
  switch (kind) {
    case 'threshold': {
      const bound = gte === undefined ? `at most ${count(lte!)}` : `at least ${count(gte)}`;
      return `${bound} ${counts === 'users' ? `users with ${events}` : events} in ${duration(minutes * 60)}${only}`;
    }
    case 'absence':
      return `no ${events} for ${duration(minutes * 60)}${only}`;
    case 'funnel_drop':
      return `conversion of ${funnels.get(alert.funnel!) ?? alert.funnel} over ${alert.days} days ${boundsText(alert)}${enteredText(alert)}`;
    case 'stalled':
      return `who reaches step ${alert.step} of ${funnels.get(alert.funnel!) ?? alert.funnel} and not the next one in ${duration(minutes * 60)}`;
    case 'lag':
      return `${lagWords[alert.lag!]} late by more than ${duration(alert.seconds!)}`;
  }
}

const boundsText = ({below, lower_by_percent: lowerBy}: AlertAnswer): string =>
  [
    ...(below === undefined ? [] : [`below ${percent(below)}`]),
    ...(lowerBy === undefined ? [] : [`lower by ${lowerBy}\u2009% than before`]),
  ].join(' or ');

const enteredText = ({min_entered: users = 1}: AlertAnswer): string =>
  users === 1 ? '' : `, with ${count(users)} users or more`;

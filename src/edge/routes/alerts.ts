// POST /v1/alerts/preview: what an alert would have said over the last 30 days. src/edge/resources/alerts.ts has the alerts.
import {isoText} from '../../../actors/calendar.js';
import type {Rule} from '../../alerts/definition.js';
import {firingsListedMax, previewQuestions} from '../../alerts/preview.js';
import type {ReportRule} from '../../alerts/rule-questions.js';
import type {Asker} from '../../asks/asker.js';
import {zoneNameIn} from '../../asks/question/times.js';
import type {ReportQuery} from '../../asks/report.js';
import {type SavedFunnel, savedFunnelsOf} from '../../kept/saved-funnel.js';
import {segmentsOf} from '../../kept/segment.js';
import type {AlertPreviewAnswer} from '../answers/alerts.js';
import {invalidRequest, RequestFailure} from '../failure.js';
import type {Front} from '../front.js';
import type {Exchange} from '../http/exchange.js';
import {askerOf} from '../query/asker-of.js';
import {noParameters, readQuery} from '../query/query.js';
import {pointing} from '../query/read-question.js';
import {userFilterOf} from '../query/user-filter.js';
import {previewBody, readAlert, ruleOf} from './alert-body.js';
import {readObject} from './json-fields.js';
import {reportIn} from './min-log-position.js';

/** The longest conditions, mostly escaped. */
export const alertBodyBytesMax = 256 * 1024;

export async function previewAlert(front: Front, exchange: Exchange, bytes: Buffer): Promise<void> {
  const body = readObject(bytes);
  readQuery(exchange.query, noParameters);
  const asked = readAlert(previewBody, body);
  const {for: held = 1, repeat_minutes: repeatMinutes} = asked;
  const rule = ruleOf(asked, zoneNameIn(front)) as ReportRule;
  const alert = {rule, for: held, ...(repeatMinutes === undefined ? {} : {repeatMinutes})};
  const asker = askerOf(exchange);
  const {asOfMs, refreshMs} = await freshness(front, asker);
  const segments = segmentsOf(front.kept.store);
  const context = {funnel: checkRule(front, rule), segmentOf: (id: string) => segments.get(id)};
  const {questions, previewOf} = previewQuestions(alert, asOfMs, refreshMs, context);
  const bodies: unknown[] = [];
  for (const query of questions) bodies.push(await ask(front, query, asker).then(({body: text}) => JSON.parse(text!)));
  const preview = previewOf(bodies);
  const answer: AlertPreviewAnswer = {
    from: isoText(preview.fromMs),
    to: isoText(preview.toMs),
    step_minutes: preview.stepMs / 60_000,
    fired: preview.firings.length,
    messages: preview.messages,
    firings: preview.firings
      .slice(-firingsListedMax)
      .reverse()
      .map(({fromMs, untilMs, value, bound}) => ({
        from: isoText(fromMs),
        until: untilMs === undefined ? null : isoText(untilMs),
        value,
        bound,
      })),
  };
  exchange.json('200 OK', JSON.stringify(answer));
}

/** End of what the published reports include, and the period of publications. */
async function freshness(front: Front, asker: Asker): Promise<{asOfMs: number; refreshMs: number}> {
  const {headers} = await ask(front, {report: 'counts', events: [''], fromMs: 0, toMs: 0, interval: 'hour'}, asker);
  const asOfMs = Date.parse(headers['Report-As-Of']);
  return {asOfMs, refreshMs: Date.parse(headers['Report-Next-By']) - asOfMs};
}

const ask = async (front: Front, query: ReportQuery, asker: Asker) =>
  reportIn(await front.reads.asks.report({ask: 'report', query}, asker));

/** The saved funnel that the rule names; undefined for kinds without one. @throws RequestFailure for what there is not. */
export function checkRule(front: Front, rule: Rule): SavedFunnel | undefined {
  if ('question' in rule) pointing('/question', () => userFilterOf(rule.question, front));
  if (rule.kind !== 'funnel_drop' && rule.kind !== 'stalled') return undefined;
  const funnel = savedFunnelsOf(front.kept.store).get(rule.funnel);
  if (funnel === undefined)
    throw new RequestFailure(invalidRequest(`there is no saved funnel ${rule.funnel}`, 'funnel'));
  return funnel;
}

// Pinned active users: within 1, 7 and 30 days over time, or by the values of a property.

import type {ComponentChildren} from 'preact';
import {useMemo} from 'preact/hooks';
import {type ActiveQuestion, activeQuestionForm, activeUsersQuestion} from '../../address/active-address';
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {conditionText} from '../../address/conditions';
import type {Days} from '../../address/range';
import {metrics} from '../../address/report-address';
import {utc} from '../../address/zone';
import {datesText} from '../../charts/format';
import {today} from '../../service/today';
import {later} from '../../shell/later';
import {Lost} from '../lost';
import {type TileProps, useTile} from '../tile';
import {rowOf} from './active-behind';
import {type AskedActive, useDrawnActive} from './active-drawn';
import type {ByValueProps} from './by-value';
import {UsersCard} from './users-card';

const ByValue = later<ByValueProps>(() => import('./by-value').then(({ByValue: Part}) => Part));

/** `Active users of signup, plan is pro`. */
function titleOf({event, where, user_where: userWhere, by}: ActiveQuestion): string {
  const of = event === null ? '' : ` of ${event}`;
  const values = by === null ? '' : ` by ${by.replace(/^trait:/, '')}`;
  return [`Active users${of}${values}`, ...[...where, ...userWhere].map(conditionText)].join(', ');
}

export function PinnedActive(props: TileProps) {
  const {question, problems} = useMemo(() => readAddress(activeQuestionForm, props.search), [props.search]);
  const lost = <Lost problems={problems} />;
  const {by} = question;
  return by === null ? (
    <InAll {...props} question={question} lost={lost} />
  ) : (
    <OfValues {...props} question={question} by={by} lost={lost} />
  );
}

interface AskedProps extends TileProps {
  readonly question: ActiveQuestion;
  readonly lost: ComponentChildren;
}

const addressOf = (question: ActiveQuestion, {range}: TileProps): string =>
  pageAddress('/active') + writeAddress(activeQuestionForm, {...question, range});

function InAll({question, lost, ...tile}: AskedProps) {
  const {days, interval, past, tools, onRange, onFresh} = tile;
  const asksOf = (span: Days) => metrics.map((metric) => activeUsersQuestion(question, metric, span, interval));
  const asked: AskedActive = {
    question,
    days,
    dates: datesText(days, today.value),
    interval,
    past,
    what: '',
    zone: utc,
    asks: asksOf(days),
    pastAsks: past === undefined ? [] : asksOf(past),
  };
  const asking = useTile(onFresh, asked, [...asked.asks, ...asked.pastAsks]);
  const title = titleOf(question);
  return (
    <UsersCard
      title={title}
      address={addressOf(question, tile)}
      main={asking}
      until={undefined}
      drawn={useDrawnActive(asking.shown, asked)}
      height={250}
      today={today.value}
      tools={tools(title)}
      before={lost}
      onRange={(from, to) => onRange(Math.floor(from / 86_400), Math.floor(to / 86_400))}
    />
  );
}

function OfValues({question, by, lost, ...tile}: AskedProps & {readonly by: string}) {
  const {days, interval, tools, onFresh} = tile;
  const title = titleOf(question);
  const inZone = {...days, zone: utc};
  return (
    <ByValue
      title={title}
      address={addressOf(question, tile)}
      question={question}
      by={by}
      days={inZone}
      interval={interval}
      behind={rowOf({question, days: inZone, dates: datesText(days, today.value), interval, zone: utc})}
      tools={tools(title)}
      before={lost}
      onFresh={onFresh}
    />
  );
}

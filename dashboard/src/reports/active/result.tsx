// What Active users answers: the lines of the metrics, and on its page stickiness, the numbers and the values of a breakdown. A tile of
// a breakdown shows the values alone.

import {byOf, type Draft} from '../../address/page-question';
import {datesText} from '../../charts/format';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {later} from '../../shell/later';
import {ReportBody} from '../../shell/report-body';
import {type ResultProps, useFresh} from '../report';
import {type AskedActive, ofMetrics, useDrawnActive} from './active-drawn';
import {activeAsked, activeUntilQuestion} from './asked';
import type {ByValueProps} from './by-value';
import {countedHow} from './metrics';
import type {NumbersProps} from './numbers';
import type {StickinessCardProps} from './stickiness-card';
import {UsersCard} from './users-card';

// What the tile on Overview lacks is not loaded for it.
const ByValue = later<ByValueProps>(() => import('./by-value').then(({ByValue: Part}) => Part));
const Numbers = later<NumbersProps>(() => import('./numbers').then(({Numbers: Part}) => Part));
const StickinessCard = later<StickinessCardProps>(() =>
  import('./stickiness-card').then((part) => part.StickinessCard),
);

export function Result(props: ResultProps<Draft<'active'>>) {
  const by = byOf(props.question);
  return props.tile && by !== null ? <ByValue {...props} by={by} /> : <InAll {...props} by={by} />;
}

function InAll({by, ...props}: ResultProps<Draft<'active'>> & {readonly by: string | null}) {
  const {question, today, since, tile, tools, onRange} = props;
  const {events: [entry] = [], where = []} = question;
  const onDay = activeAsked(question, today, since);
  const {days, asks, pastAsks} = onDay;
  const what = `${entry?.event ?? 'event'}${where.length === 0 ? '' : ' that passes the filters'}`;
  const asked: AskedActive = {...onDay, question, dates: datesText(days, today), what, zone: days.zone};
  const main = useReports(asked, [...asks, ...pastAsks]);
  const {shown} = main;
  const asksUntil = tile ? undefined : activeUntilQuestion(question, onDay, today, shown?.freshness?.asOfMs);
  const until = useReports(undefined, asksUntil && [asksUntil]).shown;
  useFresh(props, oldest([shown?.freshness, until?.freshness]));
  const drawn = useDrawnActive(shown, asked);
  const {lines, chart, moment, interval} = drawn;
  return (
    <>
      <UsersCard main={main} until={until} drawn={drawn} today={today} tile={tile} tools={tools} onRange={onRange}>
        {!tile && (
          <p class="page-note under-chart">
            {countedHow[interval]} A user is active with at least one {shown?.question.what}. The users in all are each
            counted once for the whole range: they are not the sum of the points.
          </p>
        )}
      </UsersCard>
      {!tile && (shown === undefined || !drawn.isNobody) && (
        <>
          <StickinessCard main={main} drawn={drawn} />
          <Card span={5} title="In numbers" note={`by the ${interval}`}>
            <ReportBody asking={main} reports={ofMetrics(shown)}>
              {() => <Numbers lines={lines} shown={shown!} moment={(at) => moment(chart.times[at]!)} />}
            </ReportBody>
          </Card>
        </>
      )}
      {!tile && by !== null && <ByValue question={question} by={by} days={props.days} today={today} />}
    </>
  );
}

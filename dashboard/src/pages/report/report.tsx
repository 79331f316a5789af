// The page of a report: its head, the form of its question and its result.
import type {FunctionComponent} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {writeAddress} from '../../address/codec';
import {wallMs} from '../../address/zone';
import {datesText} from '../../charts/format';
import {useNames} from '../../controls/suggested-event';
import type {ReportEntry} from '../../reports/all';
import {type AnyQuestion, type AnyReport, type Asked, askedOf, isCompared} from '../../reports/report';
import {useFirstDay} from '../../service/first-day';
import type {Freshness} from '../../service/freshness';
import {useAddress} from '../../service/use-address';
import {AnnotationsButton} from '../../shell/annotations-button';
import {Card} from '../../shell/card';
import {EmptyDays} from '../../shell/empty-days';
import {PinButton} from '../../shell/pin-button';
import {ReportHead} from '../../shell/report-head';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import '../../design/builder.css';

export const reportPage =
  ({path, name}: ReportEntry, report: AnyReport): FunctionComponent =>
  () => <ReportPage path={path} name={name} report={report} />;

function ReportPage({path, name, report}: Pick<ReportEntry, 'path' | 'name'> & {readonly report: AnyReport}) {
  const {form, Fields, Result, Foot} = report;
  const {problems, ask, suggest, ...address} = useAddress(form);
  const question = address.question as AnyQuestion & typeof address.question;
  const [freshness, setFreshness] = useState<Freshness>();
  const [isCleared, setCleared] = useState(false);
  const {zone} = question;
  const isOverTime = isCompared(report);
  const asked = askedOf(question, todayIn(zone), useFirstDay(wallMs, zone, isOverTime));
  const {days, today, since} = asked;
  const interval = report.interval?.(question, days);
  const isAsked = report.isAsked(question);
  return (
    <>
      <ReportHead
        title={name}
        freshness={freshness}
        problems={problems}
        range={question.range}
        interval={interval}
        offered={report.offered}
        {...(isOverTime && {compare: question.compare, since})}
        place={{zone, today}}
        ask={ask}
      />
      <div class="builder">
        <div class="builder-forms">
          <Fields
            question={question}
            days={days}
            onChange={(changed) => {
              setCleared(!report.isAsked({...question, ...changed}));
              ask(changed);
            }}
          />
        </div>
        <div class="row builder-result">
          {isAsked ? (
            <Result
              {...asked}
              tools={
                <>
                  <PinButton page={path} search={writeAddress(form, question)} />
                  {isOverTime && <AnnotationsButton zone={zone} isHour={interval === 'hour'} />}
                </>
              }
              onRange={(range) => ask({range, every: null})}
              onFresh={setFreshness}
            />
          ) : (
            <Card span={12} title={name}>
              <Unasked {...{report, asked, isCleared, suggest}} />
            </Card>
          )}
          {Foot !== undefined && <Foot question={question} />}
        </div>
      </div>
    </>
  );
}

/** Stands in place of the result. Until somebody chooses, it asks what the report suggests. */
function Unasked({
  report,
  asked: {days, today},
  isCleared,
  suggest,
}: {
  readonly report: AnyReport;
  readonly asked: Asked<unknown>;
  /** Somebody took all of it away. */
  readonly isCleared: boolean;
  readonly suggest: (changed: object) => void;
}) {
  const names = useNames(isCleared ? undefined : days);
  const suggested = names.value && report.suggest?.(names.value.data.map(({name}) => name));
  useEffect(() => {
    if (!isCleared && suggested !== undefined) suggest(suggested);
  }, [isCleared, JSON.stringify(suggested)]);
  if (names.fault !== undefined) return <FaultBox fault={names.fault} onAgain={names.again} />;
  if (!isCleared && (names.value === undefined || suggested !== undefined)) return <Loading lines={8} />;
  const {title, text} = report.unasked ?? {title: 'No event in these days', text: () => 'Choose other days.'};
  return <EmptyDays title={title}>{text(datesText(days, today))}</EmptyDays>;
}

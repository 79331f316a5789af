// The page of a report: its head, the form of its question and its result.
import type {FunctionComponent} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import type {Times} from '../../address/page-question';
import {datesText} from '../../charts/format';
import {useNames} from '../../controls/suggested-event';
import type {ReportEntry} from '../../reports/all';
import {type AnyReport, type Asked, askedOf} from '../../reports/report';
import {useFirstDay} from '../../service/first-day';
import type {Freshness} from '../../service/freshness';
import {useCodec} from '../../service/use-address';
import {AnnotationsButton} from '../../shell/annotations-button';
import {Card} from '../../shell/card';
import {EmptyDays} from '../../shell/empty-days';
import {PinButton} from '../../shell/pin-button';
import {QuestionForm} from '../../shell/question';
import {ReportHead} from '../../shell/report-head';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';

export const reportPage =
  ({path, name}: Omit<ReportEntry, 'script'>, report: AnyReport): FunctionComponent =>
  () => <ReportPage path={path} name={name} report={report} />;

function ReportPage({path, name, report}: Pick<ReportEntry, 'path' | 'name'> & {readonly report: AnyReport}) {
  const {codec, isCompared: isOverTime, Fields, Result, Foot} = report;
  const {question, problems, ask, suggest} = useCodec(codec);
  const [freshness, setFreshness] = useState<Freshness>();
  const [isCleared, setCleared] = useState(false);
  const {range, zone, compare, not_segment: notSegment} = report.times(question);
  const asked = askedOf(report, question, todayIn(zone), useFirstDay(zone, isOverTime));
  const askOver = (times: Partial<Times>): void => ask(report.over(question, times));
  const {days, today, since} = asked;
  const interval = report.interval?.(question, days);
  const isAsked = report.isAsked(question);
  return (
    <>
      <ReportHead
        title={name}
        freshness={freshness}
        problems={problems}
        range={range}
        interval={interval}
        offered={report.offered}
        {...(isOverTime && {compare, since})}
        place={{zone, today}}
        notSegment={notSegment}
        ask={askOver}
      />
      <div class="builder">
        <QuestionForm
          words={isAsked ? lineOf(report, question) : 'Choose what is asked'}
          isOpenFirst={isCleared && !isAsked}
        >
          <Fields
            question={question}
            days={days}
            onChange={(changed) => {
              setCleared(!report.isAsked({...question, ...changed}));
              ask(changed);
            }}
          />
        </QuestionForm>
        <div class="row builder-result">
          {isAsked ? (
            <Result
              {...asked}
              tools={
                <>
                  <PinButton page={path} search={codec.write(question)} />
                  {isOverTime && <AnnotationsButton zone={zone} isHour={interval === 'hour'} />}
                </>
              }
              onRange={(drawn) => askOver({range: drawn, every: null})}
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

/** The question in one line. */
const lineOf = ({words}: AnyReport, question: object): string =>
  words(question)
    .slice(0, -1)
    .filter(([, text]) => text !== '')
    .map(([what, text], at) => `${at === 0 ? what : what.toLowerCase()} ${text}`)
    .join(', ');

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

// Funnels: users who did one step after another, and the steps at which they were lost.
import {useEffect, useState} from 'preact/hooks';
import type {FunnelAnswer, WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {isShared} from '../../address/base';
import {writeAddress} from '../../address/codec';
import {funnelForm, funnelQuestion, type Outcome, stepLabel, stepsOf, withSteps} from '../../address/funnel-address';
import {daysOf} from '../../address/range';
import {intervalOf} from '../../address/report-address';
import {datesText, percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import {useNames} from '../../controls/suggested-event';
import {suggestedSteps} from '../../controls/suggested-steps';
import {useReports} from '../../service/reports';
import {may} from '../../service/session';
import {useAddress} from '../../service/use-address';
import {Card} from '../../shell/card';
import type {EmptyDaysProps} from '../../shell/empty-days';
import {type Behind, explaining} from '../../shell/explained';
import {later} from '../../shell/later';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import type {PinProps} from '../../shell/pin-button';
import {Question} from '../../shell/question';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {FaultBox, Loading} from '../../shell/states';
import {todayIn} from '../../shell/zone-day';
import type {FunnelNoteProps} from './funnel-note';
import type {FunnelTimesProps} from './funnel-times';
import type {RulesFormProps} from './rules-form';
import type {SavedFunnelsProps} from './saved-funnels';
import {StepsForm} from './steps-form';
import type {VariantRow, VariantsProps} from './variants';
import '../../design/builder.css';
import './funnels.css';

const EmptyDays = later<EmptyDaysProps>(() => import('../../shell/empty-days').then(({EmptyDays: Part}) => Part));
const PinButton = later<PinProps>(() => import('../../shell/pin-button').then(({PinButton: Part}) => Part));
const FunnelNote = later<FunnelNoteProps>(() => import('./funnel-note').then(({FunnelNote: Part}) => Part));
const FunnelTimes = later<FunnelTimesProps>(() => import('./funnel-times').then(({FunnelTimes: Part}) => Part));
const SavedFunnels = later<SavedFunnelsProps>(() => import('./saved-funnels').then(({SavedFunnels: Part}) => Part));
const Variants = later<VariantsProps>(() => import('./variants').then(({Variants: Part}) => Part));

const RulesForm = later<RulesFormProps>(
  () => import('./rules-form').then(({RulesForm: Part}) => Part),
  <div class="card">
    <Loading lines={8} />
  </div>,
);

export function Funnels() {
  const {question, problems, ask, suggest} = useAddress(funnelForm);
  const [isCleared, setCleared] = useState(false);
  const {zone} = question;
  const place = {zone, today: todayIn(zone)};
  const days = {...daysOf(question.range, place.today), zone};
  const interval = intervalOf(question.every, days);
  const steps = stepsOf(question);
  const isChosen = steps.length > 0 || isCleared;
  const names = useNames(isChosen ? undefined : days);
  const suggested = suggestedSteps(names.value?.data.map(({name}) => name) ?? []);
  useEffect(() => {
    if (!isChosen && suggested.length > 0) suggest({step: suggested});
  }, [isChosen, suggested.join('\n')]);

  const asking = useReports(
    {question, days, dates: datesText(days, place.today)},
    steps.length === 0 ? undefined : [funnelQuestion(question, days)],
  );
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as FunnelAnswer | WalkedFunnelAnswer | undefined;
  const asked = shown?.question;
  const stepNames = asked?.question.order === 'any' ? undefined : asked && stepsOf(asked.question).map(stepLabel);
  const rows = answer !== undefined && 'breakdown' in answer ? answer.breakdown?.rows : undefined;
  const behind = (step: number, outcome: Outcome, row?: VariantRow, name = ''): Behind => {
    const one = (row ?? answer)!.steps[step - 1]!;
    const value = outcome === 'reached' ? one.count : one.drop_off;
    const {question: of, days: span, dates: when} = asked!;
    const freshness = shown?.freshness;
    return ({funnelBehind}) => {
      return funnelBehind({question: of, span, step, outcome, value, when, freshness, row: row && {is: row, name}});
    };
  };
  return (
    <>
      <ReportHead
        title="Funnels"
        freshness={shown?.freshness}
        problems={problems}
        range={question.range}
        {...(steps.length > 1 && {interval})}
        place={place}
        ask={({range, every}) => ask({...(range && {range}), ...(every === undefined ? {} : {every})})}
      />
      <div class="builder">
        <Question>
          <div class="builder-forms">
            <StepsForm
              steps={steps}
              days={days}
              onSteps={(changed) => {
                setCleared(changed.length === 0);
                ask(withSteps(changed));
              }}
            />
            <RulesForm question={question} days={days} onChange={ask} />
          </div>
        </Question>
        <div class="row builder-result">
          <Card
            span={12}
            title={asked === undefined || steps.length === 0 ? 'Funnel' : funnelTitle(asked.question.step)}
            note={asked === undefined || steps.length === 0 ? undefined : windowNote(asked.question.window)}
            sum={
              answer !== undefined &&
              steps.length > 1 && (
                <>
                  <b>{percent(answer.conversion_rate)}</b> convert
                </>
              )
            }
            tools={
              answer !== undefined &&
              steps.length > 0 && (
                <>
                  <CurlButton paths={[report!.path]} />
                  {steps.length > 1 && (
                    <PinButton page="/funnels" form={funnelForm} search={writeAddress(funnelForm, question)} />
                  )}
                  <CsvButton file="funnel" rows={() => funnelRows(answer)} />
                </>
              )
            }
          >
            {steps.length > 0 ? (
              <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
                {() => (
                  <>
                    <Funnel
                      steps={answer!.steps}
                      {...(stepNames && {names: stepNames})}
                      {...(!isShared && {
                        onWho: (step, outcome) => void (explaining.value = behind(step, outcome)),
                      })}
                    />
                    <FunnelNote answer={answer!} question={asked!.question} />
                  </>
                )}
              </ReportBody>
            ) : names.fault !== undefined ? (
              <FaultBox fault={names.fault} onAgain={names.again} />
            ) : isCleared || names.value !== undefined ? (
              <EmptyDays title="Choose the first step">
                A funnel counts the users who did one thing, then the next, {datesText(days, place.today)}. Other events
                may lie between; a user counts once.
              </EmptyDays>
            ) : (
              <Loading lines={8} />
            )}
          </Card>
          {rows !== undefined && steps.length > 0 && (
            <Card span={12} title={`By ${asked!.question.by}`} note="each value on the same scale">
              <Variants rows={rows} names={stepNames} behind={behind} />
            </Card>
          )}
          {steps.length > 1 && answer !== undefined && answer.total > 0 && (
            <FunnelTimes question={question} span={days} interval={interval} />
          )}
          {may('analyst') && <SavedFunnels question={question} />}
        </div>
      </div>
    </>
  );
}

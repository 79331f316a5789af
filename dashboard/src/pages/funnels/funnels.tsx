// Funnels: users who did one step after another, and the steps at which they were lost.
import type {FunnelAnswer} from '../../../../src/edge/answers.js';
import {writeAddress} from '../../address/codec';
import {funnelForm, funnelPath} from '../../address/funnel-address';
import {daysOf} from '../../address/range';
import {useAddress} from '../../address/use-address';
import {windowText} from '../../address/window-text';
import {count, datesText, percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import {useReports} from '../../service/reports';
import {Card} from '../../shell/card';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {PinButton} from '../../shell/pin-button';
import {ReportBody} from '../../shell/report-body';
import {ReportHead} from '../../shell/report-head';
import {Empty} from '../../shell/states';
import {today} from '../../shell/today';
import {StepsForm} from './steps-form';
import '../trends/trends.css';
import './funnels.css';

export function Funnels() {
  const {question, problems, ask} = useAddress(funnelForm);
  const days = daysOf(question.range, today.value);
  const {step: steps, window} = question;
  const path = funnelPath(question, days);
  const asking = useReports({days, window}, steps.length === 0 ? undefined : [path]);
  const {shown} = asking;
  const report = shown?.reports[0];
  const answer = report?.value as FunnelAnswer | undefined;
  const last = answer?.steps.at(-1);
  return (
    <>
      <ReportHead
        title="Funnels"
        freshness={shown?.freshness}
        problems={problems}
        range={question.range}
        ask={(changed) => ask(changed.range === undefined ? {} : {range: changed.range})}
      />
      <div class="builder">
        <StepsForm
          steps={steps}
          days={days}
          window={window}
          onSteps={(changed) => ask({step: changed})}
          onWindow={(changed) => ask({window: changed})}
        />
        <div class="row builder-result">
          <Card
            span={12}
            title={answer === undefined ? 'Funnel' : funnelTitle(answer)}
            note={shown === undefined || steps.length === 0 ? undefined : windowNote(shown.question.window)}
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
            {steps.length === 0 ? (
              <Empty title="Choose the first step">
                A funnel counts the users who did one thing, then the next, {datesText(days, today.value)}. Other events
                may lie between; a user counts once.
              </Empty>
            ) : (
              <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
                {() => (
                  <>
                    <Funnel steps={answer!.steps} />
                    <p class="page-note funnel-note">{sentence(answer!, last!.count, shown!.question.window)}</p>
                  </>
                )}
              </ReportBody>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

function sentence({steps, total}: FunnelAnswer, converted: number, window: string | null): string {
  if (total === 0) return `Nobody did ${steps[0]!.event} in these days.`;
  if (steps.length === 1) return 'Add a second step to see who goes on to it.';
  const within = window === null ? 'in these days' : `within ${windowText(window)} of the first step`;
  const rest =
    window === null
      ? 'All steps lie in these days: who entered late has had less time to convert.'
      : `All steps lie in these days: who entered less than ${windowText(window)} before their end may still convert.`;
  return `${count(converted)} of ${count(total)} users did all ${steps.length} steps in this order ${within}. ${rest}`;
}

// A pinned funnel.
import type {FunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {funnelForm, funnelQuestion, stepLabel, stepsOf} from '../../address/funnel-address';
import {datesText, percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import {today} from '../../service/today';
import {Card} from '../../shell/card';
import {explaining} from '../../shell/explained';
import {CsvButton, CurlButton} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {Lost, NoEventNamed} from '../lost';
import {type TileProps, useTile} from '../tile';

export function PinnedFunnel({search, range, days, tools, onFresh}: TileProps) {
  const asked = readAddress(funnelForm, search);
  const {step: steps, window} = asked.question;
  const asks = steps.length === 0 ? undefined : [funnelQuestion(asked.question, days)];
  const asking = useTile(onFresh, undefined, asks);
  const report = asking.shown?.reports[0];
  const answer = report?.value as FunnelAnswer | undefined;
  const title = steps.length === 0 ? 'Funnel' : funnelTitle(steps);
  const address = pageAddress('/funnels') + writeAddress(funnelForm, {...asked.question, range});
  return (
    <Card
      span={12}
      title={title}
      note={windowNote(window)}
      address={address}
      sum={
        answer !== undefined && (
          <>
            <b>{percent(answer.conversion_rate)}</b> convert
          </>
        )
      }
      tools={
        <>
          {answer !== undefined && (
            <>
              <CurlButton paths={[report!.path]} />
              <CsvButton file="funnel" rows={() => funnelRows(answer)} />
            </>
          )}
          {tools(title)}
        </>
      }
    >
      <Lost problems={asked.problems} />
      {steps.length === 0 ? (
        <NoEventNamed />
      ) : (
        <ReportBody asking={asking} reports={asking.shown?.reports ?? []} lines={8}>
          {() => (
            <Funnel
              steps={answer!.steps}
              {...(asked.question.order !== 'any' && {names: stepsOf(asked.question).map(stepLabel)})}
              onWho={(step, outcome) => {
                const one = answer!.steps[step - 1]!;
                const value = outcome === 'reached' ? one.count : one.drop_off;
                const when = datesText(days, today.peek());
                const {freshness} = asking.shown!;
                explaining.value = ({funnelBehind}) => {
                  return funnelBehind({question: asked.question, span: days, step, outcome, value, when, freshness});
                };
              }}
            />
          )}
        </ReportBody>
      )}
    </Card>
  );
}

// What Funnels answers: the lanes of the steps, and on its page the values of a breakdown and the times between the steps.
import type {FunnelAnswer, WalkedFunnelAnswer} from '../../../../src/edge/answers/funnels.js';
import {isShared} from '../../address/base';
import {askedOver, byOf} from '../../address/page-question';
import {intervalOf} from '../../address/report-address';
import {datesText, percent} from '../../charts/format';
import {Funnel} from '../../charts/funnel';
import {funnelRows, funnelTitle, windowNote} from '../../charts/funnel-words';
import {useReports} from '../../service/reports';
import {may} from '../../service/session';
import {Card} from '../../shell/card';
import {type Behind, explaining} from '../../shell/explained';
import {ReportTools} from '../../shell/page-tools';
import {ReportBody} from '../../shell/report-body';
import {type ResultProps, useFresh} from '../report';
import {funnelBehind} from './behind';
import {FunnelNote} from './funnel-note';
import {type FunnelDraft, type Outcome, stepLabel} from './funnel-question';
import {FunnelTimes} from './funnel-times';
import {SavedFunnels} from './saved-funnels';
import {type VariantRow, Variants} from './variants';
import './funnels.css';

export function Result(props: ResultProps<FunnelDraft>) {
  const {question, days, today, tile, tools} = props;
  const asking = useReports({question, days, dates: datesText(days, today)}, [askedOver(question, days)]);
  const {shown} = asking;
  useFresh(props, shown?.freshness);
  const report = shown?.reports[0];
  const answer = report?.value as FunnelAnswer | WalkedFunnelAnswer | undefined;
  const asked = shown?.question;
  const names = asked && asked.question.order !== 'any' ? asked.question.steps.map(stepLabel) : undefined;
  const rows = answer !== undefined && 'breakdown' in answer ? answer.breakdown?.rows : undefined;
  const behind = (step: number, outcome: Outcome, row?: VariantRow, name = ''): Behind => {
    const one = (row ?? answer)!.steps[step - 1]!;
    const value = outcome === 'reached' ? one.count : one.drop_off;
    const {question: of, days: span, dates: when} = asked!;
    const {freshness} = shown!;
    return () => funnelBehind({question: of, span, step, outcome, value, when, freshness, row: row && {is: row, name}});
  };
  const isOne = question.steps.length === 1;
  return (
    <>
      <Card
        span={12}
        title={tile?.title ?? (asked === undefined ? 'Funnel' : funnelTitle(asked.question.steps))}
        note={asked && windowNote(asked.question.window)}
        address={tile?.address}
        sum={
          answer !== undefined &&
          !isOne && (
            <>
              <b>{percent(answer.conversion_rate)}</b> convert
            </>
          )
        }
        tools={
          <>
            {tools}
            {answer !== undefined && (
              <ReportTools paths={[report!.path]} csv={{file: 'funnel', rows: () => funnelRows(answer)}} />
            )}
          </>
        }
      >
        {tile?.before}
        <ReportBody asking={asking} reports={shown?.reports ?? []} lines={8}>
          {() => (
            <>
              <Funnel
                steps={answer!.steps}
                {...(names && {names})}
                {...(!isShared && {onWho: (step, outcome) => void (explaining.value = behind(step, outcome))})}
              />
              {!tile && <FunnelNote answer={answer!} question={asked!.question} />}
            </>
          )}
        </ReportBody>
      </Card>
      {!tile && rows !== undefined && (
        <Card span={12} title={`By ${byOf(asked!.question)}`} note="each value on the same scale">
          <Variants rows={rows} names={names} behind={behind} />
        </Card>
      )}
      {!tile && !isOne && answer !== undefined && answer.total > 0 && (
        <FunnelTimes question={question} span={days} interval={intervalOf(question.view?.every ?? null, days)} />
      )}
    </>
  );
}

export const Foot = ({question}: {readonly question: FunnelDraft}) =>
  may('analyst') ? <SavedFunnels question={question} /> : null;

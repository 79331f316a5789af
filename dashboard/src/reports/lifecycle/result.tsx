// What Lifecycle answers: the stages, and on its page how often users came.
import {usualPeriod} from '../../../../src/asks/question/usual.js';
import {askedOver, type Draft, stickinessAsked} from '../../address/page-question';
import {datesText} from '../../charts/format';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {type ResultProps, useFresh} from '../report';
import {Often} from './often';
import {type LifecycleAsked, Stages} from './stages';

export function Result(props: ResultProps<Draft<'lifecycle'>>) {
  const {question, days, today, tile, tools} = props;
  const interval = question.interval ?? usualPeriod(days);
  const asked: LifecycleAsked = {question, days, dates: datesText(days, today), interval, zone: days.zone};
  const stages = useReports(asked, [askedOver(question, days, interval)]);
  const often = useReports(asked, tile ? undefined : [askedOver(stickinessAsked(question), days, interval)]);
  useFresh(props, oldest([stages.shown?.freshness, often.shown?.freshness]));
  return (
    <>
      <Stages asking={stages} tile={tile} tools={tools} />
      {!tile && <Often asking={often} name={question.events?.[0]?.event ?? 'any event'} />}
    </>
  );
}

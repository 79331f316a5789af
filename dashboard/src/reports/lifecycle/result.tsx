// What Lifecycle answers: the stages, and on its page how often users came.
import {
  type LifecycleQuestion,
  lifecycleQuestion,
  stickinessQuestion,
  usualPeriod,
} from '../../address/engagement-address';
import {datesText} from '../../charts/format';
import {oldest} from '../../service/freshness';
import {useReports} from '../../service/reports';
import {type ResultProps, useFresh} from '../report';
import {Often} from './often';
import {type LifecycleAsked, Stages} from './stages';

export function Result(props: ResultProps<LifecycleQuestion>) {
  const {question, days, today, tile, tools} = props;
  const interval = question.every ?? usualPeriod(days);
  const asked: LifecycleAsked = {question, days, dates: datesText(days, today), interval, zone: question.zone};
  const stages = useReports(asked, [lifecycleQuestion(question, days, interval)]);
  const often = useReports(asked, tile ? undefined : [stickinessQuestion(question, days, interval)]);
  useFresh(props, oldest([stages.shown?.freshness, often.shown?.freshness]));
  return (
    <>
      <Stages asking={stages} tile={tile} tools={tools} />
      {!tile && <Often asking={often} name={question.event ?? 'any event'} />}
    </>
  );
}

// A pinned lifecycle: its stages.
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {lifecycleForm, lifecycleQuestion, usualPeriod} from '../../address/engagement-address';
import {utc} from '../../address/zone';
import {datesText} from '../../charts/format';
import {today} from '../../service/today';
import {Lost} from '../lost';
import {type TileProps, useTile} from '../tile';
import {type LifecycleAsked, Stages} from './stages';

export function PinnedLifecycle({search, range, days, tools, onFresh}: TileProps) {
  const {question, problems} = readAddress(lifecycleForm, search);
  const interval = usualPeriod(days);
  const asked: LifecycleAsked = {question, days, dates: datesText(days, today.value), interval, zone: utc};
  const asking = useTile(onFresh, asked, [lifecycleQuestion(question, days, interval)]);
  const title = question.event === null ? 'Lifecycle' : `Lifecycle by ${question.event}`;
  return (
    <Stages
      title={title}
      address={pageAddress('/lifecycle') + writeAddress(lifecycleForm, {...question, range})}
      asking={asking}
      tools={tools(title)}
      before={<Lost problems={problems} />}
    />
  );
}

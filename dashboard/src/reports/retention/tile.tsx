// Pinned retention: its curve.
import {pageAddress} from '../../address/base';
import {readAddress, writeAddress} from '../../address/codec';
import {retentionForm, retentionQuestion, usualPeriod} from '../../address/engagement-address';
import {utc} from '../../address/zone';
import {Card} from '../../shell/card';
import {Lost, NoEventNamed} from '../lost';
import {type TileProps, useTile} from '../tile';
import {CurveCard} from './curve-card';
import type {RetentionAsked} from './retention-number';

export function PinnedRetention({search, range, days: of, tools, onFresh}: TileProps) {
  const {question, problems} = readAddress(retentionForm, search);
  const days = {...of, zone: utc};
  const interval = usualPeriod(days);
  const {start} = question;
  const asked: RetentionAsked = {question, days, interval};
  const asks = start === null ? undefined : [retentionQuestion(question, start, days, interval)];
  const asking = useTile(onFresh, asked, asks);
  if (start === null)
    return (
      <Card span={12} title="Retention" tools={tools('Retention')}>
        <Lost problems={problems} />
        <NoEventNamed />
      </Card>
    );
  const title = `Retention: ${start}, then ${question.return ?? 'any event'}`;
  return (
    <CurveCard
      title={title}
      address={pageAddress('/retention') + writeAddress(retentionForm, {...question, range})}
      asking={asking}
      interval={interval}
      tools={tools(title)}
      before={<Lost problems={problems} />}
    />
  );
}

// Days without anything to show: other days may have it. A service that has no event at all leads to the first one.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import {isShared, pageAddress} from '../address/base';
import {hasEvents, lookForEvents} from '../service/any-events';
import {publication} from '../service/publication';
import {may} from '../service/session';
import {Empty} from './states';

export interface EmptyDaysProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function EmptyDays({title, children}: EmptyDaysProps) {
  const round = publication.value;
  // Again with each publication while it is not known: a service that has just started cannot say yet.
  useEffect(() => {
    if (!isShared && !hasEvents.peek()) void lookForEvents();
  }, [round]);
  if (hasEvents.value !== false) return <Empty title={title}>{children}</Empty>;
  return (
    <Empty title="No event has come yet">
      {may('analyst') ? (
        <>
          This page has something to show after the publication that counts the first one.{' '}
          <a class="link" href={pageAddress('/first-event')}>
            Send the first event
          </a>
        </>
      ) : (
        'Who may see events finds under First event how the first one is sent.'
      )}
    </Empty>
  );
}

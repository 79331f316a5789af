// Single events: as they arrive, as they are stored, and those that were refused.
import {useLocation} from 'preact-iso';
import {pageAddress} from '../../address/base';
import {Head} from '../../shell/head';
import {later} from '../../shell/later';
import {Arriving} from './arriving';
import './events.css';
import {History} from './history';
import {RefusedEvents} from './refused';

const tabs = [
  {show: 'arriving', name: 'Arriving', Body: Arriving},
  {show: 'history', name: 'History', Body: History},
  {show: 'refused', name: 'Refused', Body: RefusedEvents},
  {show: 'names', name: 'Catalogue', Body: later(() => import('./names').then(({Names}) => Names))},
] as const;

export function Events() {
  const {query} = useLocation();
  const asked = query.show ?? 'arriving';
  const tab = tabs.find(({show}) => show === asked);
  return (
    <>
      <Head title="Events">
        <nav class="choice" aria-label="Which events">
          {tabs.map(({show, name}) => (
            <a
              key={show}
              href={`${pageAddress('/events')}?show=${show}`}
              aria-current={tab?.show === show ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      </Head>
      {tab === undefined ? (
        <div class="state-box">
          <strong>There is nothing called "{asked}" here</strong>
          <a class="link" href={pageAddress('/events')}>
            Show what arrives
          </a>
        </div>
      ) : (
        <div class="row">
          <tab.Body />
        </div>
      )}
    </>
  );
}

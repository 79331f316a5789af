// The frame of every page: the list of pages, the state of the service, the person who is signed in, and keys.
import type {ComponentChildren} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {dashboardPath, pageAddress} from '../address/base';
import {carriedFrom} from '../address/carried';
import {serviceState} from '../service/service-state';
import {may, session, signOut} from '../service/session';
import {carried, linkTo} from './carried-links';
import {explaining} from './explained';
import {Icon} from './icon';
import {focusSearch, moveRow, openDialog, useKeys} from './keys';
import {later} from './later';
import {isShown, places} from './places';
import {ThemeButton} from './theme-button';

const Palette = later(() => import('./palette').then(({Palette: Part}) => Part));
const KeyList = later(() => import('./key-list').then(({KeyList: Part}) => Part));

const ExplanationDialog = later(() =>
  import('../explained/explanation-dialog').then(({ExplanationDialog: Part}) => Part),
);

const sections = ['Product', 'Operations', 'Settings'] as const;

export function Shell({children}: {readonly children: ComponentChildren}) {
  const {route} = useLocation();
  useKeys({
    '?': () => (openDialog.value = 'keys'),
    '/': focusSearch,
    j: () => moveRow(1),
    k: () => moveRow(-1),
  });
  useKeys(
    Object.fromEntries(
      places
        .filter((place) => place.letter !== undefined && isShown(place))
        .map(({letter, path}) => [letter, () => route(linkTo(path))]),
    ),
    true,
  );
  return (
    <div class="frame">
      <a class="skip" href="#content">
        To the content
      </a>
      <Side />
      <main class="page" id="content" tabIndex={-1}>
        {children}
      </main>
      {openDialog.value === 'palette' && <Palette />}
      {openDialog.value === 'keys' && <KeyList />}
      {explaining.value !== undefined && <ExplanationDialog />}
    </div>
  );
}

function Side() {
  const {path, url} = useLocation();
  const here = path.replace(/\/$/, '');
  useLayoutEffect(() => {
    carried.value = carriedFrom(carried.peek(), here.slice(dashboardPath.length) || '/', url.split(/[?#]/)[1] ?? '');
  }, [url]);
  const side = useRef<HTMLElement>(null);
  // On phones it is a row that scrolls.
  useEffect(() => {
    const current = side.current!.querySelector<HTMLElement>('[aria-current]');
    if (current) side.current!.scrollLeft = current.offsetLeft - 180;
  }, [here]);
  return (
    <nav class="side" aria-label="Pages" ref={side}>
      <a class="brand" href={pageAddress('/')}>
        <img src={`${pageAddress('')}/mark.svg`} alt="" width="24" height="24" />
        Millrace
      </a>
      {sections.map((section) => {
        const shown = places.filter(
          (place) =>
            place.section === section && (isShown(place) || (may(place.role) && pageAddress(place.path) === here)),
        );
        if (shown.length === 0) return null;
        return (
          <div key={section} class="section">
            {section !== 'Product' && <h2>{section}</h2>}
            {shown.map(({path: to, name, icon}) => (
              <a key={to} href={linkTo(to)} aria-current={pageAddress(to) === here ? 'page' : undefined}>
                <Icon name={icon} />
                {name}
              </a>
            ))}
          </div>
        );
      })}
      <Status />
    </nav>
  );
}

const dots = {ready: 'dot', not_ready: 'dot bad', unknown: 'dot off'} as const;
const words = {ready: 'Ready', not_ready: 'Not ready', unknown: 'No answer'} as const;

function Status() {
  const {status, reasons, durability, version} = serviceState.value;
  return (
    <div class="status">
      <strong role="status" title={reasons.join('\n')}>
        <span class={dots[status]} />
        {words[status]}
      </strong>
      {reasons.length > 0 && <span class="reason">{reasons[0]}</span>}
      {durability !== undefined && (
        <span>{durability === 'power-cut' ? 'Every 200 is on disk' : 'A 200 survives a crash, not a power cut'}</span>
      )}
      {version !== undefined && <span>Version {version}</span>}
      <span class="who">
        <span title={`Role: ${session.value?.role}`}>{session.value?.name}</span>
        <button
          type="button"
          class="quiet"
          aria-label="Go to a page, person or event (Ctrl K)"
          title="Go to a page, person or event (Ctrl K)"
          onClick={() => (openDialog.value = 'palette')}
        >
          <Icon name="search" />
        </button>
        <ThemeButton />
        <button type="button" class="quiet" aria-label="Sign out" onClick={() => void signOut()}>
          <Icon name="signOut" />
        </button>
      </span>
    </div>
  );
}

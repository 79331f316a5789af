// What stands around every page: where one is, where one can go, how the service is, and who is signed in.
import type {ComponentChildren} from 'preact';
import {useLocation} from 'preact-iso';
import {pageAddress} from '../address/base';
import {serviceState} from '../service/service-state';
import {may, session, signOut} from '../service/session';
import {Icon} from './icon';
import {places} from './places';
import {ThemeButton} from './theme-button';

const sections = ['Product', 'Operations', 'Settings'] as const;

export function Shell({children}: {readonly children: ComponentChildren}) {
  return (
    <div class="frame">
      <a class="skip" href="#content">
        To the content
      </a>
      <Side />
      <main class="page" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Side() {
  const {path} = useLocation();
  const here = path.replace(/\/$/, '');
  return (
    <nav class="side" aria-label="Pages">
      <a class="brand" href={pageAddress('/')}>
        <img src={`${pageAddress('')}/mark.svg`} alt="" width="24" height="24" />
        Millrace
      </a>
      {sections.map((section) => {
        const shown = places.filter(
          ({section: of, role, path: to, isListed}) =>
            of === section && may(role) && (isListed === undefined || isListed() || pageAddress(to) === here),
        );
        if (shown.length === 0) return null;
        return (
          <div key={section} class="section">
            {section !== 'Product' && <h2>{section}</h2>}
            {shown.map(({path: to, name, icon}) => (
              <a key={to} href={pageAddress(to)} aria-current={pageAddress(to) === here ? 'page' : undefined}>
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
        <ThemeButton />
        <button type="button" class="quiet" aria-label="Sign out" onClick={() => void signOut()}>
          <Icon name="signOut" />
        </button>
      </span>
    </div>
  );
}

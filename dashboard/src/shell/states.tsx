// States of a card without numbers: loading, empty, faulty, refused. Every page uses these components.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import type {Fault} from '../service/client';
import {now} from '../service/now';
import {type Role, session} from '../service/session';
import {Icon} from './icon';

/** Outline of a page that is loading. It comes after 150 ms, so quick answers do not flash. */
export function Loading({lines = 3}: {readonly lines?: number}) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status" aria-label="Loading">
      {isLate && Array.from({length: lines}, (_, at) => <i key={at} />)}
    </div>
  );
}

/** Why there is nothing, and what to do next. */
export function Empty({title, children}: {readonly title: string; readonly children: ComponentChildren}) {
  return (
    <div class="state-box">
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  );
}

const titles: Readonly<Record<string, string>> = {
  unreachable: 'The service does not answer',
  unavailable: 'This part of the service does not answer now',
  rate_limited: 'Too many requests at once',
  role_not_sufficient: 'Your role does not allow this',
  newer_version: 'A newer version is there',
  not_loaded: 'This part of the page did not load',
};

/** Says what happened and what to do. The rest of the page stays usable. */
export function FaultBox({
  fault,
  onAgain,
  again = 'Try again',
}: {
  readonly fault: Fault;
  readonly onAgain?: () => void;
  /** Name of the button. */
  readonly again?: string;
}) {
  const [sinceMs] = useState(now.peek());
  const waits = fault.retryAfter === undefined ? 0 : Math.ceil(fault.retryAfter - (now.value - sinceMs) / 1_000);
  return (
    <div class="state-box fault" role="alert">
      <strong>
        <Icon name="warning" />
        {titles[fault.code] ?? 'This did not work'}
      </strong>
      <p>
        {sentence(fault.message)} <code>{fault.code}</code>
        {fault.field !== undefined && (
          <>
            {' '}
            in <code>{fault.field}</code>
          </>
        )}
      </p>
      {onAgain !== undefined && (
        <button type="button" class="button" disabled={waits > 0} onClick={onAgain}>
          {waits > 0 ? `${again} in ${waits} s` : again}
        </button>
      )}
    </div>
  );
}

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** The role of the person does not see the page that a link led to. */
export function Refused({needed}: {readonly needed: Role}) {
  return (
    <div class="state-box">
      <h1>This page needs the role {needed}</h1>
      <p>
        You are signed in as {session.value?.name} with the role {session.value?.role}. An admin of this service can
        give you another access token, under Settings, Access.
      </p>
    </div>
  );
}

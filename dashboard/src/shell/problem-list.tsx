// Parts of the address that mean nothing: each is named, and a button drops all of them.
import type {Problem} from '../address/codec';
import {Icon} from './icon';
import './problem-list.css';

export interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly onDrop: () => void;
}

export function ProblemList({problems, onDrop}: ProblemListProps) {
  return (
    <div class="address-problems" role="alert">
      <Icon name="warning" />
      <ul>
        {problems.map(({name, text, expected}) => (
          <li key={`${name}=${text}`}>
            <code>
              {name}={text}
            </code>{' '}
            in the address {expected === undefined ? <Unknown name={name} /> : `must be ${expected}`}
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onDrop}>
        Drop {problems.length === 1 ? 'it' : 'them'}
      </button>
    </div>
  );
}

/** Parameters of the API by which pages are asked as well, under another name. */
const pageNames: Readonly<Record<string, string>> = {
  interval: 'every=day',
  from: 'range=2026-11-01..2026-11-30',
  to: 'range=2026-11-01..2026-11-30',
  timezone: 'zone=Europe/Berlin',
  breakdown: 'by=plan',
  breakdown_at: 'by_at=2',
  'steps[]': 'step=signup',
  'events[]': 'event=signup',
  userId: 'user=ada',
  anonymousId: 'anonymous=visitor-1',
};

function Unknown({name}: {readonly name: string}) {
  if (!Object.hasOwn(pageNames, name)) return <>is unknown to this page</>;
  return (
    <>
      is a parameter of the API: pages are asked by <code>{pageNames[name]}</code> and the like
    </>
  );
}

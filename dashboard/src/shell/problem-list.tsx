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
            in the address {expected === undefined ? 'is unknown to this page' : `must be ${expected}`}
          </li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onDrop}>
        Drop {problems.length === 1 ? 'it' : 'them'}
      </button>
    </div>
  );
}

import type {IconName} from '../../icons';
import {dashboardPath} from '../address/base';

export type {IconName};

export function Icon({name}: {readonly name: IconName}) {
  const sprite = /^[A-Z]/.test(name) ? 'more-icons' : 'icons';
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${dashboardPath}/assets/${sprite}.svg#${name}`} />
    </svg>
  );
}

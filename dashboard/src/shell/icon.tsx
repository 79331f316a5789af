import type {IconName} from '../../icons';
import {dashboardPath} from '../address/base';

export type {IconName};

export function Icon({name}: {readonly name: IconName}) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${dashboardPath}/assets/icons.svg#${name}`} />
    </svg>
  );
}
